// SPDX-License-Identifier: MIT
// The extension module frisket._core.
#include "descriptions.hpp"
#include "dispatcher.hpp"
#include "errors.hpp"
#include "kernel_libraries.hpp"
#include "masked_tensors.hpp"
#include "optimizers.hpp"
#include "tensor_files.hpp"
#include "tools.hpp"
#include "torch_optimizers.hpp"
#include "trace.hpp"

NB_MODULE(_core, module) {
    using namespace frisket::python;
    nb::set_leak_warnings(false);  // modules of users may outlive this one: nothing is printed at exit
    add_errors(module);
    add_arrays(module);
    add_masked(module);
    add_traces(module);
    add_functions(module);
    add_descriptions(module);
    add_dispatcher(module);
    add_optimizers(module);
    add_torch_optimizers(module);
    add_tensor_files(module);
    add_kernel_libraries(module);
    add_tools(module);
}
