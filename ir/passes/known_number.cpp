// SPDX-License-Identifier: MIT
#include "known_number.hpp"

#include "../scalar_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace frisket::ir {

namespace {

KnownNumber small_whole(double number) {
    constexpr double most = 256;  // bfloat16 holds these exactly
    if (!(std::abs(number) <= most) || std::trunc(number) != number) return {};
    return number + 0;  // -0 is 0: no sum tells them apart
}

/// True if a known 0 makes the result 0: in a conjunction, and in a product with finite constants.
bool is_made_zero(const Graph& graph, const Node& node, std::span<const KnownNumber> operands) {
    if (node.kind != NodeKind::op || std::ranges::find(operands, KnownNumber(0)) == operands.end())
        return false;
    if (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::BitwiseAnd>) return true;
    if (node.op != op_id<op::Mul>) return false;
    bool are_finite = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Node& factor = graph[node.operands[i]];
        are_finite = are_finite &&
                     (operands[i] || (factor.kind == NodeKind::constant && std::isfinite(factor.constant)));
    }
    return are_finite;
}

bool is_int(DType dtype) { return dtype == DType::int32 || dtype == DType::int64; }

}  // namespace

KnownNumber known_constant(const Node& constant) {
    return small_whole(is_int(constant.dtype) ? static_cast<double>(constant.integer) : constant.constant);
}

KnownNumber known_result(const Graph& graph, const Node& node, std::span<const KnownNumber> operands) {
    if (is_made_zero(graph, node, operands)) return 0;
    if (!std::ranges::all_of(operands, &KnownNumber::has_value)) return {};
    if (node.kind == NodeKind::cast)
        return node.dtype == DType::boolean ? small_whole(*operands[0] != 0 ? 1 : 0) : operands[0];
    if (node.kind != NodeKind::op) return {};
    const auto computed = [&](DType dtype) { return is_int(dtype) ? DType::int64 : dtype; };
    const DType dtype = computed(operand_dtype(graph, node, static_cast<int>(operands.size()) - 1));
    const ir::host::Operation operation = ir::host::operation(node.op, dtype);
    if (operation == nullptr) return {};
    std::array<double, 3> numbers{};
    for (std::size_t i = 0; i < operands.size(); ++i)
        numbers[i] = computed(operand_dtype(graph, node, static_cast<int>(i))) == DType::int64
                         ? ir::host::put(static_cast<std::int64_t>(*operands[i]))
                         : *operands[i];
    const double result = operation(numbers.data());
    return small_whole(is_int(node.dtype) ? static_cast<double>(ir::host::get<std::int64_t>(result))
                                          : result);
}

}  // namespace frisket::ir
