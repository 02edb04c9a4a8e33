// SPDX-License-Identifier: MIT
// The class Masked and its constructors.
#pragma once
#include "arrays.hpp"

namespace frisket::python {

void add_masked(nb::module_& module);

}  // namespace frisket::python
