// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../scalar/ranks.hpp"
#include "../scalar/value.hpp"
#include "elementwise.hpp"
#include "extent_analysis.hpp"
#include "lower_expression.hpp"
#include "materialize.hpp"
#include "product.hpp"
#include "reduction.hpp"
#include "reduction_fusion.hpp"
#include "row_fusion.hpp"

namespace frisket::codegen {

/// Turns nodes into expressions at an index.  Nodes that move elements become arithmetic of indices;
/// reductions, running sums and scatters become Funcs of their own, computed before their readers.
class ExpressionLowerer {
public:
    /// `on_device`: no Func is made that depends on vectors or on the nesting of loops.
    ExpressionLowerer(const LoopRequest& request, bool on_device);

    /// A node at an index, in its own dtype.
    lowering::Value at(NodeId id, const IndexTuple& place);
    /// A node at an index, in the dtype of its reader; host scalars too.
    lowering::Value read(NodeId id, DType dtype, const IndexTuple& place);
    /// An operand of `node`, which is read at index `place` and broadcasts it.
    lowering::Value operand(const Node& node, int i, const IndexTuple& place);
    /// The element of operand 0 that `node` moves from there.
    lowering::Value moved(const Node& node, const IndexTuple& from);

    /// The mask of a masked node at an index.
    lowering::Value mask(NodeId id, const IndexTuple& place) {
        const NodeId mask = graph_[id].mask;
        return at(mask, broadcast_index(mask, graph_[id].shape, place));
    }

    /// Indices 0, 1, … of a node: variables, innermost last.
    static IndexTuple pure(const Shape& shape);
    /// Variables of a node, innermost first, as Halide has its dimensions.
    static std::vector<Halide::Var> variables(const Shape& shape);

    Halide::Expr extent(NodeId id, int dim);
    Halide::Expr offset(NodeId id, int index);
    /// A coefficient of a view.
    Halide::Expr step(NodeId id, std::size_t index);

    std::vector<Halide::Argument> arguments(const kernel_calls::LoopAbi& abi) const;
    const std::vector<SizeSlot>& sizes() const { return sizes_; }

    // expression_join.cpp
    bool is_joined_apart(NodeId id) const;
    bool is_joined_in_rows(NodeId id) const;
    bool is_result_joined(NodeId id, bool has_mask) const;
    /// A node that a Func joins, and the dtype of its memory.
    struct Joined {
        NodeId id;
        DType dtype;
    };
    void join(Halide::Func& func, std::span<const Joined> nodes);

    /// Schedules the loop of the result, and the Funcs that are computed with its rows.
    void schedule_result(Halide::Func& result, NodeId id);

    /// Nodes with memory of their own.
    std::vector<StoredNode> stored_nodes() const;
    /// Names of the Funcs whose loops fetch arguments ahead.
    const std::vector<std::string>& prefetching() const { return prefetching_; }
    /// Kinds of the loops that are made.
    LoopKinds kinds() const { return kinds_; }

private:
    /// A value of a Func that is computed before its reader.
    struct Stored {
        Halide::Func func;
        int component = 0;
        DType dtype = DType::float64;
    };

    lowering::Value make(NodeId id, const IndexTuple& place);
    lowering::Value structure(NodeId id, const Node& node, const IndexTuple& place);
    lowering::Value from_stored(NodeId id, const IndexTuple& place);
    lowering::Value load(int symbol, const IndexTuple& place);
    lowering::Value specified(int symbol, const IndexTuple& place);
    /// The row-major position of an element.
    Halide::Expr position_of(int symbol, const Index& place);
    /// A word of a mask that is in line.
    Halide::Expr word_at(int symbol, const Halide::Expr& index) const;
    /// An element of a list.
    RankedElement ranked(int symbol, const Index& place);
    lowering::Value joined(const Node& node, const IndexTuple& place);
    IndexTuple broadcast_index(NodeId operand, const Shape& shape, const IndexTuple& place);
    IndexTuple place_of_view(NodeId id, const Node& node, const IndexTuple& place);
    std::pair<Halide::Expr, Halide::Expr> divided(const Halide::Expr& index,
                                                  const Halide::Expr& extent) const;
    IndexTuple place_of_reshape(NodeId id, const Node& node, const IndexTuple& place);
    IndexTuple place_of_gather(const Node& node, const IndexTuple& place);

