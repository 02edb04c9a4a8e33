// SPDX-License-Identifier: MIT
// Derivation of masks across operations that are evaluated one by one.
#pragma once
#include "../../ir/graph.hpp"

#include <memory>
#include <span>
#include <vector>

namespace frisket::python {

/// Derivation of a mask from the mask of an array: views and reductions, one after the other.  It holds no
/// memory of the array.
class MaskLineage {
public:
    /// No lineage.
    MaskLineage() = default;
    /// The lineage of the mask of an array of a shape, which was not derived from another.
    explicit MaskLineage(const Shape& shape) : source_(std::make_shared<const Shape>(shape)) {}
    /// The lineage of a mask of a graph; none unless it was derived from the mask of one symbol.
    /// `symbols`: lineages of the masks of the graph's symbols.
    MaskLineage(const Graph& graph, NodeId mask, std::span<const MaskLineage> symbols);

    bool is_known() const noexcept { return source_ != nullptr; }
    /// True if operations on the array begin a lineage of their own, as moves in a loop would let it grow.
    bool is_long() const;
    /// True if this mask is a reduction of `part` and stands in its place again, as ir::is_contained says of
    /// one graph, but not equal to it.
    /// Shape: both masks broadcast together.
    bool is_reduction_of(const MaskLineage& part) const;

private:
    void add(Node step);

    std::shared_ptr<const Shape> source_;  // the identity of the array, and its shape
    std::vector<Node> steps_;              // operand 0 is the step before
};

}  // namespace frisket::python
