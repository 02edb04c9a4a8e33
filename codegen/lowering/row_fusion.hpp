// SPDX-License-Identifier: MIT
// Finds the nodes that loops compute row by row, together with the result.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "../loops/schedule.hpp"
#include "extent_analysis.hpp"
#include "reduction_fusion.hpp"

namespace frisket::codegen {

/// The masks whose conjunction a mask is, each once; none of no_node.
std::vector<NodeId> conjuncts_of(const Graph& graph, NodeId mask);

/// Nodes that loops need of some rows of the result at a time: reductions and running reductions along the
/// last dimension, products of a factor that has these rows, and nodes that read them or that they read, only
/// at these rows.  They are computed with the rows, in cache, where all other nodes are computed whole before
/// the loop of the result.
///
/// Legal for one result and no checks, where each reader of such a node is the result or another such node,
/// and reads it at its own row; none with `RowStages::apart`.
/// Softmax, layer norm, log-sum-exp, attention are such.
class RowFusion {
public:
    RowFusion(const Graph& graph, const Extents& extents, const ReductionGroups& groups,
              std::span<const NumberPlace> of_call, RowStages stages = RowStages::fused);

    /// Number of leading dimensions of the result that say the row; 0 if nothing is computed by rows.
    int rank() const noexcept { return rank_; }
    /// True for a node that is computed for a row of the result at a time, wherever it is stored.
    bool contains(NodeId id) const { return rank_ > 0 && uses_[static_cast<std::size_t>(id)] == Use::row; }
    /// The product whose elements are read only at their own index in the result, so that the result is
    /// stored by its tiles; no_node for none.
    NodeId product_of_result() const noexcept { return product_; }
    /// True if other products are among the nodes that are computed by rows: tiles of several rows, then.
    bool has_products() const;

private:
    /// Places at which loops read a node.
    enum class Use : std::uint8_t {
        none,
        row,       ///< the row of the result that is computed
        elsewhere  ///< any index
    };

    bool find_rows(int rank);
    void read_operands(NodeId id);
    void read_product(NodeId id);
    bool has_row_factor(const Node& node, std::size_t i) const;
    void find_product();
    void read_view(NodeId id);
    void read(NodeId id, bool is_row);
    void read_alike(NodeId id, NodeId operand, bool is_row);
    bool has_rows(NodeId id) const;
    bool may_be_of_row(NodeId id) const;
    bool unite_groups();

    const Graph& graph_;
    const Extents& extents_;
    const ReductionGroups& groups_;
    const std::span<const NumberPlace> of_call_;
    int rank_ = 0;
    NodeId product_ = no_node;
    std::vector<int> row_;  // the extents of the dimensions that say the row
    std::vector<Use> uses_;
    std::vector<bool> is_whole_;  // nodes that a group takes with it
};

}  // namespace frisket::codegen
