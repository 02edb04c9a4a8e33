// SPDX-License-Identifier: MIT
#pragma once
#include "both_ways.hpp"

#include <functional>
#include <map>
#include <span>

/// Steps that apply operations of the table, and their comparison with the interpreter.
namespace frisket::testing {

/// Bounds for functions that IEEE 754 leaves open: units in the last digit between the loops and the C
/// library. Sums of both errors, the C library's being below 1.
inline double ulps_of(std::string_view name, DType dtype) {
    static const std::map<std::string_view, double> float32{
        {"exp", 3}, {"log", 4}, {"pow", 1}, {"sigmoid", 4}};
    static const std::map<std::string_view, double> float64{{"exp", 1}, {"log", 1}, {"pow", 1}};
    const auto& table = dtype != DType::float64 ? float32 : float64;
    const auto found = table.find(name);
    return found == table.end() ? 0 : found->second;
}

inline bool is_checked(const OpInfo& row, DType dtype) {
    return row.check != ValueCheck::none && !info_of(dtype).is_float;
}

/// op(x, y), or op(x < y, x, y); for integers, divisors and powers are constants.
inline NodeId result_of(GraphBuilder& b, OpId op, DType dtype, NodeId x, NodeId y) {
    const OpInfo& row = info_of(op);
    const auto operand = [&](NodeId value) {
        const bool wants_bool = row.dtype == DTypeRule::logical;
        return wants_bool && info_of(dtype).is_float ? b.apply<op::Gt>({value, b.constant(0.5)}) : value;
    };
    std::vector<NodeId> operands{operand(x), operand(y)};
    if (is_checked(row, dtype)) operands[1] = b.constant(row.check == ValueCheck::divisor ? -3 : 5);
    if (row.dtype == DTypeRule::branches)
        operands.insert(operands.begin(), dtype == DType::boolean ? x : b.apply<op::Lt>({x, y}));
    operands.resize(static_cast<std::size_t>(row.arity));
    return b.apply(op, operands);
}

/// An output for each operation, all masked by x.
inline Graph graph_of(std::span<const OpId> ops, DType dtype) {
    GraphBuilder b("operations");
    const NodeId x = b.symbol("x", SymbolKind::masked, dtype), y = b.symbol("y", SymbolKind::in, dtype);
    b.symbol("copy", SymbolKind::in_out, dtype);
    b.update("copy", b.on(x, y));  // steps of unary operations read y as well
    for (const OpId op : ops) {
        const NodeId result = result_of(b, op, dtype, x, y);
        const std::string out = "out_" + std::string(info_of(op).name);
        b.symbol(out, SymbolKind::in_out, b[result].dtype);
        b.update(out, result);
    }
    return b.finish();
}

inline AnyTensor target_of(DType dtype, const AnyMasked& mask) {
    return dispatch(dtype, [&]<class T>() -> AnyTensor {
        if constexpr (sizeof(T) < 4)
            return random_tensor<bool>(mask.shape(), 8);
        else
            return wild_target<T>(mask, 8);
    });
}

/// Checks that a step of these operations returns the interpreter's results.
template <class T>
void check(std::span<const OpId> ops, double ulps, const Storage& stored, const Compared& step) {
    const Shape shape{1003};
    const AnyMasked x = wild_masked<T>(shape, specified(0.6), stored, 21);
    Trial trial(step);
    trial.reads("x", x).reads("y", wild_tensor<T>(shape, 22));
    for (const Parameter& parameter : step.kernel.signature().parameters)
        if (parameter.kind == SymbolKind::in_out) trial.writes(parameter.name, target_of(parameter.dtype, x));
    INFO(name_of(dtype_of<T>) << ", " << stored.name << ", " << info_of(ops.front()).name << " and others");
    CHECK(trial.difference(ulps) == "");
}

/// Operations that `wanted` takes, in groups of one tolerance, up to the size of one step.
inline std::vector<std::pair<double, std::vector<OpId>>>
operation_groups(DType dtype, const std::function<bool(const OpInfo&)>& wanted) {
    constexpr std::size_t most = 6;  // a step of more takes longer to compile than two
    std::map<double, std::vector<OpId>> by_tolerance;
    for (std::size_t i = 0; i < op_table().size(); ++i)
        if (wanted(op_table()[i]))
            by_tolerance[ulps_of(op_table()[i].name, dtype)].push_back(static_cast<OpId>(i));
    std::vector<std::pair<double, std::vector<OpId>>> groups;
    for (const auto& [ulps, all] : by_tolerance)
        for (std::size_t first = 0; first < all.size(); first += most) {
            const std::span<const OpId> group =
                std::span(all).subspan(first, std::min(most, all.size() - first));
            groups.emplace_back(ulps, std::vector(group.begin(), group.end()));
        }
    return groups;
}

}  // namespace frisket::testing
