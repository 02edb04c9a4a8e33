// SPDX-License-Identifier: MIT
// Errors of the library as classes of Python.
#pragma once
#include "../../runtime/tensor/error.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace frisket::python {

namespace nb = nanobind;

/// Makes an error the one that Python raises when the call returns null.
void set_python_error(const Error& error);

/// Translates each frisket::Error into the class that frisket.errors has for its code.
void add_errors(nb::module_& module);

}  // namespace frisket::python
