// SPDX-License-Identifier: MIT
// Classes and functions of the extension modules frisket._core and frisket._core_aot.
#include "compiler.hpp"
#include "descriptions.hpp"
#include "dispatcher.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "masked_tensors.hpp"
#include "optimizers.hpp"
#include "tensor_files.hpp"
#include "torch_optimizers.hpp"
#include "trace.hpp"

namespace frisket::python {

void add_all(nb::module_& module) {
    module.attr("__name__") = "frisket._core";  // classes of both modules have one name
    nb::set_leak_warnings(false);  // modules of users may outlive this one: nothing is printed at exit
    watch_interpreter();
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
    add_tools(module);
}

}  // namespace frisket::python