    bool are_joined_alike(NodeId id, NodeId other) const;
    /// Vectors and, where there is enough to do, threads for a Func without updates.
    void schedule_elementwise(Halide::Func& func, NodeId id);
    void schedule_part(Halide::Stage loop, NodeId part, std::size_t own, const Halide::RVar& along,
                       bool is_of_row);

    // expression_funcs.cpp
    const Stored& stored(NodeId id);
    Halide::Expr load(const Stored& stored, const IndexTuple& place) const;
    ReductionLoops loops_of(NodeId id);
    Halide::Expr extent_of_terms(const Node& node, const Shape& shape, std::size_t dim);
    Halide::Func folded(const ReductionLoops& loops, const std::vector<Accumulation>& folds);
    void reduce(NodeId id);
    Stored keep(NodeId id, const Node& node);
    Stored position(NodeId id, const Node& node);
    Stored scatter(NodeId id, const Node& node);
    Accumulation fold_of(const Node& node, Reduction reduction);
    void bound(Halide::Func& func, NodeId id);

    // expression_product.cpp
    Stored contraction(NodeId id, const Node& node);
    ProductLoops product_loops(NodeId id, const Node& node);
    ProductFactors product_factors(const Node& node, const ProductLoops& loops);
    Halide::Expr rows_in_cache();
    lowering::Value nonzero_at(NodeId id, const IndexTuple& place);
    NodeId wanted_where(NodeId id) const;
    lowering::Value tile_of_result(NodeId id, const Node& node);
    void schedule_row_tiles(Halide::Func& result, const Shape& shape);
    void take_masks(const Node& node, const Shape& shape, const ProductLoops& loops, ProductFactors& factors);

    // expression_scan.cpp
    Stored scan(NodeId id, const Node& node);
    Stored scan_rows(NodeId id, const Node& node, const Accumulation& how);
    Halide::Func scan_blocks(NodeId id, const Node& node, const Accumulation& how);
    Stored scan_columns(NodeId id, const Node& node, const Accumulation& how);
    using ScanStep = std::function<lowering::Value(const lowering::Value& total, const IndexTuple& place)>;
    void scan_along(Halide::Func& func, const Halide::RDom& along, NodeId id, const Node& node,
                    const Accumulation& how, const ScanStep& combined);
    Stored recurrence(NodeId id, const Node& node, const Accumulation& how);
    void place_scan(Halide::Func func, NodeId id, const Halide::Var& rows);

    Halide::Expr size(SizeSlot slot);

    const Graph& graph_;
    const Specialization& form_;
    const bool on_device_;
    Extents extents_;
    NumberParams numbers_;
    std::set<NumberPlace> of_call_;
    std::vector<Halide::ImageParam> values_, masks_;  // by symbol
    Halide::ImageParam list_;                         // of rows
    std::vector<bool> is_single_;                     // by symbol: it has one element
    std::vector<NodeId> shaped_;                      // by symbol: a node of its shape
    std::vector<SizeSlot> sizes_;
    std::vector<Halide::Param<int>> size_params_;
    std::map<std::pair<NodeId, IndexTuple>, lowering::Value> memo_;
    std::map<std::pair<NodeId, IndexTuple>, IndexTuple> moved_;
    std::map<std::pair<std::vector<bool>, IndexTuple>, IndexTuple> broadcast_;
    std::map<NodeId, Stored> stored_;
    ReductionGroups groups_;
    RowFusion rows_;
    std::set<NodeId> in_memory_;
    std::vector<Halide::Func> row_funcs_;  // computed for a row of the result at a time
    std::vector<std::string> prefetching_;
    std::optional<TiledProduct> tile_;  // by whose tiles the result is stored
    LoopKinds kinds_;
};

/// True if loops over a tensor have vectors.  Where the innermost extent is 1 they have none: Halide stores
/// the only element of a Func by a masked vector, as if its memory were aligned to one, which it is not.
inline bool has_vectors(const Shape& shape) { return !shape.empty() && shape.back() != 1; }
/// Rows of the tiles of matrix products.
inline int rows_of_tile(const Specialization& form) {
    return form.schedule.product_rows != 0 ? form.schedule.product_rows : rows_of_tile(form.lanes);
}

}  // namespace frisket::codegen
