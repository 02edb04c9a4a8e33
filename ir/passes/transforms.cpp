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
    Unmasker(const Graph& step, ir::Rewriter& to) : step_(step), to_(to) {}

    NodeId operator()(NodeId old) {
        const Node node = to_.copied(old);
        const bool is_true = stays_true(node);
        const NodeId id = made(step_[old], node);
        if (is_true) true_.push_back(id);
        return id;
    }

private:
    bool is_true(NodeId id) const { return std::ranges::find(true_, id) != true_.end(); }

    /// True if a mask made by this node specifies everything when its operand masks do.
    bool stays_true(const Node& node) const {
        if (node.kind == NodeKind::mask_of) return true;
        const bool is_union = node.kind == NodeKind::reduce && node.reduction == Reduction::any;
        const bool is_meeting = node.kind == NodeKind::op &&
                                (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::LogicalOr>);
        const bool is_kept = info_of(node.kind).keeps_elements;
        if (node.dtype != DType::boolean || !(is_union || is_meeting || is_kept)) return false;
        return std::ranges::all_of(node.operands,
                                   [&](NodeId operand) { return operand == no_node || is_true(operand); });
    }

    NodeId made(const Node& old, Node node) const {
        node.mask = no_node;
        switch (node.kind) {
            case NodeKind::mask_of: return cast(to_.constant(true), DType::boolean, node.shape);
            case NodeKind::symbol: return old.mask == no_node ? to_.add(node) : zeros_elsewhere(old, node);
            case NodeKind::to_dense: return node.operands[0];
            case NodeKind::updated: node.operands[update_operand::where] = no_node; break;
            // A number stays a number; from other operands `on` may make more elements, as this cast does.
            case NodeKind::on:
                return node.is_host_scalar ? node.operands[0]
                                           : cast(node.operands[0], node.dtype, node.shape);
            default: break;
        }
        if (!is_elementwise(node.kind) && !old.operands.empty() &&
            step_[old.operands[0]].kind == NodeKind::on && to_[node.operands[0]].is_host_scalar)
            raise(ErrorCode::value, step_.name +
                                        ": the dense equivalent of a reduction of on(m, number) is not "
                                        "known: write count(m), times the number");
        if (info_of(node.kind).accumulates && node.operands[1] != no_node && is_true(node.operands[1]))
            node.operands[1] = no_node;
        return to_.add(std::move(node));
    }

    NodeId cast(NodeId value, DType dtype, const Shape& shape) const {
        return to_.add({.kind = NodeKind::cast, .dtype = dtype, .operands = {value}, .shape = shape});
    }

    NodeId zeros_elsewhere(const Node& old, Node node) const {
        node.mask = to_.add(step_[old.mask]);
        return to_.to_dense(to_.add(std::move(node)), to_.constant(0));
    }

    const Graph& step_;
    ir::Rewriter& to_;
    std::vector<NodeId> true_;  // instructions of the copy that are true everywhere
};

}  // namespace

Graph dense_equivalent(const Graph& step) {
    ir::Rewriter to(step);
    to.graph().equal_masks.clear();
    std::erase_if(to.graph().checks,
                  [](const Check& check) { return check.code == ErrorCode::mask_mismatch; });
    to.rule = Unmasker(step, to);
    to.copy_all();
    return to.finish();
}

Graph scaled_gradient(const Graph& step, std::string_view masked) {
    const auto symbol = std::ranges::find(step.symbols, masked, &Symbol::name);
    if (symbol == step.symbols.end() || symbol->kind != SymbolKind::masked)
        raise(ErrorCode::binding,
              step.name + ": " + std::string(masked) + " is no Masked symbol of the step");
    const auto index = static_cast<int>(symbol - step.symbols.begin());
    ir::Rewriter to(step);
    const NodeId factor = to.add_scalar(gradient_factor, DType::float64, "scaling"),
                 limit = to.add_scalar(gradient_limit, DType::float64, "scaling");
    const NodeId lowest = to.apply<op::Neg>({limit});
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        if (step[old].kind != NodeKind::symbol || step[old].symbol != index) return {};
        const Node node = to.copied(old);
        const auto then = [&](OpId op, NodeId a, NodeId b) {
            return to.add(Node{.kind = NodeKind::op,
                               .op = op,
                               .dtype = node.type().dtype,
                               .operands = {a, b},
                               .mask = node.mask,
                               .shape = node.shape});
        };
        const NodeId scaled = then(op_id<op::Mul>, to.add(node), factor);
        return then(op_id<op::Minimum>, then(op_id<op::Maximum>, scaled, lowest), limit);
    };
    to.copy_all();
    return to.finish();
}

namespace {

/// Combines the successive updates of a target in one update, rounded once.
class Merger {
public:
    /// `seed`, `number`, `first`: nodes of the copy.
    Merger(const Graph& step, int target, ir::Rewriter& to, NodeId seed, NodeId number, NodeId first)
        : step_(step), to_(to), seed_(seed), number_(number), first_(first) {
        for (NodeId id = 0; id < static_cast<NodeId>(step.nodes.size()); ++id)
            if (step[id].kind == NodeKind::updated && step[id].symbol == target) updates_.push_back(id);
        is_one_ = std::ranges::all_of(updates_, [&](NodeId update) {
            return where(updates_.back()) == no_node || where(update) == where(updates_.back());
        });
    }

    std::optional<NodeId> operator()(NodeId old) const {
        const auto place = std::ranges::find(updates_, old);
        if (place == updates_.end()) return {};
        if (is_one_ && old != updates_.back()) return between(step_[old]);
        Node node = to_.copied(old);
        if (is_one_)
            node.operands[update_operand::before] = to_.copy(before(step_[updates_.front()]));
        else
            node.integer = place - updates_.begin();
        node.operands[update_operand::seed] = seed_;
        node.operands[update_operand::step] = number_;
        node.operands[update_operand::first] = first_;
        return to_.add(std::move(node));
    }

private:
    NodeId where(NodeId update) const { return step_[update].operands[update_operand::where]; }
    static NodeId before(const Node& update) { return update.operands[update_operand::before]; }

    /// The value of the target after an update that is not the last, not rounded.
    NodeId between(const Node& update) const {
        const NodeId value = to_.copy(update.operands[update_operand::value]),
                     where = update.operands[update_operand::where];
        if (where == no_node)
            return to_.add({.kind = NodeKind::cast,
                            .dtype = update.type().dtype,
                            .operands = {value},
                            .shape = update.shape});
        return to_.add({.kind = NodeKind::op,
                        .op = op_id<op::Where>,
                        .dtype = update.type().dtype,
                        .operands = {to_.copy(where), value, to_.copy(before(update))},
                        .shape = update.shape});
    }

    const Graph& step_;
    ir::Rewriter& to_;
    NodeId seed_, number_, first_;
    std::vector<NodeId> updates_;  // in their order
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
    ir::Rewriter to(step);
    const NodeId seed = to.add_scalar(rounding_seed, DType::int64, "stochastic rounding"),
                 number = to.add_scalar(rounding_step, DType::int64, "stochastic rounding"),
                 first = to.add_scalar(rounding_first, DType::int64, "stochastic rounding");
    to.rule = Merger(step, index, to, seed, number, first);
    to.copy_all();
    return to.finish();
}

}  // namespace frisket
