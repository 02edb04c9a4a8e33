// SPDX-License-Identifier: MIT
// Builds the graph that remains when stages have computed some of its nodes.
#pragma once
#include "../rewrite.hpp"
#include "dense_operand.hpp"
#include "plan.hpp"
#include "planner.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace frisket::planning {

/// A graph some of whose nodes stages have made: they are read as symbols.  Nodes are given one after the
/// other, in their order.
class ResidualGraph {
public:
    /// `operands`: the values that the symbols of `graph` read.
    ResidualGraph(const Graph& graph, std::span<const ValueId> operands);

    /// The next node is copied.
    void keep();
    /// The next node is a list with elements of `dtype`: without a mask it is 0, or false, elsewhere.
    /// `mask`: the list of its mask, if they share their indices.
    void take_list(ValueId made, DType dtype, ValueId mask = no_value);
    /// The next node is a dense tensor, under the mask of the node if it has one.
    void take_dense(ValueId made, DType dtype);
    /// The next node is the mask of a masked tensor, which has the same elements in this shape; the node that
    /// it is the mask of follows later.
    void take_mask_of(ValueId made, DType dtype, const Shape& shape);
    /// The next node is the tensor whose mask was taken.
    void take_values();

    /// Adds the stages that make the next node as a tensor; it has no mask and reads no list.  The value.
    ValueId add_dense_operand(PlanBuilder& to);
    /// Adds the stages that make a node before the next one whole, under its mask if it has one; bools, if
    /// `is_pattern`, as a tensor that is specified where they are true.  The value.  One without a mask is
    /// made once, and the rest reads it.
    ValueId add_whole(PlanBuilder& to, NodeId id, bool is_pattern = false);
    /// Adds the body that makes values as a tensor that is specified where `where` is true, which broadcasts
    /// to them; everywhere if it is no_node.  The value.
    ValueId add_masked(PlanBuilder& to, NodeId values, NodeId where);

    /// The symbol that reads the value taken last.
    const std::string& last_name() const { return rest_.graph().symbols.back().name; }
    /// The list that was taken for a node, or no_value.
    ValueId list_of(NodeId id) const;
    /// True if the list that was taken for a node shares its indices with the list of the node's mask.
    bool shares_indices(NodeId id) const;
    /// Ends a plan: with results that are lists as they were made, and with the graph that is left.
    void finish(Plan& plan);

private:
    int add_symbol(SymbolKind kind, DType dtype, const Shape& shape, ValueId value);
    std::string new_name() const;
    NodeId read(NodeKind kind, int symbol, NodeId mask);
    ValueId list_as_made(NodeId result) const;
    NodeId in_shape(NodeId made, const Shape& shape, NodeId mask);
    void read_stored();
    void replace_next(NodeId made) { rest_.replace(next_++, made); }

    const Graph& from_;
    ir::Rewriter rest_;
    NodeId next_ = 0;
    std::vector<ValueId> operands_;
    BodyValues stored_;  // tensors that bodies have made, by nodes of the residual graph
    std::map<NodeId, ValueId> lists_;
    std::map<ValueId, ValueId> masks_;  // masks of lists that share their indices
    std::map<NodeId, NodeId> as_made_;  // masks that were taken, in the shape in which they were made
};

}  // namespace frisket::planning
