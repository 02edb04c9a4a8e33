// SPDX-License-Identifier: MIT
#include "../../ops/meanings.hpp"
#include "../../tensor_ops/term.hpp"
#include "rules.hpp"

#include <array>
#include <vector>

/// Derivatives of the operations of the table, from their meanings.
namespace frisket::ir {

namespace {

using terms::Term;

/// Gradient of operand `i`, from these terms: the result's gradient, the result, then the operands.
using Derivative = Term (*)(int i, const std::vector<Term>& terms);

template <class Op, int I, std::size_t... Operand>
Term from_row(const std::vector<Term>& terms, std::index_sequence<Operand...> /*operands*/) {
    return op::Meaning<Op>::template derivative<I>(terms[0], terms[1], terms[2 + Operand]...);
}

template <class Op>
Term derivative_of(int i, const std::vector<Term>& terms) {
    constexpr auto operands = std::make_index_sequence<static_cast<std::size_t>(Op::info.arity)>{};
    if constexpr (Op::info.arity == 1)
        return from_row<Op, 0>(terms, operands);
    else
        return i == 0 ? from_row<Op, 0>(terms, operands) : from_row<Op, 1>(terms, operands);
}

/// Derivatives of the table's rows.  `where` has none here: only masks determine the branch of an element.
template <class Op>
constexpr Derivative traits_of() {
    if constexpr (Op::info.gradient == Gradient::formula && Op::info.mask != MaskRule::branch)
        return &derivative_of<Op>;
    else
        return nullptr;
}

template <class... Op>
constexpr auto table(OpList<Op...> /*all*/) {
    return std::array<Derivative, sizeof...(Op)>{traits_of<Op>()...};
}

/// The gradient of the branches of where(condition, x, y), of which the other one is not reached.
Value branch_gradient(Value result, int i, Value gradient) {
    const Value condition = broadcast_to(bare(operand(result, 0)), Shape(result.shape()));
    const Value is_taken = i == 1 ? condition : apply<op::LogicalNot>({condition});
    if (result.node().path != GradientPath::everywhere) return restricted(gradient, is_taken);
    const Value share = choose(is_taken, bare(gradient), number(*result.graph, 0.0));
    return with_mask(share, mask_or_none(gradient));
}

/// Elements that are equal to a limit, a number, have all of the gradient: the number takes no share.
Value limit_gradient(Value result, int i, Value gradient, Value share) {
    const Value x = bare(operand(result, i)), limit = operand(result, 1 - i);
    return choose(apply<op::Eq>({x, limit}), bare(gradient), share);
}

bool is_limit(const Node& node) {
    return node.op == op_id<op::Minimum> || node.op == op_id<op::Maximum> || node.op == op_id<op::Fmin> ||
           node.op == op_id<op::Fmax>;
}

Value elementwise_gradient(Value result, int i, Value gradient) {
    static constexpr auto derivatives = table(Ops{});
    const Node node = result.node();
    const Derivative derivative = derivatives[static_cast<std::size_t>(node.op)];
    const auto mask = mask_or_none(gradient);
    std::vector<Term> terms{{bare(gradient)}, {bare(result)}};
    for (std::size_t k = 0; k < node.operands.size(); ++k)
        terms.push_back({bare(operand(result, static_cast<int>(k)))});
    if (derivative == nullptr) return with_mask(apply<op::Zero>({bare(result)}), mask);
    Value share = derivative(i, terms).value;
    if (is_limit(node) && operand(result, 1 - i).node().is_host_scalar)
        share = limit_gradient(result, i, gradient, share);
    return with_mask(share, mask);
}

}  // namespace

Value op_gradient(Value result, int i, Value gradient) {
    const Value there = restricted(gradient, mask_or_none(result));
    const bool is_choice = info_of(result.node().op).mask == MaskRule::branch;
    const Value share =
        is_choice ? branch_gradient(result, i, there) : elementwise_gradient(result, i, there);
    const Value input = operand(result, i);
    return cast(sum_to(share, Shape(input.shape())), input.dtype());
}

}  // namespace frisket::ir
