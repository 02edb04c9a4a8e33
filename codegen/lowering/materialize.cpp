// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "materialize.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/made_once.hpp"
#include "elementwise.hpp"

namespace frisket::codegen {

namespace {

/// Expressions that all readers of a node may hold together before it is stored.
constexpr std::int64_t most_copied = 600;
/// Expressions that a second loop over a row computes again rather than read them.
constexpr std::int64_t most_copied_in_row = 30;
/// Cost of a dimension of a reshape: vectors of indices are divided lane by lane.
constexpr std::int64_t division = 30;
/// Maximum depth of indirect loads.  Halide's bounds inference visits an index twice, so depth n costs 2^n.
constexpr int most_nested = 6;
/// Maximum number of positions that are told apart.
constexpr std::size_t most_places = 64;
/// Key of a position at which a loop reads: equal for equal indices.
using PlaceKey = std::uint64_t;

PlaceKey mix(PlaceKey place, std::int64_t how) {
    PlaceKey key = place ^ (static_cast<PlaceKey>(how) + 0x9e3779b97f4a7c15U + (place << 6) + (place >> 2));
    key *= 0xff51afd7ed558ccdU;
    return key ^ (key >> 33);
}

/// The place of an operand that `shape` broadcasts, as ExpressionLowerer::broadcast_index.
PlaceKey broadcast_index(const Shape& own, const Shape& shape, PlaceKey place) {
    const std::size_t added = shape.size() - own.size();
    bool changes = added > 0;
    PlaceKey seen = mix(place, static_cast<std::int64_t>(added));
    for (std::size_t d = 0; d < own.size(); ++d) {
        const bool is_repeated = own[d] == 1 && shape[d + added] != 1;
        seen = mix(seen, is_repeated ? 1 : 0);
        changes = changes || is_repeated;
    }
    return changes ? seen : place;
}

bool moves(NodeKind kind) {
    return kind == NodeKind::reshape || kind == NodeKind::gather || kind == NodeKind::cat;
}

/// True if storing may help: views and casts are as cheap as loads.
bool may_be_stored(const Node& node) {
    return !node.is_host_scalar &&
           (node.kind == NodeKind::op || node.kind == NodeKind::to_dense || moves(node.kind));
}

class Reads {
public:
    Reads(const Graph& graph, const ReductionGroups& groups) : graph_(graph), groups_(groups) {}

    /// `visit(operand, place)` for operands that are read for a node at an index; a node with loops of its
    /// own reads at their indices.
    template <class Visit>
    void of(NodeId id, PlaceKey place, Visit&& visit) const {
        const Node& node = graph_[id];
        const auto aligned = [&](NodeId operand, const Shape& shape, PlaceKey at) {
            if (operand != no_node && !graph_[operand].is_host_scalar)
                visit(operand, broadcast_index(graph_[operand].shape, shape, at));
        };
        if (info_of(node.kind).accumulates) {
            const PlaceKey at = mix(0, loop_of(id));
            const Shape shape = reduced_shape(graph_, node);
            for (const NodeId operand : node.operands) aligned(operand, shape, at);
        } else if (is_move(node.kind)) {
            visit(node.operands[0], mix(place, id));
        } else if (node.kind == NodeKind::cat) {
            for (std::size_t i = 0; i < node.operands.size(); ++i)
                visit(node.operands[i], mix(mix(place, id), static_cast<std::int64_t>(i)));
        } else if (node.kind == NodeKind::gather) {
            for (std::size_t i = 1; i < node.operands.size(); ++i)
                aligned(node.operands[i], node.shape, place);
            visit(node.operands[0], mix(place, id));
        } else {
            for_each_aligned(graph_, node, [&](NodeId operand) { aligned(operand, node.shape, place); });
        }
    }

private:
    /// Reductions of a group are one loop.
    std::int64_t loop_of(NodeId id) const {
        const Node& node = graph_[id];
        return ReductionGroups::takes(node) ? groups_.of(id).front() : id;
    }

