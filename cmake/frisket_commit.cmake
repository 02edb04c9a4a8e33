# SPDX-License-Identifier: MIT
# cmake -DROOT=folder -DTO=header.hpp -P frisket_commit.cmake: the commit of the sources, "unknown" where there is no git.  The header is
# written only if the commit has changed.
set(commit unknown)
find_program(git git)
if(git AND EXISTS "${ROOT}/.git")
    execute_process(
        COMMAND "${git}" -C "${ROOT}" rev-parse --short=8 HEAD
        OUTPUT_VARIABLE found
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET
        RESULT_VARIABLE failed
    )
    if(NOT failed)
        set(commit "${found}")
    endif()
endif()
file(CONFIGURE OUTPUT "${TO}" CONTENT "#pragma once\ninline constexpr char source_commit[] = \"@commit@\";\n" @ONLY)
