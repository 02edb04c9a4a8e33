// SPDX-License-Identifier: MIT
#include "words.hpp"

#include <algorithm>

#include "../bits.hpp"
#include "../layouts/layout.hpp"

namespace frisket {

namespace {

void add_counts(MaskCounts& counts, const std::uint64_t* words, std::int64_t begin, std::int64_t end) {
    counts.specified += count_bits(words, begin, end);
    counts.words_with_any += count_nonzero_words(words, begin, end);
    counts.runs += count_runs(words, begin, end);
    counts.lines_with_any += count_nonzero_lines(words, begin, end);
}

/// Of every eighth block.
MaskCounts sampled_counts(const std::uint64_t* words, std::int64_t word_count) {
    constexpr std::int64_t block = 64, apart = 8;
    const std::int64_t blocks = (word_count + block - 1) / block;
    MaskCounts counts;
    for (std::int64_t group = 0; group * apart < blocks; ++group) {
        // Another one of each group, so that a mask that repeats itself does not show the same part always.
        const std::int64_t begin = (group * apart + group * 5 % apart) * block;
        const std::int64_t end = std::min(begin + block, word_count);
        if (begin >= end) continue;
        add_counts(counts, words, begin, end);
        counts.words += end - begin;
    }
    counts.near = counts.words;
    return counts;
}

}  // namespace

MaskCounts counts_of(const std::uint64_t* words, std::int64_t word_count, std::vector<WordRange>& ranges) {
    constexpr std::int64_t few = 512;  // words that are counted however much they specify
    nonzero_ranges(words, word_count, ranges);
    std::int64_t looked_at = 0;
    for (const WordRange& range : ranges) looked_at += range.end - range.begin;
    if (2 * looked_at > word_count && word_count > few) return sampled_counts(words, word_count);
    MaskCounts counts{.words = word_count, .near = looked_at};
    for (const WordRange& range : ranges) add_counts(counts, words, range.begin, range.end);
    return counts;
}

const std::uint64_t* words_of_all(const Call& call, int i) {
    auto& words = call.frame.words[i];
    words.assign(static_cast<std::size_t>(words_for(call.count)), ~std::uint64_t{0});
    clear_tail(words.data(), call.count);
    return words.data();
}

const std::uint64_t* words_from_bytes(const Call& call, int i, const std::uint8_t* bytes) {
    const std::int64_t word_count = words_for(call.count);
    auto& words = call.frame.words[i];
    words.resize(static_cast<std::size_t>(word_count));
    pack_bits(bytes, 0, word_count, call.count, words.data());
    return words.data();
}

const std::uint64_t* words_of(const Call& call, int i) {
    if (call.layout(i) == Layout::dense) return words_of_all(call, i);
    const AnyMasked& masked = call.arguments[i].masked();
    const std::int64_t word_count = words_for(call.count);
    if (masked.layout() == Layout::bitmask && masked.mask().is_contiguous()) {
        const auto* words = static_cast<const std::uint64_t*>(masked.mask().data());
        const auto tail = call.count % 64;
        if (tail == 0 || words[word_count - 1] >> tail == 0) return words;
    }
    if (masked.layout() == Layout::strided && masked.mask().is_contiguous())
        return words_from_bytes(call, i, static_cast<const std::uint8_t*>(masked.mask().data()));
    auto& words = call.frame.words[i];
    words.resize(static_cast<std::size_t>(word_count));
    bits_of(masked, words.data());
    return words.data();
}

}  // namespace frisket
