// SPDX-License-Identifier: MIT
#include "mask_statistics.hpp"
#include "../limits.hpp"

#include <algorithm>

namespace frisket::kernel_calls {

namespace {

void add_counts(MaskCounts& counts, const std::uint64_t* words, std::int64_t begin, std::int64_t end) {
    counts.specified += runtime::count_bits(words, begin, end);
    counts.words_with_any += runtime::count_nonzero_words(words, begin, end);
    counts.runs += runtime::count_runs(words, begin, end);
    counts.lines_with_any += runtime::count_nonzero_lines(words, begin, end);
}

constexpr std::int64_t block = limits::sample_words;

/// Counts over every eighth block of words; add(counts, begin, end) counts a range of words.
MaskCounts sampled_counts(std::int64_t word_count, const auto& add) {
    constexpr std::int64_t apart = limits::sample_apart;
    const std::int64_t blocks = (word_count + block - 1) / block;
    MaskCounts counts;
    for (std::int64_t group = 0; group * apart < blocks; ++group) {
        // Another one of each group, so that a mask that repeats itself does not show the same part always.
        const std::int64_t begin = (group * apart + group * 5 % apart) * block;
        const std::int64_t end = std::min(begin + block, word_count);
        if (begin >= end) continue;
        add(counts, begin, end);
        counts.words += end - begin;
    }
    counts.near = counts.words;
    return counts;
}

}  // namespace

MaskCounts counts_of(const std::uint64_t* words, std::int64_t word_count,
                     std::vector<runtime::WordRange>& ranges) {
    runtime::nonzero_ranges(words, word_count, ranges);
    std::int64_t looked_at = 0;
    for (const runtime::WordRange& range : ranges) looked_at += range.end - range.begin;
    if (2 * looked_at > word_count && word_count > limits::counted_words)
        return sampled_counts(word_count, [&](MaskCounts& counts, std::int64_t begin, std::int64_t end) {
            add_counts(counts, words, begin, end);
        });
    MaskCounts counts{.words = word_count, .near = looked_at};
    for (const runtime::WordRange& range : ranges) add_counts(counts, words, range.begin, range.end);
    return counts;
}

MaskCounts counts_of_bytes(const std::uint8_t* bytes, std::int64_t count) {
    const auto add = [&](MaskCounts& counts, std::int64_t begin, std::int64_t end) {
        std::uint64_t words[block];
        const std::int64_t elements = std::min(end * 64, count) - begin * 64;
        runtime::pack_bits(bytes + begin * 64, 0, end - begin, elements, words);
        add_counts(counts, words, 0, end - begin);
    };
    return sampled_counts(runtime::words_for(count), add);
}

}  // namespace frisket::kernel_calls
