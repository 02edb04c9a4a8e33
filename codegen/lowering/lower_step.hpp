// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "../../ir/graph.hpp"
#include "../scalar/value.hpp"

namespace frisket::codegen {

/// Reads of a loop, at its current element.
struct Access {
    std::function<lowering::Value(int symbol)> load;       ///< In, Masked, and InOut as it is in memory
    std::function<lowering::Value(int symbol)> specified;  ///< mask of a Masked symbol
    std::function<lowering::Value(NodeId node, DType dtype)> number;  ///< a host scalar
    std::function<lowering::Position()> position;                     ///< place of the element
    /// The loop visits only elements of the domain: updates need no condition of their own.
    bool inside_domain = false;
};

/// New value of an element of a tensor.
struct Store {
    int symbol = -1;
    lowering::Value value;
    /// Mask of the update, if it is not everywhere, for dtypes whose bytes a load and a store may change.
    /// Bytes elsewhere stay as they are; `value` has only their value.
    std::optional<lowering::Value> where = {};
};

/// The meaning of a step at one element: the value that each written tensor takes, in the order of the
/// symbols.  Nothing here is about speed.
std::vector<Store> stored_updates(const Graph& graph, const Access& access);

}  // namespace frisket::codegen
