// SPDX-License-Identifier: MIT
// Optimizers over arrays of Python.
#pragma once
#include <nanobind/nanobind.h>

namespace frisket::python {

void add_optimizers(nanobind::module_& module);

}  // namespace frisket::python
