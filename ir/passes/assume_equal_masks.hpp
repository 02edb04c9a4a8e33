// SPDX-License-Identifier: MIT
// Specializes steps for calls whose masks are all equal.
#pragma once
#include "../graph.hpp"

#include <optional>

namespace frisket::ir {

/// A step whose Masked symbols meet nowhere, or by intersect and unite, for calls in which all of them
/// specify the same elements: their masks are known to be equal, and updates have that mask.  Nothing if some
/// update has another, or none.
std::optional<Graph> with_equal_masks(const Graph& step);

}  // namespace frisket::ir
