// SPDX-License-Identifier: MIT
// Libraries of kernels that are compiled ahead of time from recorded functions and steps.
#pragma once
#include "arguments.hpp"

namespace frisket::python {

void add_kernel_libraries(nb::module_& module);

}  // namespace frisket::python
