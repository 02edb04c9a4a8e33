// SPDX-License-Identifier: MIT
#include "transforms.hpp"

#include <algorithm>
#include <utility>

#include "../at.hpp"
#include "../rewrite.hpp"

namespace frisket {

namespace {

/// A graph without masks, made instruction by instruction.
class Unmasker {
public:
    NodeId operator()(Rewriter& to, NodeId old, Node node) {
        const bool is_true = stays_true(node);
        const NodeId id = made(to, to.from()[old], std::move(node));
        if (is_true) true_.push_back(id);
        return id;
    }

private:
    bool is_true(NodeId id) const { return std::ranges::find(true_, id) != true_.end(); }

    /// Whether a mask made like this specifies everything, as those it is made of.
    bool stays_true(const Node& node) const {
        if (node.kind == NodeKind::mask_of) return true;
        const bool is_union = node.kind == NodeKind::reduce && node.reduction == Reduction::any;
        const bool is_meeting = node.kind == NodeKind::op &&
                                (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::LogicalOr>);
        const bool moves = node.kind == NodeKind::view || node.kind == NodeKind::reshape ||
                           node.kind == NodeKind::on || node.kind == NodeKind::cast;
        if (node.dtype != DType::boolean || !(is_union || is_meeting || moves)) return false;
        return std::ranges::all_of(node.operands,
                                   [&](NodeId operand) { return operand == no_node || is_true(operand); });
    }

    static bool has_where(NodeKind kind) {
        return kind == NodeKind::reduce || kind == NodeKind::scan || kind == NodeKind::scatter ||
               kind == NodeKind::scatter_view;
    }

    NodeId made(Rewriter& to, const Node& old, Node node) const {
        node.mask = no_node;
        switch (node.kind) {
            case NodeKind::mask_of: return everything(to, node.shape);
            case NodeKind::symbol: return old.mask == no_node ? to.add(node) : zeros_elsewhere(to, old, node);
            case NodeKind::to_dense: return node.operands[0];
            // A number stays one; of other operands `on` may make more elements, as this cast does.
            case NodeKind::on:
                return node.is_host_scalar ? node.operands[0]
                                           : to.add(Node{.kind = NodeKind::cast,
                                                         .dtype = node.dtype,
                                                         .operands = {node.operands[0]},
                                                         .shape = node.shape});
            default: break;
        }
        if (!is_elementwise(node.kind) && !old.operands.empty() &&
            to.from()[old.operands[0]].kind == NodeKind::on && to[to.now(old.operands[0])].is_host_scalar)
            raise(ErrorCode::value, to.from().name +
                                        ": the dense equivalent of a reduction of on(m, number) is not "
                                        "known: write count(m), times the number");
        if (has_where(node.kind) && node.operands[1] != no_node && is_true(node.operands[1]))
            node.operands[1] = no_node;
        return to.add(std::move(node));
    }

    static NodeId everything(Rewriter& to, const Shape& shape) {
        Node yes{.kind = NodeKind::constant, .dtype = DType::boolean, .is_host_scalar = true};
        yes.constant = 1;
        return to.add(
            Node{.kind = NodeKind::cast, .dtype = DType::boolean, .operands = {to.add(yes)}, .shape = shape});
    }

    static NodeId zeros_elsewhere(Rewriter& to, const Node& old, Node node) {
        node.mask = to.add(to.from()[old.mask]);
        const Shape shape = node.shape;
        const DType dtype = strong(node.type()).dtype;
        const NodeId zero =
            to.add(Node{.kind = NodeKind::constant, .dtype = DType::int64, .is_host_scalar = true});
        const NodeId masked = to.add(std::move(node));
        return to.add(
            Node{.kind = NodeKind::to_dense, .dtype = dtype, .operands = {masked, zero}, .shape = shape});
    }

