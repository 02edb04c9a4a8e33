// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../value.hpp"
#include "extents.hpp"
#include "fold.hpp"
#include "groups.hpp"
#include "nest.hpp"
#include "storing.hpp"

namespace frisket {

/// Turns nodes into expressions at an index.  What moves elements becomes arithmetic of indices; reductions,
/// running sums and scatters become Funcs of their own, computed before what reads them.
class NestLowerer {
public:
    NestLowerer(const Graph& graph, const HostNumbers& numbers, const NestForm& form);

    /// A node at an index, in its own dtype.
    lowering::Value at(NodeId id, const Place& place);
    /// The same in the dtype of what reads it; numbers of the host too.
    lowering::Value read(NodeId id, DType dtype, const Place& place);
    /// An operand of `node`, which stands at `place` and broadcasts it.
    lowering::Value operand(const Node& node, int i, const Place& place);
    /// The element of operand 0 that `node` moves from there.
    lowering::Value moved(const Node& node, const Place& from);

    /// Whether a masked node is specified at an index.
    lowering::Value mask(NodeId id, const Place& place) {
        const NodeId mask = graph_[id].mask;
        return at(mask, seen_from(mask, graph_[id].shape, place));
    }

    /// Indices 0, 1, … of a node: variables, innermost last.
    static Place pure(const Shape& shape);
    /// The same innermost first, as Halide has its dimensions.
    static std::vector<Halide::Var> variables(const Shape& shape);

    Halide::Expr extent(NodeId id, int dim);
    Halide::Expr offset(NodeId id, int index);
    /// A coefficient of a view.
    Halide::Expr step(NodeId id, std::size_t index);

    std::vector<Halide::Argument> arguments() const;
    const std::vector<SizeSlot>& sizes() const { return sizes_; }

    /// Nodes with memory of their own that loops could do without.
    const std::set<NodeId>& in_memory() const { return in_memory_; }

private:
    /// A value of a Func that is computed before what reads it.
    struct Stored {
        Halide::Func func;
        int component = 0;
        DType dtype = DType::float64;
    };

    lowering::Value make(NodeId id, const Place& place);
    lowering::Value structure(NodeId id, const Node& node, const Place& place);
    lowering::Value from_stored(NodeId id, const Place& place);
    lowering::Value load(int symbol, const Place& place) const;
    lowering::Value specified(int symbol, const Place& place) const;
    lowering::Value joined(const Node& node, const Place& place);
    Place seen_from(NodeId operand, const Shape& shape, const Place& place);
    Place place_of_view(NodeId id, const Node& node, const Place& place);
    Place place_of_reshape(NodeId id, const Node& node, const Place& place);
    Place place_of_take(const Node& node, const Place& place);

    // funcs.cpp
    const Stored& stored(NodeId id);
    Halide::Expr load(const Stored& stored, const Place& place) const;
    FoldLoops loops_of(const Node& node);
    void reduce(NodeId id);
    Stored keep(NodeId id, const Node& node);
    Stored position(NodeId id, const Node& node);
    Stored scan(NodeId id, const Node& node);
    Stored scatter(NodeId id, const Node& node);
    Fold fold_of(const Node& node, Reduction reduction);
    void bound(Halide::Func& func, NodeId id);

    Halide::Expr size(SizeSlot slot);

    const Graph& graph_;
    const HostNumbers& host_;
    const NestForm& form_;
    Extents extents_;
    std::vector<Halide::Param<void>> numbers_;
    std::set<NumberPlace> of_call_;
    std::vector<Halide::ImageParam> values_, masks_;  // by symbol
    std::vector<SizeSlot> sizes_;
    std::vector<Halide::Param<int>> size_params_;
    std::map<std::pair<NodeId, Place>, lowering::Value> memo_;
    std::map<std::pair<NodeId, Place>, Place> moved_;
    std::map<std::pair<std::vector<bool>, Place>, Place> broadcast_;
    std::map<NodeId, Stored> stored_;
    ReductionGroups groups_;
    std::set<NodeId> in_memory_;
};

/// Vectors and, where there is enough to do, threads for a Func without updates.
void schedule_elementwise(Halide::Func& func, const Shape& shape, const NestForm& form);

}  // namespace frisket
