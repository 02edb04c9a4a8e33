// SPDX-License-Identifier: MIT
#include "plan_values.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/layouts/stored.hpp"
#include "../../runtime/list_kernels/permutation.hpp"
#include "../interpreter/tensor_kernels.hpp"

#include <algorithm>
#include <set>

namespace frisket::planning {

namespace {

/// Adds up memory, each piece once.
class Bytes {
public:
    std::int64_t total = 0;

    void operator()(std::monostate) {}
    void operator()(const Argument& argument) {
        if (argument.kind() == Argument::Kind::tensor) add(argument.tensor());
        if (argument.kind() == Argument::Kind::masked) add(argument.masked());
    }
    void operator()(const Result& result) {
        add(result.values);
        if (result.mask) add(*result.mask);
        if (result.listed) add(*result.listed);
    }
    void operator()(const std::shared_ptr<const list_kernels::CoordinateSet>& coordinates) {
        if (!is_new(coordinates.get())) return;
        add(coordinates->bytes());
        add(coordinates->list());
    }
    void operator()(const std::shared_ptr<const SampledPositions>& positions) {
        if (!is_new(positions.get())) return;
        add(positions->list);
        add(positions->places.positions.size() * std::int64_t{sizeof(std::int64_t)});
        add(positions->places.values);
    }

private:
    bool is_new(const void* memory) { return memory != nullptr && seen_.insert(memory).second; }
    void add(std::int64_t bytes) { total += bytes; }
    void add(const AnyTensor& tensor) {
        if (tensor.size() == 0 || !is_new(tensor.owner().get())) return;
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < tensor.shape().size(); ++d)
            if (tensor.strides()[d] != 0) elements *= tensor.shape()[d];
        add(elements * std::int64_t{bytes_of(tensor.dtype())});
    }
    void add(const std::shared_ptr<const IndexList>& list) {
        if (is_new(list.get())) add(list->bytes());
    }
    void add(const AnyMasked& masked) {
        add(masked.values());
        add(masked.mask());
        add(masked.index());
    }

    std::set<const void*> seen_;
};

}  // namespace

std::int64_t PlanValues::bytes() const {
    Bytes bytes;
    for (const Value& value : made_) std::visit(bytes, value);
    for (const auto& [id, value] : spread_) bytes(value);
    return bytes.total;
}

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

std::vector<Result> PlanValues::take_results(const std::vector<ValueId>& ids) {
    std::vector<Result> results;
    for (const ValueId id : ids) {
        const auto same = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
        if (id == no_value)
            results.emplace_back();
        else
            results.push_back(same == results.size() ? take_result(id) : clone(results[same]));
    }
    return results;
}

list_kernels::SparseVector PlanValues::list(const ListOperand& operand) const {
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
    const list_kernels::SparseVector all{.list = coordinates(operand.coordinates).list(),
                                         .values = dense(operand.value)};
    return operand.kind == ListOperand::Kind::true_at ? list_kernels::true_of(all) : all;
}

const Argument& PlanValues::whole(ValueId id) {
    const Argument& value = argument(id);
    if (value.kind() != Argument::Kind::masked) return value;
    const AnyMasked& masked = value.masked();
    const bool is_read_as_it_is = !runtime::is_list(masked.layout()) || !masked.device().is_cpu();
    if (is_read_as_it_is || masked.size() > 2 * masked.specified_count()) return value;
    const auto [known, is_new] = spread_.try_emplace(id);
    if (is_new) known->second = AnyMasked::strided(runtime::dense_values(masked), masked.mask_tensor());
    return known->second;
}

std::shared_ptr<const IndexList> PlanValues::places(const ListOperand& operand) const {
    return operand.kind == ListOperand::Kind::pattern
               ? runtime::as_list(argument(operand.value).masked()).index()
               : list(operand).list;
}

std::vector<Argument> PlanValues::operands(const Graph& body, std::span<const BodyOperand> operands,
                                           const list_kernels::CoordinateSet* coordinates) {
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].symbol == BodyOperand::whole) {
            arguments.push_back(whole(operands[i].value));
            continue;
        }
        AnyMasked read = coordinates->values_of(static_cast<std::size_t>(operands[i].symbol),
                                                argument(operands[i].value), body.symbols[i].shape);
        if (body.symbols[i].kind == SymbolKind::masked)
            arguments.emplace_back(std::move(read));
        else
            arguments.emplace_back(read.values());
    }
    return arguments;
}

}  // namespace frisket::planning
