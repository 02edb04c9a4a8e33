# SPDX-License-Identifier: MIT
# THE list of headers that users include, <frisket/NAME>, and the header of the sources that each is.  For the build each
# is one line that includes the header by its place in the source tree.  frisket_install.cmake makes the installed ones.

set(frisket_user_headers "")
function(frisket_forward name header)
    list(APPEND frisket_user_headers "${name}=${header}")
    set(frisket_user_headers "${frisket_user_headers}" PARENT_SCOPE)
    file(
        CONFIGURE
        OUTPUT "${PROJECT_BINARY_DIR}/include/frisket/${name}"
        CONTENT "/* SPDX-License-Identifier: MIT */\n#pragma once\n#include \"${PROJECT_SOURCE_DIR}/${header}\"\n"
    )
endfunction()

frisket_forward(runtime.hpp runtime/runtime.hpp)
frisket_forward(dsl.hpp dsl/dsl.hpp)
frisket_forward(codegen.hpp codegen/codegen.hpp)
frisket_forward(frisket.hpp codegen/codegen.hpp)
# Compiled steps are many templates: a header of its own.
frisket_forward(optim.hpp optim/optim.hpp)
# Tables and steps of many ranks; includes the mpi.h of the program.
frisket_forward(mpi.hpp mpi/mpi.hpp)
# Headers for programs that look for schedules.
frisket_forward(tune.hpp codegen/tuning/search/tune.hpp)
# Part of no umbrella: it names structs that are not ours.
frisket_forward(dlpack.hpp runtime/io/dlpack.hpp)
# Headers that sources made by frisket_add_kernels include.
frisket_forward(aot.hpp codegen/aot/aot.hpp)
frisket_forward(aot_tables.hpp runtime/kernel/aot_tables.hpp)
frisket_forward(aot_kernel.hpp runtime/kernel/aot_module.hpp)
frisket_forward(c_api.h runtime/kernel/c_api.h)
