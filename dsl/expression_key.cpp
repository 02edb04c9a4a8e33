// SPDX-License-Identifier: MIT
#include "expression_key.hpp"

#include "../ir/expressions/expression_context.hpp"
#include "../runtime/layouts/layout_traits.hpp"
#include "../runtime/tensor/overlap.hpp"

#include <cstring>

namespace frisket::detail {

namespace {

bool is_same(const KeyTensor& a, const KeyTensor& b) {
    if ((a.dense != nullptr) != (b.dense != nullptr)) return false;
    return a.dense != nullptr ? ir::is_same_memory(*a.dense, *b.dense)
                              : ir::is_same_storage(*a.masked, *b.masked);
}

std::uint64_t word_of(const AnyTensor& values, bool is_masked, Layout layout, std::size_t number) {
    return std::uint64_t{static_cast<std::uint8_t>(KeyEntry::tensor)} << 56U |
           static_cast<std::uint64_t>(values.dtype()) << 48U | static_cast<std::uint64_t>(is_masked) << 47U |
           static_cast<std::uint64_t>(layout) << 40U | static_cast<std::uint64_t>(values.rank()) << 32U |
           number;
}

}  // namespace

void ExpressionKey::add(std::string_view text) {
    add(text.size());
    for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, std::min(sizeof word, text.size() - i));
        add(word);
    }
}

/// Adds the number of a tensor; true if it is one that came before, of which the key says all.
bool ExpressionKey::add_known(const KeyTensor& tensor) {
    const std::span<const KeyTensor> before = tensors();
    std::size_t number = 0;
    while (number < before.size() && !is_same(before[number], tensor)) ++number;
    const bool is_known = number < before.size();
    const bool is_masked = tensor.masked != nullptr;
    const AnyTensor& values = tensor.values();
    is_plain_ &= is_masked ? !tensor.masked->was_moved_from() : !values.was_moved_from();
    is_plain_ &= !is_device_address(values.address());
    add(word_of(values, is_masked, is_masked ? tensor.masked->layout() : Layout::dense, number));
    if (!is_known) tensors_.push_back(tensor);
    return is_known || !is_plain_;
}

void ExpressionKey::add_layout(const AnyTensor& tensor) {
    for (const std::int64_t extent : tensor.shape()) add(static_cast<std::uint64_t>(extent));
    for (const std::int64_t stride : tensor.strides()) add(static_cast<std::uint64_t>(stride));
}

void ExpressionKey::add(const AnyTensor& tensor) {
    if (!add_known({&tensor, nullptr})) add_layout(tensor);
}

void ExpressionKey::add(const AnyMasked& masked) {
    if (add_known({nullptr, &masked})) return;
    if (!runtime::is_list(masked.layout())) {
        add_layout(masked.values());
        return add_layout(masked.mask());
    }
    // Plans of lists do not depend on the number of their entries.
    for (const std::int64_t extent : masked.shape()) add(static_cast<std::uint64_t>(extent));
    const Shape& values = masked.values().shape();
    add(masked.shape().size() << 8U | values.size());
    for (std::size_t d = 1; d < values.size(); ++d) add(static_cast<std::uint64_t>(values[d]));
    add(masked.values().is_contiguous() && masked.mask().is_contiguous());
}

void ExpressionKey::add(std::string_view symbol, const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor) return add(argument.tensor());
    if (argument.kind() == Argument::Kind::masked) return add(argument.masked());
    const bool is_number =
        argument.kind() == Argument::Kind::real || argument.kind() == Argument::Kind::integer;
    is_plain_ &= is_number;
    add(std::uint64_t{static_cast<std::uint8_t>(KeyEntry::argument)} << 56U |
        static_cast<std::uint64_t>(argument.kind()));
    numbers_.push_back({symbol, &argument});
}

void ExpressionKey::add_target(const AnyTensor& tensor) {
    add_key(*this, KeyEntry::target,
            static_cast<std::uint64_t>(tensor.dtype()) << 32U | static_cast<std::uint64_t>(tensor.rank()));
    add_layout(tensor);
}

void ExpressionKey::refuse_shared_memory() {
    if (!is_complete()) return;
    const std::span<const KeyTensor> all = tensors();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const runtime::ByteRange range = runtime::byte_range(all[i].values());
        for (std::size_t j = 0; j < i; ++j)
            is_plain_ &= range.is_apart_from(runtime::byte_range(all[j].values()));
    }
}

}  // namespace frisket::detail