    const Graph& graph_;
    const ReductionGroups& groups_;
};

/// Counts the expressions of an operation, of which some have hundreds.
class Counter final : public Halide::Internal::IRGraphVisitor {
public:
    std::int64_t count = 0;

private:
    void include(const Halide::Expr& e) override {
        ++count;
        Halide::Internal::IRGraphVisitor::include(e);
    }
};

std::int64_t size_of_op(OpId op, DType dtype) {
    static constinit runtime::Mutex mutex;
    auto& known = runtime::made_once([] { return std::map<std::pair<OpId, DType>, std::int64_t>(); });
    const std::lock_guard lock(mutex);
    const auto [at, is_new] = known.try_emplace({op, dtype}, 0);
    if (!is_new) return at->second;
    std::vector<lowering::Value> operands;
    for (int i = 0; i < info_of(op).arity; ++i) {
        const DType own = i == 0 && op == op_id<op::Where> ? DType::boolean : dtype;
        operands.push_back(
            {Halide::Internal::Variable::make(lowering::expr_type(own), "x" + std::to_string(i))});
    }
    Counter counter;
    apply_op(op, operands).expr.accept(&counter);
    return at->second = counter.count;
}

std::int64_t own_size(const Graph& graph, const Node& node) {
    const auto rank = static_cast<std::int64_t>(node.shape.size());
    if (node.kind == NodeKind::op)
        return size_of_op(node.op, operand_dtype(graph, node, info_of(node.op).arity - 1));
    if (node.kind == NodeKind::reshape)
        return division * (rank + static_cast<std::int64_t>(graph[node.operands[0]].shape.size()));
    if (moves(node.kind)) return 6 * static_cast<std::int64_t>(node.operands.size());
    return 1 + rank;
}

/// Tells if an operation takes longer than a load: a quotient, a root, or a function of many expressions.
bool is_slow(const Node& node) {
    constexpr std::int64_t few = 8;  // expressions
    if (node.kind != NodeKind::op || !info_of(node.dtype).is_float) return false;
    return node.op == op_id<op::Div> || node.op == op_id<op::Reciprocal> || node.op == op_id<op::Sqrt> ||
           node.op == op_id<op::Rsqrt> || size_of_op(node.op, node.dtype) > few;
}

/// Tells if `shape` repeats whole rows of `own`.  Numbers that `shape` repeats along a row do not count:
/// compilers move operations on such numbers out of the loop.
bool repeats_rows(const Shape& own, const Shape& shape) {
    if (own.empty() || own.back() == 1) return false;
    const std::size_t added = shape.size() - own.size();
    for (std::size_t d = 0; d + 1 < shape.size(); ++d)
        if (shape[d] != 1 && (d < added || own[d - added] == 1)) return true;
    return false;
}

/// Nodes that are slow to compute, and that a loop over repeated rows of them would compute for each.
std::set<NodeId> slow_in_repeated_rows(const Graph& graph) {
    std::vector<bool> slow;
    std::set<NodeId> found;
    for (const Node& node : graph.nodes) {
        const bool is_inlined = may_be_stored(node) || node.kind == NodeKind::cast;
        bool is_slow_here = is_inlined && is_slow(node);
        for (const NodeId operand : node.operands) {
            if (!is_inlined || operand == no_node || !slow[static_cast<std::size_t>(operand)]) continue;
            is_slow_here = true;
            if (repeats_rows(graph[operand].shape, node.shape)) found.insert(operand);
        }
        slow.push_back(is_slow_here);
    }
    return found;
}

/// Stores the node that takes elements, or its indices, where loads would be nested too deeply otherwise.
class Nesting {
public:
    explicit Nesting(const Graph& graph) : graph_(graph) {
        for (const Node& node : graph.nodes) depth_.push_back(depth(node));
    }
    const std::set<NodeId>& stored() const { return stored_; }

private:
    int depth(const Node& node) {
        if (node.is_host_scalar || node.symbol >= 0 || info_of(node.kind).accumulates)
            return node.is_host_scalar ? 0 : 1;
        if (node.kind == NodeKind::gather) return depth_of_gather(node);
        int deepest = 0;
        for_each_aligned(graph_, node, [&](NodeId operand) { deepest = std::max(deepest, of(operand)); });
        return deepest;
    }

