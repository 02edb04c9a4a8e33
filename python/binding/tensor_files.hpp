// SPDX-License-Identifier: MIT
// Files of arrays.
#pragma once
#include <nanobind/nanobind.h>

namespace frisket::python {

void add_tensor_files(nanobind::module_& module);

}  // namespace frisket::python
