// SPDX-License-Identifier: MIT
/// bitmask: values of any strides, and 64-bit words without gaps, bit i % 64 of word i / 64 being element i
/// row-major; there may be more words and bits than elements, which mean nothing.
#include <algorithm>
#include <span>

#include "../tensor/bitmask_ops.hpp"
#include "layout_traits.hpp"

namespace frisket {

using namespace runtime;

namespace {

const std::uint64_t* words_of(const AnyMasked& masked) {
    return static_cast<const std::uint64_t*>(masked.mask().data());
}

void bits(const AnyMasked& masked, std::uint64_t* words) {
    std::copy_n(words_of(masked), words_for(masked.size()), words);
    clear_tail(words, masked.size());
}

void bytes(const AnyMasked& masked, std::uint8_t* mask) {
    unpack_bits(words_of(masked), 0, words_for(masked.size()), masked.size(), mask);
}

std::int64_t count(const AnyMasked& masked) {
    const std::int64_t whole = masked.size() / 64;
    std::int64_t found = count_bits(words_of(masked), 0, whole);
    if (masked.size() % 64 != 0) {
        std::uint64_t last[] = {words_of(masked)[whole]};
        clear_tail(last, masked.size() % 64);
        found += count_bits(last, 0, 1);
    }
    return found;
}

AnyMasked from(const AnyMasked& masked) {
    AnyTensor words(DType::int64, {words_for(masked.size())});
    bits_of(masked, static_cast<std::uint64_t*>(words.data()));
    return AnyMasked::bitmask(dense_values(masked), std::move(words));
}

AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize>) {
    return AnyMasked::bitmask(on_device::dense_values(masked), on_device::words(masked));
}

/// A part of a tensor with its first `wanted` elements, row-major, and fewer than `wanted` more: words that
/// hold no bit of a value are not read and not copied.
AnyTensor first_of(AnyTensor words, std::int64_t wanted) {
    for (int d = 0; words.size() > 0 && d < words.rank(); ++d) {
        const std::span inner = std::span(words.shape()).subspan(static_cast<std::size_t>(d) + 1);
        const std::int64_t each = std::max<std::int64_t>(element_count(inner), 1),
                           kept = (wanted + each - 1) / each;
        words = words.slice(d, 0, kept);
        if (kept != 1) break;
    }
    return words;
}

}  // namespace

AnyMasked AnyMasked::bitmask(AnyTensor values, AnyTensor words) {
    values.check_not_moved("bitmask");
    words.check_not_moved("bitmask");
    if (words.dtype() != DType::int64)
        throw DTypeError("bitmask: the words have dtype " + std::string(name_of(words.dtype())) +
                         ", wanted int64: give 64 bits a word");
    if (words.size() < words_for(values.size()))
        throw LayoutError("bitmask: " + std::to_string(words.size()) + " words hold the bits of " +
                          std::to_string(words.size() * 64) + " elements, shape " +
                          to_string(values.shape()) + " has " + std::to_string(values.size()) + ": give " +
                          std::to_string(words_for(values.size())) + " words");
    words = first_of(std::move(words), words_for(values.size()));
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(words.address()) % alignof(std::uint64_t) == 0;
    if (!words.is_contiguous() || !is_aligned) words = words.clone();
    Shape shape = values.shape();
    return {Layout::bitmask, std::move(shape), std::move(values), std::move(words), nullptr};
}

constinit const LayoutTraits runtime::bitmask_traits{
    .layout = Layout::bitmask,
    .name = "bitmask",
    .mask = MaskForm::bits,
    .bits = bits,
    .bytes = bytes,
    .count = count,
    .dense_values = values_as_stored,
    .filled = blended,
    .entries = entries_of_bits,
    .from = from,
    .on_device = from_on_device,
};

}  // namespace frisket
