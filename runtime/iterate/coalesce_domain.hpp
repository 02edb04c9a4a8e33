// SPDX-License-Identifier: MIT
// Finds the sorted list that a call walks, and the values of its parameters in that order.
#pragma once
#include "../kernel/scratch.hpp"
#include "../layouts/layout.hpp"

namespace frisket::kernel_calls {

/// True if all Masked parameters of the domain are stored in `layout`, over the whole space.
bool domain_stored_as(const Call& call, Layout layout);

/// Fills call.scratch.flat with values and bit words of those Masked parameters that are not listed.
void densify_others(const Call& call);

/// The list of the domain, sorted and without duplicates.  Fills call.scratch.listed with the values of the
/// listed parameters in its order, and spreads the other parameters.
runtime::IndexView coalesce_domain(const Call& call);

}  // namespace frisket::kernel_calls
