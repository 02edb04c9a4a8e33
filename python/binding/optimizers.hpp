// SPDX-License-Identifier: MIT
// Optimizers over arrays of Python.
#pragma once
#include "../../optim/optim.hpp"

#include <nanobind/nanobind.h>

#include <string>

namespace frisket::python {

/// A rule: of the library by its name, or an object of the class Rule.  Errors: ValueError.
optim::AnyRule rule_of(nanobind::handle rule);
/// Meaning of unspecified elements by its name.  Errors: ValueError.
optim::Untouched untouched_of(const std::string& name);

void add_optimizers(nanobind::module_& module);

}  // namespace frisket::python
