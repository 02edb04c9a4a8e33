// SPDX-License-Identifier: MIT
#include "words.hpp"

#include "../layouts/layout_traits.hpp"
#include "../tensor/bitmask_ops.hpp"

namespace frisket::kernel_calls {

const std::uint64_t* words_of_all(const Call& call, int i) {
    auto& words = call.scratch.words[i];
    words.assign(static_cast<std::size_t>(runtime::words_for(call.count)), ~std::uint64_t{0});
    runtime::clear_tail(words.data(), call.count);
    return words.data();
}

const std::uint64_t* words_from_bytes(const Call& call, int i, const std::uint8_t* bytes) {
    const std::int64_t word_count = runtime::words_for(call.count);
    auto& words = call.scratch.words[i];
    words.resize(static_cast<std::size_t>(word_count));
    runtime::pack_bits(bytes, 0, word_count, call.count, words.data());
    return words.data();
}

const std::uint64_t* words_of(const Call& call, int i) {
    if (!runtime::has_mask(call.layout(i))) return words_of_all(call, i);
    const AnyMasked& masked = call.arguments[i].masked();
    const std::int64_t word_count = runtime::words_for(call.count);
    if (masked.layout() == Layout::bitmask && masked.mask().is_contiguous()) {
        const auto* words = static_cast<const std::uint64_t*>(masked.mask().data());
        const auto tail = call.count % 64;
        if (tail == 0 || words[word_count - 1] >> tail == 0) return words;
    }
    if (masked.layout() == Layout::strided && masked.mask().is_contiguous())
        return words_from_bytes(call, i, static_cast<const std::uint8_t*>(masked.mask().data()));
    auto& words = call.scratch.words[i];
    words.resize(static_cast<std::size_t>(word_count));
    runtime::bits_of(masked, words.data());
    return words.data();
}

}  // namespace frisket::kernel_calls
