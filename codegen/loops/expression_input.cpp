// SPDX-License-Identifier: MIT
#include "expression_input.hpp"

#include <limits>

#include "../../ir/planner/body_stage.hpp"
#include "../../ir/planner/memory_need.hpp"
#include "../../runtime/kernel/loop_arguments.hpp"
#include "../../runtime/layouts/layout_traits.hpp"

namespace frisket::codegen {

using planning::unmade;

namespace {

/// True if each row of a bit mask is a number of whole words, so that loops find the word of an element.
bool is_whole_words(const Shape& shape) { return !shape.empty() && shape.back() % 64 == 0; }

/// The words of a bit mask as a tensor whose last dimension has a 64th of the elements.
AnyTensor row_words(const AnyMasked& masked) {
    Shape shape = masked.shape();
    shape.back() /= 64;
    const AnyTensor& words = masked.mask();
    return {words.dtype(), words.address(), shape, contiguous_strides(shape), false, words.owner()};
}

/// The tensor, or where its strides lead out of the reach of loops, a copy without gaps.
AnyTensor in_reach(const AnyTensor& tensor) {
    return tensor.is_contiguous() || kernel_calls::is_in_reach(tensor) ? tensor : tensor.clone();
}

/// True if each row of the values has words of its own.
bool has_words_of_rows(const LoopInput& input) {
    const Shape &values = input.values->shape(), &words = input.mask->shape();
    return values.size() == words.size() && !values.empty() && words.back() * 64 == values.back();
}

bool is_rows(const AnyTensor& tensor) {
    return tensor.rank() == 0 || (tensor.strides().back() == 1 && tensor.size() > 0);
}

}  // namespace

LoopInput input_of(const Argument& argument, bool on_device) {
    if (argument.kind() == Argument::Kind::tensor) return {in_reach(argument.tensor())};
    if (argument.kind() != Argument::Kind::masked) return {};
    const AnyMasked& masked = argument.masked();
    if (on_device && runtime::has_ranks(masked.layout()))
        return {runtime::on_device::readable_values(masked), masked.ranks(), &masked, true};
    const AnyTensor values = in_reach(runtime::dense_values(masked));
    if (!runtime::has_mask(masked.layout())) return {values};
    if (masked.layout() == Layout::strided && masked.mask().is_contiguous())
        return {values, masked.mask(), &masked};
    if (masked.layout() == Layout::bitmask && is_whole_words(masked.shape()))
        return {values, row_words(masked), &masked};
    if (masked.layout() == Layout::bitmask && on_device) return {values, masked.mask(), &masked};
    return {values, masked.mask_tensor()};
}

LoopInput unmade_input(const planning::ValueForm& form, const Symbol& symbol, bool on_device) {
    if (form.format.kind == planning::Format::Kind::number) return {};
    if (!form.format.is_masked()) return {form.view ? *form.view : unmade(symbol.dtype, symbol.shape)};
    const Layout layout = form.format.layout;
    const std::int64_t size = element_count(symbol.shape);
    if (on_device && runtime::has_ranks(layout))
        return {unmade(symbol.dtype, {1}), unmade(DType::int64, {(size + 31) / 32}), nullptr, true};
    const AnyTensor values = unmade(symbol.dtype, symbol.shape);
    if (!runtime::has_mask(layout)) return {values};
    if (layout == Layout::bitmask && is_whole_words(symbol.shape)) {
        Shape words = symbol.shape;
        words.back() /= 64;
        return {values, unmade(DType::int64, words)};
    }
    if (layout == Layout::bitmask && on_device) return {values, unmade(DType::int64, {(size + 63) / 64})};
    return {values, unmade(DType::boolean, symbol.shape)};
}

std::int64_t copied_bytes(const Argument& argument, bool on_device) {
    const auto of_copy = [](const AnyTensor& tensor) {
        const bool is_read_in_place = tensor.is_contiguous() || kernel_calls::is_in_reach(tensor);
        return is_read_in_place ? 0 : planning::tensor_bytes(tensor.dtype(), tensor.shape());
    };
    if (argument.kind() == Argument::Kind::tensor) return of_copy(argument.tensor());
    if (argument.kind() != Argument::Kind::masked) return 0;
    const AnyMasked& masked = argument.masked();
    const std::int64_t mask = planning::tensor_bytes(DType::boolean, masked.shape());
    if (on_device && runtime::has_ranks(masked.layout())) return 0;
    using runtime::MaskForm;
    switch (runtime::traits_of(masked.layout()).mask) {
        case MaskForm::none: return of_copy(masked.values());
        case MaskForm::bytes: return of_copy(masked.values()) + (masked.mask().is_contiguous() ? 0 : mask);
        case MaskForm::bits:
            return of_copy(masked.values()) + (on_device || is_whole_words(masked.shape()) ? 0 : mask);
        default: break;
    }
    const std::int64_t values = planning::tensor_bytes(masked.dtype(), masked.shape());
    return values > std::numeric_limits<std::int64_t>::max() - mask ? values : values + mask;
}

bool is_contiguous_input(const LoopInput& input) {
    return (!input.values || input.values->is_contiguous()) && (!input.mask || input.mask->is_contiguous());
}

void flatten(LoopInput& input) {
    if (!input.values || input.values->rank() == 0) return;
    input.values = input.values->reshape({-1});
    if (input.mask) input.mask = input.mask->reshape({-1});
}

InputForm form_of(const LoopInput& input) {
    const bool is_bits = input.mask && input.mask->dtype() == DType::int64;
    return {.has_mask = input.mask.has_value(),
            .mask_is_bits = is_bits,
            .mask_is_in_line = is_bits && !input.is_ranked && !has_words_of_rows(input),
            .is_ranked = input.is_ranked,
            .values_are_rows = !input.values || is_rows(*input.values),
            .mask_is_rows = !input.mask || is_rows(*input.mask)};
}

}  // namespace frisket::codegen
