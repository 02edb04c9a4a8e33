// SPDX-License-Identifier: MIT
#include "plan_values.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/layouts/stored.hpp"
#include "../interpreter/tensor_kernels.hpp"
#include "permutation.hpp"

namespace frisket::plan {

AnyTensor PlanValues::dense(ValueId id) const {
    const bool is_given = static_cast<std::size_t>(id) < arguments_.size();
    if (const auto* result = is_given ? nullptr : std::get_if<Result>(&made(id))) return result->values;
    return argument(id).as_masked().values();
}

Result PlanValues::take_result(ValueId id) {
    if (auto* result = std::get_if<Result>(&made(id))) return std::move(*result);
    const Argument& made = argument(id);
    if (made.kind() == Argument::Kind::tensor) return {.values = made.tensor()};
    return {.listed = made.masked()};
}

SparseVector PlanValues::list(const ListOperand& operand) const {
    switch (operand.kind) {
        case ListOperand::Kind::dense: return {.list = nullptr, .values = dense(operand.value)};
        case ListOperand::Kind::list: {
            const AnyMasked coo = runtime::as_list(argument(operand.value).masked());
            return {.list = coo.index(), .values = tensor_kernels::convert(coo.values(), operand.dtype)};
        }
        case ListOperand::Kind::pattern: {
            const AnyMasked coo = runtime::as_list(argument(operand.value).masked());
            constexpr bool specified = true;
            return {.list = coo.index(),
                    .values = runtime::filled_with(DType::boolean, coo.values().shape(), &specified)};
        }
        case ListOperand::Kind::at_coordinates:
        case ListOperand::Kind::true_at: break;
    }
    const SparseVector all{.list = coordinates(operand.coordinates).list(), .values = dense(operand.value)};
    return operand.kind == ListOperand::Kind::true_at ? true_of(all) : all;
}

std::vector<Argument> PlanValues::operands(const Graph& body, std::span<const BodyOperand> operands,
                                           const CoordinateSet* coordinates) const {
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Argument& whole = argument(operands[i].value);
        if (operands[i].symbol == BodyOperand::whole) {
            arguments.push_back(whole);
            continue;
        }
        AnyMasked read = coordinates->values_of(static_cast<std::size_t>(operands[i].symbol), whole,
                                                body.symbols[i].shape);
        if (body.symbols[i].kind == SymbolKind::masked)
            arguments.emplace_back(std::move(read));
        else
            arguments.emplace_back(read.values());
    }
    return arguments;
}

}  // namespace frisket::plan