    int depth_of_gather(const Node& node) {
        const std::span indices = std::span(node.operands).subspan(1);
        const auto deepest = [&] {
            int most = 0;
            for (const NodeId index : indices) most = std::max(most, of(index));
            return most;
        };
        const NodeId from = node.operands[0];
        if (of(from) + deepest() > most_nested) store(from);
        for (const NodeId index : indices)
            if (of(from) + of(index) > most_nested) store(index);
        return of(from) + deepest();
    }

    void store(NodeId id) {
        if (of(id) <= 1) return;
        stored_.insert(id);
        depth_[static_cast<std::size_t>(id)] = 1;
    }

    int of(NodeId id) const { return id == no_node ? 0 : depth_[static_cast<std::size_t>(id)]; }

    const Graph& graph_;
    std::vector<int> depth_;  // for each node: depth of nested loads
    std::set<NodeId> stored_;
};

/// The expressions in a loop that computes a node at one index, counted up to `most`.
std::int64_t inlined_size(const Graph& graph, const Reads& reads, NodeId id, std::int64_t most) {
    std::set<std::pair<NodeId, PlaceKey>> seen;
    std::vector<std::pair<NodeId, PlaceKey>> open{{id, 0}};
    std::int64_t size = 0;
    while (!open.empty() && size <= most) {
        const auto [node, place] = open.back();
        open.pop_back();
        if (!seen.emplace(node, place).second) continue;
        size += own_size(graph, graph[node]);
        if (info_of(graph[node].kind).accumulates) continue;
        reads.of(node, place, [&](NodeId operand, PlaceKey at) { open.emplace_back(operand, at); });
    }
    return size;
}

/// `most_inlined`: 0 for the numbers above.
bool is_stored(const Graph& graph, const Reads& reads, NodeId id, std::size_t places, bool is_in_row,
               int most_inlined) {
    if (places < 2 || !may_be_stored(graph[id])) return false;
    const std::int64_t in_row = most_inlined != 0 ? most_inlined : most_copied_in_row;
    const std::int64_t all = most_inlined != 0 ? most_inlined : most_copied;
    const std::int64_t most = is_in_row ? in_row : all / static_cast<std::int64_t>(places);
    return inlined_size(graph, reads, id, most) > most;
}

}  // namespace

// From the results down: a node is looked at when all that read it have been.
std::set<NodeId> nodes_to_store(const Graph& graph, const ReductionGroups& groups, const RowFusion& rows,
                                int most_inlined) {
    const Reads reads(graph, groups);
    std::vector<std::set<PlaceKey>> places(graph.nodes.size());
    const auto use = [&](NodeId id, PlaceKey place) {
        if (id == no_node) return;
        auto& own = places[static_cast<std::size_t>(id)];
        if (own.size() < most_places) own.insert(place);
    };
    for (const NodeId result : graph.results) {
        use(result, mix(1, result));
        use(graph[result].mask, mix(1, result));
    }
    for (const Check& check : graph.checks) use(check.bad, mix(1, check.bad));
    std::set<NodeId> stored = Nesting(graph).stored();
    stored.merge(slow_in_repeated_rows(graph));
    for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
        std::set<PlaceKey> own = std::move(places[static_cast<std::size_t>(id)]);
        if (own.empty()) continue;
        // One number of a row is made again wherever it is read: compilers take it out of the loop.
        const bool is_in_row = rows.contains(id) && static_cast<int>(graph[id].shape.size()) > rows.rank();
        const bool is_kept =
            stored.contains(id) || (!info_of(graph[id].kind).accumulates &&
                                    is_stored(graph, reads, id, own.size(), is_in_row, most_inlined));
        if (is_kept) stored.insert(id);
        if (is_kept || info_of(graph[id].kind).accumulates) own = {mix(2, id)};
        for (const PlaceKey place : own) reads.of(id, place, use);
    }
    return stored;
}

}  // namespace frisket::codegen