    std::vector<NodeId> true_;  // instructions of the copy that are true everywhere
};

}  // namespace

Graph dense_equivalent(const Graph& step) {
    Rewriter to(step);
    to.copy(Unmasker());
    Graph& copy = to.finish();
    for (Update& update : copy.updates) update.mask = no_node;
    copy.equal_masks.clear();
    std::erase_if(copy.checks, [](const Check& check) { return check.code == ErrorCode::mask_mismatch; });
    prune(copy);
    return std::move(copy);
}

Graph scaled_gradient(const Graph& step, std::string_view masked) {
    const auto symbol = std::ranges::find(step.symbols, masked, &Symbol::name);
    if (symbol == step.symbols.end() || symbol->kind != SymbolKind::masked)
        raise(ErrorCode::binding,
              step.name + ": " + std::string(masked) + " is no Masked symbol of the step");
    const auto index = static_cast<int>(symbol - step.symbols.begin());
    Rewriter to(step);
    const NodeId factor = to.add_scalar(gradient_factor, DType::float64, "scaling"),
                 limit = to.add_scalar(gradient_limit, DType::float64, "scaling");
    const NodeId lowest = to.add(Node{.kind = NodeKind::op,
                                      .op = op_id<op::Neg>,
                                      .dtype = DType::float64,
                                      .is_host_scalar = true,
                                      .operands = {limit}});
    to.copy([&](Rewriter& copy, NodeId /*old*/, Node node) {
        const bool is_gradient = node.kind == NodeKind::symbol && node.symbol == index;
        const NodeId read = copy.add(node);
        if (!is_gradient) return read;
        const auto then = [&](OpId op, NodeId a, NodeId b) {
            return copy.add(Node{.kind = NodeKind::op,
                                 .op = op,
                                 .dtype = node.type().dtype,
                                 .operands = {a, b},
                                 .mask = node.mask,
                                 .shape = node.shape});
        };
        const NodeId scaled = then(op_id<op::Mul>, read, factor);
        return then(op_id<op::Minimum>, then(op_id<op::Maximum>, scaled, lowest), limit);
    });
    return std::move(to.finish());
}

namespace {

/// Puts what a target's updates make of each other in one, rounded once.
class Merger {
public:
    Merger(const Graph& step, int target) : target_(target) {
        for (const Update& update : step.updates)
            if (update.symbol == target) updates_.push_back(update);
        is_one_ = std::ranges::all_of(updates_, [&](const Update& update) {
            return updates_.back().mask == no_node || update.mask == updates_.back().mask;
        });
    }

    bool is_one() const { return is_one_; }

    NodeId operator()(Rewriter& to, NodeId /*old*/, Node node) const {
        const bool is_read = node.kind == NodeKind::symbol && node.symbol == target_;
        if (!is_one_ || !is_read || node.version == 0) return to.add(std::move(node));
        return node.version < static_cast<int>(updates_.size()) ? between(to, node, node.version)
                                                                : after(to, std::move(node));
    }

private:
    static NodeId after(Rewriter& to, Node node) {
        node.version = 1;
        return to.add(std::move(node));
    }
    /// What the target holds after some of its updates, not rounded.
    NodeId between(Rewriter& to, const Node& read, int version) const {
        if (version == 0) {
            Node before = read;
            before.version = 0;
            return to.add(std::move(before));
        }
        const Update& update = updates_[at(version - 1)];
        const NodeId value = to.now(update.value);
        if (update.mask == no_node)
            return to.add({.kind = NodeKind::cast,
                           .dtype = read.type().dtype,
                           .operands = {value},
                           .shape = read.shape});
        return to.add({.kind = NodeKind::op,
                       .op = op_id<op::Where>,
                       .dtype = read.type().dtype,
                       .operands = {to.now(update.mask), value, between(to, read, version - 1)},
                       .shape = read.shape});
    }

    int target_;
    std::vector<Update> updates_;
    bool is_one_ = false;
};

}  // namespace

Graph stochastic_rounding(const Graph& step, std::string_view target) {
    const auto symbol = std::ranges::find(step.symbols, target, &Symbol::name);
    if (symbol == step.symbols.end() || symbol->kind != SymbolKind::in_out)
        raise(ErrorCode::binding, step.name + ": " + std::string(target) + " is no InOut symbol of the step");
    if (symbol->dtype != DType::float16 && symbol->dtype != DType::bfloat16)
        raise(ErrorCode::dtype, step.name + ": " + std::string(target) + " is " +
                                    std::string(name_of(symbol->dtype)) +
                                    ", wanted float16 or bfloat16: others are not rounded stochastically");
    const auto index = static_cast<int>(symbol - step.symbols.begin());
    Rewriter to(step);
    const NodeId seed = to.add_scalar(rounding_seed, DType::int64, "stochastic rounding"),
                 number = to.add_scalar(rounding_step, DType::int64, "stochastic rounding");
    const Merger merger(step, index);
    to.copy(merger);
    Graph& copy = to.finish();
    auto left = std::ranges::count(copy.updates, index, &Update::symbol);
    std::erase_if(copy.updates, [&](const Update& update) {
        return update.symbol == index && left-- > 1 && merger.is_one();
    });
    for (Update& update : copy.updates) {
        if (update.symbol != index) continue;
        update.seed = seed;
        update.step = number;
    }
    prune(copy);
    return std::move(copy);
}

}  // namespace frisket
