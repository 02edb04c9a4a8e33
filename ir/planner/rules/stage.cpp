// SPDX-License-Identifier: MIT
#include "stage.hpp"

#include <algorithm>

#include "../../../runtime/layouts/layout.hpp"
#include "../../at.hpp"

namespace frisket::planning {

using ir::at;

namespace {

/// A view in which each element is repeated along a row of this shape.
AnyTensor over_rows(const AnyTensor& tensor, const Shape& shape) {
    Strides strides(shape.size());
    strides[0] = tensor.strides()[0];
    return {tensor.dtype(), tensor.address(), shape, strides, tensor.is_writable(), tensor.owner()};
}

}  // namespace

bool Stage::repeats() const {
    return std::ranges::any_of(arguments, [](const StageArgument& one) { return !one.repeated.empty(); });
}

bool Stage::reads_values() const { return std::ranges::any_of(arguments, &StageArgument::is_value); }

StageArguments::StageArguments(const Stage& stage, std::span<const Argument> given,
                               std::span<const Result> values, bool is_last) {
    for (const StageArgument& from : stage.arguments) {
        if (from.is_value)
            add(values[at(from.index)], from.over < 0 ? Argument() : given[at(from.over)], from.is_masked);
        else if (given[at(from.index)].kind() == Argument::Kind::state && !is_last)
            arguments_.push_back(Argument::state(states_.emplace_back(given[at(from.index)].number())));
        else
            arguments_.push_back(given[at(from.index)]);
        if (!from.repeated.empty()) repeat(from.repeated);
    }
}

/// Has the elements of the last argument repeated along rows.
void StageArguments::repeat(const Shape& shape) {
    Argument& last = arguments_.back();
    if (last.kind() == Argument::Kind::tensor) {
        last = over_rows(last.tensor(), shape);
        return;
    }
    const AnyMasked masked = last.masked();
    const AnyTensor values = over_rows(masked.values(), shape);
    last = masked.layout() == Layout::dense ? AnyMasked::dense(values)
                                            : AnyMasked::strided(values, over_rows(masked.mask(), shape));
}

void StageArguments::add(const Result& value, const Argument& over, bool is_masked) {
    is_masked =
        is_masked || (over.kind() == Argument::Kind::masked && over.masked().layout() != Layout::dense);
    if (value.listed && is_masked)
        arguments_.push_back(Argument::borrow(*value.listed));
    else if (value.listed)
        arguments_.push_back(Argument::borrow(dense_.emplace_back(runtime::dense_values(*value.listed))));
    else if (is_masked)
        arguments_.push_back(
            Argument::borrow(masked_.emplace_back(AnyMasked::strided(value.values, *value.mask))));
    else
        arguments_.push_back(Argument::borrow(value.values));
}

}  // namespace frisket::planning
