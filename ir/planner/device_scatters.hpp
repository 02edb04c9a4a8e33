// SPDX-License-Identifier: MIT
// Converts the union of scatters to a list on a device.
#pragma once
#include <span>

#include "../interpreter/interpret.hpp"
#include "plan.hpp"

namespace frisket::planning {

/// listed_scatters() for values on a device, where the list is made too; only the number of its entries comes
/// to the processor.  The bits are the same as listed_scatters() makes.
Result listed_scatters_on_device(const ScatteredResults::Scatters& scatters, std::span<const Result> made);

/// A tensor that broadcasts to `rank` dimensions and is the same along those that follow the entries' space,
/// as one of that space.
AnyTensor over_entries(const AnyTensor& tensor, std::size_t rank, const Shape& space);
/// The values that are scattered, each entry of which is in one piece.
AnyTensor values_of(const ListedScatter& scattered, std::span<const Result> made, std::size_t trailing);

}  // namespace frisket::planning
