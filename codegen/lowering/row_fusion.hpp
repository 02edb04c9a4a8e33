// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "extent_analysis.hpp"
#include "reduction_fusion.hpp"

namespace frisket::codegen {

/// Nodes that loops need of one row of the result at a time: reductions and running reductions along the last
/// dimension, and what is read of them and for them at that row alone.  They are computed beside the row, in
/// cache, where others are computed whole before the loop of the result.
///
/// Legal for one result and no checks, where each reader of such a node is the result or another such node,
/// and reads it at its own row.  Softmax, layer norm, log-sum-exp are such.
class RowFusion {
public:
    RowFusion(const Graph& graph, const Extents& extents, const ReductionGroups& groups,
              std::span<const NumberPlace> of_call);

    /// Number of leading dimensions of the result that say the row; 0 if nothing is computed by rows.
    int rank() const noexcept { return rank_; }
    /// True of what is computed for a row of the result at a time, wherever it is stored.
    bool contains(NodeId id) const { return rank_ > 0 && uses_[static_cast<std::size_t>(id)] == Use::row; }

private:
    /// Places at which loops read a node.
    enum class Use : std::uint8_t {
        none,
        row,       ///< the row of the result that is computed
        elsewhere  ///< any place
    };

    bool find_rows(int rank);
    void read_operands(NodeId id);
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
    std::vector<int> row_;  // the extents of the dimensions that say the row
    std::vector<Use> uses_;
    std::vector<bool> is_whole_;  // nodes that a group takes with it
};

}  // namespace frisket::codegen
