// SPDX-License-Identifier: MIT
// Finds the extents of a graph that are equal for all arguments.
#pragma once
#include <span>
#include <vector>

#include "../../ir/graph.hpp"
#include "lower_expression.hpp"

namespace frisket::codegen {

/// Classes of extents of a graph's nodes that are equal whatever the arguments: one parameter serves a class,
/// and loops over its extents may be one loop.
class Extents {
public:
    /// `inputs`: form of each symbol; without any: none is of a list.
    explicit Extents(const Graph& graph, std::span<const InputForm> inputs = {});

    /// The extent that represents all extents equal to this one.
    SizeSlot representative(NodeId id, int dim) const;
    /// The representatives of a node's dimensions, as numbers that are equal if they are.
    std::vector<int> key(NodeId id) const;

private:
    int index(NodeId id, int dim) const { return first_[id] + dim; }
    int root(int i) const;
    void unite(NodeId a, int dim_a, NodeId b, int dim_b);
    void unite_aligned(const Graph& graph, NodeId a, NodeId b);
    void unite_kept(const Graph& graph, NodeId id);
    void unite_seen(const Graph& graph, NodeId id);

    std::vector<int> first_;   // for each node: where its dimensions start
    std::vector<int> rank_;    // rank of each node
    std::vector<int> parent_;  // parent of each dimension
    std::vector<SizeSlot> slots_;
};

}  // namespace frisket::codegen
