// SPDX-License-Identifier: MIT
#include "sparse_prologue.hpp"

#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../graph_text.hpp"
#include "../../interpreter/tensor_kernels.hpp"
#include "../permutation.hpp"
#include "../segmented_reduce.hpp"
#include "../spmm.hpp"
#include "../stage_text.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace frisket {

namespace {

/// The evaluation of a node before the residual graph.
enum class NodeAction : std::uint8_t { keep, reduce, move, pass, view_dense, product_mask, product };

AnyTensor in_one_line(std::span<const SparseVector> parts) {
    if (parts.size() == 1) return parts[0].values;
    std::int64_t count = 0;
    for (const SparseVector& part : parts) count += part.list->size();
    AnyTensor made(parts[0].values.dtype(), {count});
    auto* to = static_cast<std::byte*>(made.data());
    for (const SparseVector& part : parts) {
        const auto bytes = static_cast<std::size_t>(part.list->size() * bytes_of(made.dtype()));
        if (bytes != 0) std::memcpy(to, part.values.data(), bytes);
        to += bytes;
    }
    return made;
}

class SparsePrologue {
public:
    SparsePrologue(const Graph& graph, std::span<const Argument> arguments, const IterationSpace& space)
        : graph_(graph), arguments_(arguments), operands_(graph, arguments, space), rest_(graph, arguments) {
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
            if (const auto product = list_product(operands_, id)) products_.emplace(graph[id].mask, *product);
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) ways_.push_back(way_of(id));
    }

    bool is_any() const {
        return std::ranges::any_of(
            ways_, [](NodeAction way) { return way != NodeAction::keep && way != NodeAction::view_dense; });
    }

    std::vector<Result> run(const Executor& executor) {
        std::vector<NodeId> wanted;
        for (NodeId id = 0; id < static_cast<NodeId>(ways_.size()); ++id)
            for (const NodeId operand : read_by(id))
                if (operand != no_node && is_prepared(id, operand)) wanted.push_back(operand);
        std::ranges::sort(wanted);
        const auto twice = std::ranges::unique(wanted);
        wanted.erase(twice.begin(), twice.end());
        operands_.prepare(wanted, executor);
        for (NodeId id = 0; id < static_cast<NodeId>(ways_.size()); ++id) make(id, executor);
        return rest_.run(executor);
    }

private:
    NodeAction way(NodeId id) const { return ways_[static_cast<std::size_t>(id)]; }
    bool will_be_listed(NodeId id) const {
        return way(id) == NodeAction::reduce || way(id) == NodeAction::move || way(id) == NodeAction::pass;
    }
    /// Whether an operand can be had as a list.
    bool can_list(NodeId id) const {
        return operands_.is_list(id) || will_be_listed(id) || operands_.nodes().lists(id);
    }
    bool is_dense(NodeId id) const { return operands_.reads_no_list(id) && graph_[id].mask == no_node; }
    /// True if a matrix is dense, or it and its mask can be had as lists.
    bool can_read(NodeId matrix) const {
        const NodeId mask = graph_[matrix].mask;
        const bool has_list = mask == no_node || operands_.is_list(matrix) || can_list(mask);
        return is_dense(matrix) || (can_list(matrix) && has_list);
    }

    NodeAction way_of(NodeId id) const {
        const Node& node = graph_[id];
        if (const auto product = products_.find(id); product != products_.end())
            if (can_read(product->second.left) && can_read(product->second.right))
                return NodeAction::product_mask;
        if (const auto product = products_.find(node.mask); product != products_.end())
            if (product->second.id == id && way(node.mask) == NodeAction::product_mask)
                return NodeAction::product;
        if (operands_.nodes().reduces(id)) return NodeAction::reduce;
        if (node.kind == NodeKind::cat && node.attributes.size() == 1) {
            const bool is_listed = std::ranges::all_of(node.operands, [&](NodeId x) { return can_list(x); });
            return is_listed ? NodeAction::move : NodeAction::keep;
        }
        if (node.kind != NodeKind::view && node.kind != NodeKind::reshape) return NodeAction::keep;
        const NodeId x = node.operands[0];
        if (keeps_order(graph_, node)) return will_be_listed(x) ? NodeAction::pass : NodeAction::keep;
        if (graph_[x].kind == NodeKind::symbol && graph_[x].mask == no_node && !graph_[x].is_host_scalar &&
            operands_.reads_no_list(x))
            return NodeAction::view_dense;
        return shows_once(node) && can_list(x) ? NodeAction::move : NodeAction::keep;
    }

    std::vector<NodeId> read_by(NodeId id) const {
        switch (way(id)) {
            case NodeAction::reduce:
            case NodeAction::move: return graph_[id].operands;
            case NodeAction::product_mask: return read_by(products_.at(id));
            default: return {};
        }
    }
    std::vector<NodeId> read_by(const ListProduct& product) const {
        return {product.left, graph_[product.left].mask, product.right, graph_[product.right].mask};
    }
    /// Whether an operand is evaluated at the places.
    bool is_prepared(NodeId id, NodeId operand) const {
        if (way(id) == NodeAction::reduce) return true;
        return !operands_.is_list(operand) && !will_be_listed(operand) && !operands_.reads_no_list(operand);
    }

