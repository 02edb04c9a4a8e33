// SPDX-License-Identifier: MIT
// Differentiates expressions in reverse mode.
#pragma once
#include "../../tensor_ops/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace frisket::ir {

/// Treatment of an input that does not occur in the output.
enum class Unused : std::uint8_t {
    refused,  ///< ValueError
    allowed,  ///< its gradient is specified nowhere
};

/// Gradients of sum(output * upstream) with respect to each of `wrt`, as instructions of its graph.  Without
/// an upstream it is 1 wherever the output is specified.
/// Shape: the shape of the respective input, with its dtype.
/// Unspecified: a gradient is masked, of dense inputs too.  It is specified where a specified element of the
/// upstream reached it: not elements that a view drops, not the other branch of where, nowhere without a
/// path.  Where paths meet, either is enough.  Unspecified elements of an operand matter nowhere.
/// An input that occurs, though no gradient passes to it (in comparisons, argmax, only by its mask), has a
/// gradient that is specified nowhere.
/// Errors: ValueError if an input does not occur; ShapeError if the upstream has another shape than the
/// output; DTypeError if that is no float.
std::vector<Value> gradient(Value output, std::span<const Value> wrt, std::optional<Value> upstream = {},
                            Unused unused = Unused::refused);

/// True if an output is computed from an input, or from its mask.
bool reads(Value output, Value input);
/// The sum of two gradients of one shape and dtype; where only one is specified, that gradient.
Value merged(Value a, Value b);

}  // namespace frisket::ir
