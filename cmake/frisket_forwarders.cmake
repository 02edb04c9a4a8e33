# SPDX-License-Identifier: MIT
# What users include: <frisket/frisket.hpp>, or the umbrella of one layer.  Each is one line that includes the real
# header, by its place in the source tree for the build, by its place in include/frisket for the installed copy.

function(frisket_forward name header)
    set(text "// SPDX-License-Identifier: MIT\n#pragma once\n")
    file(
        CONFIGURE
        OUTPUT "${PROJECT_BINARY_DIR}/include/frisket/${name}.hpp"
        CONTENT "${text}#include \"${PROJECT_SOURCE_DIR}/${header}\"\n"
    )
    file(
        CONFIGURE
        OUTPUT "${PROJECT_BINARY_DIR}/include_installed/frisket/${name}.hpp"
        CONTENT "${text}#include \"${header}\"\n"
    )
endfunction()

frisket_forward(runtime runtime/runtime.hpp)
frisket_forward(dsl dsl/dsl.hpp)
frisket_forward(codegen codegen/codegen.hpp)
frisket_forward(frisket codegen/frisket.hpp)
