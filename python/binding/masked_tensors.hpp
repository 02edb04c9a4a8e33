// SPDX-License-Identifier: MIT
// The class Masked and its constructors.
#pragma once
#include "arrays.hpp"
#include "mask_lineage.hpp"

#include <utility>

namespace frisket::python {

/// A masked tensor as a Python object.
struct Masked : AnyMasked {
    Masked(AnyMasked tensor, MaskLineage from = {})
        : AnyMasked(std::move(tensor)), lineage(std::move(from)) {}

    /// The lineage of the mask; begins one if there is none, or a long one.
    const MaskLineage& known_lineage() const {
        if (!lineage.is_known() || lineage.is_long()) lineage = MaskLineage(shape());
        return lineage;
    }

    mutable MaskLineage lineage;
};

void add_masked(nb::module_& module);

}  // namespace frisket::python
