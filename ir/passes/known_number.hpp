// SPDX-License-Identifier: MIT
// Folds operations whose operands are known small integers.
#pragma once
#include "../graph.hpp"

#include <optional>
#include <span>

namespace frisket::ir {

/// A small integer, which every dtype holds exactly, that an element is known to be; nothing: unknown.
using KnownNumber = std::optional<double>;

/// The number of a constant.
KnownNumber known_constant(const Node& constant);

/// The result of an operation or a cast of known numbers.  Nothing if it is no small integer.
KnownNumber known_result(const Graph& graph, const Node& node, std::span<const KnownNumber> operands);

}  // namespace frisket::ir
