// SPDX-License-Identifier: MIT
#include "builder_numbers.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace frisket::ir {

namespace {

/// The integers of a dtype.
struct Range {
    std::int64_t least, most;
    bool holds(std::int64_t number) const { return number >= least && number <= most; }
};

template <class T>
constexpr Range range_of_type{std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};

Range range_of(DType dtype) {
    switch (dtype) {
        case DType::uint8: return range_of_type<std::uint8_t>;
        case DType::int32: return range_of_type<std::int32_t>;
        default: return range_of_type<std::int64_t>;
    }
}

bool is_whole(DType dtype) { return !info_of(dtype).is_float && dtype != DType::boolean; }

/// True if elements of a dtype can hold a constant, if need be truncated to an integer.
bool holds(DType dtype, const Node& constant) {
    if (!is_whole(dtype) || constant.dtype == DType::boolean) return true;
    if (constant.dtype == DType::int64) return range_of(dtype).holds(constant.integer);
    const double cut = std::trunc(constant.constant), end = 0x1p63;
    return cut >= -end && cut < end && range_of(dtype).holds(static_cast<std::int64_t>(cut));
}

/// A comparison with its operands exchanged.
OpId mirrored(OpId comparison) {
    if (comparison == op_id<op::Lt>) return op_id<op::Gt>;
    if (comparison == op_id<op::Gt>) return op_id<op::Lt>;
    if (comparison == op_id<op::Le>) return op_id<op::Ge>;
    if (comparison == op_id<op::Ge>) return op_id<op::Le>;
    return comparison;
}

bool is_comparison(OpId op) { return op == op_id<op::Eq> || op == op_id<op::Ne> || mirrored(op) != op; }

}  // namespace

void check_number(const GraphBuilder& graph, DType dtype, NodeId number, std::string_view what) {
    const Node& node = graph[number];
    if (node.kind != NodeKind::constant || holds(dtype, node)) return;
    const std::string text =
        node.dtype == DType::int64 ? std::to_string(node.integer) : graph.written(number);
    graph.fail(ErrorCode::dtype,
               std::string(what) + " is " + text + ", which " + std::string(name_of(dtype)) +
                   " cannot hold, and constants take the dtype of what they meet: write a "
                   "number from " +
                   std::to_string(range_of(dtype).least) + " to " + std::to_string(range_of(dtype).most) +
                   ", or cast<std::int64_t>(x) for the elements");
}

void check_numbers(const GraphBuilder& graph, OpId op, std::span<const NodeId> operands, DType common) {
    const DTypeRule rule = info_of(op).dtype;
    if (rule == DTypeRule::floating || rule == DTypeRule::logical) return;
    for (std::size_t i = rule == DTypeRule::branches ? 1 : 0; i < operands.size(); ++i)
        check_number(graph, common, operands[i],
                     "operand " + std::to_string(i + 1) + " of " + std::string(info_of(op).name));
}

namespace {

/// Compares `elements` with a number that is no constant: the elements with the limit next to the number, and
/// the number with that limit.
NodeId compared(GraphBuilder& graph, OpId op, NodeId elements, NodeId number, DType dtype, MaskMode mode) {
    const NodeId least = graph.constant(range_of(dtype).least), most = graph.constant(range_of(dtype).most);
    const NodeId limited = graph.apply<op::Minimum>({graph.apply<op::Maximum>({number, least}), most});
    const NodeId limit = graph.add(Node{.kind = NodeKind::cast, .dtype = dtype, .operands = {limited}});
    const NodeId made = graph.apply(op, std::array{elements, limit}, mode);
    const auto both = [&](NodeId known) { return graph.apply<op::LogicalAnd>({made, known}); };
    const auto either = [&](NodeId known) { return graph.apply<op::LogicalOr>({made, known}); };
    if (op == op_id<op::Eq>) return both(graph.apply<op::Eq>({number, limited}));
    if (op == op_id<op::Ne>) return either(graph.apply<op::Ne>({number, limited}));
    if (op == op_id<op::Lt>) return either(graph.apply<op::Gt>({number, most}));
    if (op == op_id<op::Gt>) return either(graph.apply<op::Lt>({number, least}));
    if (op == op_id<op::Le>) return both(graph.apply<op::Ge>({number, least}));
    return both(graph.apply<op::Le>({number, most}));
}

}  // namespace

std::optional<NodeId> compared_with_number(GraphBuilder& graph, OpId op, std::span<const NodeId> operands,
                                           DType common, MaskMode mode) {
    if (!is_comparison(op) || common != DType::int32) return {};
    const auto is_wide = [&](NodeId id) {
        const Node& node = graph[id];
        const bool is_held = node.kind == NodeKind::constant && holds(common, node);
        return node.is_host_scalar && node.dtype == DType::int64 && !is_held;
    };
    const bool is_left = is_wide(operands[0]);
    if (!is_left && !is_wide(operands[1])) return {};
    const NodeId number = operands[is_left ? 0 : 1], elements = operands[is_left ? 1 : 0];
    if (is_left) op = mirrored(op);
    if (graph[number].kind != NodeKind::constant) return compared(graph, op, elements, number, common, mode);
    const bool is_above = graph[number].integer > range_of(common).most;
    const bool is_less = op == op_id<op::Lt> || op == op_id<op::Le>,
               is_more = op == op_id<op::Gt> || op == op_id<op::Ge>;
    const bool is_true = op == op_id<op::Ne> || (is_above ? is_less : is_more);
    // All elements are at least the least number, and none is below it.
    const OpId same_for_all = is_true ? op_id<op::Ge> : op_id<op::Lt>;
    return graph.apply(same_for_all, std::array{elements, graph.constant(range_of(common).least)}, mode);
}

}  // namespace frisket::ir
