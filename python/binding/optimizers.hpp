// SPDX-License-Identifier: MIT
// Optimizers over arrays of Python.
#pragma once
#include "../../optim/optim.hpp"

#include <nanobind/nanobind.h>

#include <string>

namespace frisket::python {

/// Meaning of unspecified elements by its name.  Errors: ValueError.
optim::Untouched untouched_of(const std::string& name);

void add_optimizers(nanobind::module_& module);

}  // namespace frisket::python