    SparseVector listed(NodeId id) const {
        const SparseVector* const made = rest_.made(id);
        return made != nullptr ? *made : operands_.listed(id);
    }

    void make(NodeId id, const Executor& executor) {
        const Node& node = graph_[id];
        switch (way(id)) {
            case NodeAction::keep: return rest_.keep();
            case NodeAction::reduce: {
                const SparseVector made = reductions_.made(id, rest_);
                rest_.take(made);
                return executor.note([&] { return stage_of(id, Rule::segmented_reduce, as_coo(id, made)); });
            }
            case NodeAction::move: {
                const SparseVector made = moved(id);
                rest_.take(made);
                return executor.note([&] { return stage_of(id, Rule::permutation, as_coo(id, made)); });
            }
            case NodeAction::pass: return rest_.take(SparseVector(*rest_.made(node.operands[0])));
            case NodeAction::view_dense: return rest_.take(view_of_dense(node));
            case NodeAction::product_mask: {
                const ListProduct& product = products_.at(id);
                const AnyMasked made = this->product(product, executor);
                rest_.take_mask_of(made);
                return executor.note([&] { return stage_of(product.id, Rule::spmm, made); });
            }
            case NodeAction::product: return rest_.take_values();
        }
    }

    AnyTensor view_of_dense(const Node& node) const {
        const auto symbol = static_cast<std::size_t>(graph_[node.operands[0]].symbol);
        return tensor_kernels::view(arguments_[symbol].as_masked().values(), node.attributes, node.offsets,
                                    node.shape);
    }

    SparseVector moved(NodeId id) {
        const Node& node = graph_[id];
        std::vector<SparseVector> parts;
        for (const NodeId operand : node.operands) parts.push_back(listed(operand));
        const Permutation& moved = where(node, parts);
        const SparseVector made{.list = moved.list, .values = gathered(in_one_line(parts), moved.entries)};
        const SparseVector* const mask = rest_.made(node.mask);
        return mask != nullptr ? restricted(made, mask->list) : made;
    }

    /// Values and mask go the same way: they share their list.
    const Permutation& where(const Node& node, std::span<const SparseVector> parts) {
        std::vector<std::shared_ptr<const IndexList>> lists;
        std::vector<Shape> shapes;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            lists.push_back(parts[i].list);
            shapes.push_back(graph_[node.operands[i]].shape);
        }
        auto [at, is_new] = moved_.try_emplace({lists, node.shape, node.attributes, node.offsets});
        if (is_new)
            at->second = node.kind == NodeKind::cat
                             ? joined(lists, shapes, static_cast<int>(node.attributes[0]))
                             : viewed(*lists[0], shapes[0], node);
        return at->second;
    }

    AnyMasked product(const ListProduct& product, const Executor& executor) const {
        const DType dtype = graph_[product.id].dtype;
        const auto factor = [&](NodeId id) {
            SparseVector made;
            if (is_dense(id))
                made.values = operands_.dense(id, executor);
            else
                made = specified(id);
            if (!made.values.is_contiguous()) made.values = made.values.clone();
            made.values = tensor_kernels::convert(made.values, dtype);
            return made;
        };
        const Shape& terms = graph_[graph_[product.id].operands[0]].shape;
        return multiplied({.left = factor(product.left),
                           .right = factor(product.right),
                           .rows = terms[0],
                           .inner = terms[1],
                           .columns = terms[2]});
    }

    AnyMasked as_coo(NodeId id, const SparseVector& made) const {
        return AnyMasked::indexed(Layout::coo, graph_[id].shape, made.list, made.values);
    }
    /// The list kernel that has made a node, which the residual graph reads by a new name.
    PlanStage stage_of(NodeId id, Rule rule, const AnyMasked& made) const {
        PlanStage stage{.rule = rule,
                        .space = places_text(operands_.places()),
                        .body = expression_text(graph_, id, body_depth),
                        .makes = {stage_tensor(rest_.last_name(), made)},
                        .why = "the operands are lists, and the result is one"};
        for (const NodeId operand : graph_[id].operands)
            if (operand != no_node && rule != Rule::spmm)
                stage.reads.push_back({expression_text(graph_, operand, 1), "at the positions"});
        return stage;
    }

    /// What is listed of a masked matrix, as its mask says.
    SparseVector specified(NodeId id) const {
        const SparseVector made = listed(id);
        const NodeId mask = graph_[id].mask;
        return mask == no_node || operands_.is_list(id) ? made : restricted(made, listed(mask).list);
    }

    const Graph& graph_;
    std::span<const Argument> arguments_;
    SparseOperands operands_;
    ResidualGraph rest_;
    ListReductions reductions_{operands_};
    std::vector<NodeAction> ways_;            // of each instruction
    std::map<NodeId, ListProduct> products_;  // by their masks
    std::map<std::tuple<std::vector<std::shared_ptr<const IndexList>>, Shape, std::vector<std::int64_t>,
                        std::vector<std::int64_t>>,
             Permutation>
        moved_;
};

}  // namespace

std::optional<std::vector<Result>> run_sparse_prologue(const Graph& graph,
                                                       std::span<const Argument> arguments,
                                                       const IterationSpace& space,
                                                       const Executor& executor) {
    SparsePrologue lists(graph, arguments, space);
    if (!lists.is_any()) return {};
    return lists.run(executor);
}

}  // namespace frisket
