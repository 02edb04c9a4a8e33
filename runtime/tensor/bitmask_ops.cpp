// SPDX-License-Identifier: MIT
#include "bitmask_ops.hpp"

#include "../limits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace frisket::runtime {

namespace {

using limits::group_words;

/// Lists the bits that are set, bit 0 as `first`; returns the end of the list.  Four are written at a time
/// and the valid positions are retained, so that few branches depend on random bits (D. Lemire, "Iterating
/// over set bits quickly", 2018).
template <class Bits, class Position>
[[gnu::always_inline]] inline Position* list_bits(Bits bits, std::int64_t first, Position* next) {
    const int count = std::popcount(bits);
    for (int done = 0; done < count; done += position_slack + 1)
        for (int i = 0; i <= position_slack; ++i, bits &= bits - 1)
            next[done + i] = static_cast<Position>(first + std::countr_zero(bits));
    return next + count;
}

#if defined(__x86_64__)

// SSE2 is part of x86-64; wider instructions are chosen at run time.

std::uint64_t pack_64(const std::uint8_t* bytes) {
    const __m128i zero = _mm_setzero_si128();
    std::uint64_t unset = 0;
    for (std::ptrdiff_t part = 0; part < 4; ++part) {
        const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + part * 16));
        const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, zero)));
        unset |= static_cast<std::uint64_t>(found) << (part * 16);
    }
    return ~unset;
}

[[gnu::target("avx2")]] void pack_words_avx2(const std::uint8_t* bytes, std::int64_t count,
                                             std::uint64_t* words) {
    const __m256i zero = _mm256_setzero_si256();
    const auto unset = [zero](const std::uint8_t* from) __attribute__((target("avx2"))) {
        const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(half, zero)));
    };
    for (std::int64_t w = 0; w < count; ++w, bytes += 64)
        words[w] = ~(unset(bytes) | static_cast<std::uint64_t>(unset(bytes + 32)) << 32);
}

void pack_words(const std::uint8_t* bytes, std::int64_t count, std::uint64_t* words) {
    if (__builtin_cpu_supports("avx2")) return pack_words_avx2(bytes, count, words);
    for (std::int64_t w = 0; w < count; ++w) words[w] = pack_64(bytes + w * 64);
}

/// Flags of 64 groups of words: set if a bit of the group is.
[[gnu::target("avx2")]] std::uint64_t nonzero_groups_avx2(const std::uint64_t* words) {
    std::uint64_t flags = 0;
    for (std::ptrdiff_t group = 0; group < 64; ++group) {
        const auto* from = reinterpret_cast<const __m256i*>(words + group * group_words);
        const __m256i any = _mm256_or_si256(_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1));
        flags |= static_cast<std::uint64_t>(_mm256_testz_si256(any, any) == 0) << group;
    }
    return flags;
}

/// Flags of the 32 lines of 16 bits of a group of words: set if a bit of the line is.
[[gnu::target("avx2")]] std::uint32_t nonzero_lines_avx2(const std::uint64_t* words) {
    const __m256i zero = _mm256_setzero_si256();
    const auto* from = reinterpret_cast<const __m256i*>(words);
    const __m256i low = _mm256_cmpeq_epi16(_mm256_loadu_si256(from), zero);
    const __m256i high = _mm256_cmpeq_epi16(_mm256_loadu_si256(from + 1), zero);
    // Packing goes by halves of vectors: their order becomes the order of the lines afterwards.
    const __m256i unset = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(unset));
}

/// The lines of whole groups of words, from word begin_word on; returns the end of the list.
[[gnu::target("avx2,popcnt,bmi")]] std::int32_t* list_lines_avx2(const std::uint64_t* words,
                                                                 std::int64_t begin_word, std::int64_t groups,
                                                                 std::int32_t* next) {
    for (; groups > 0; --groups, begin_word += group_words)
        next = list_bits(nonzero_lines_avx2(words + begin_word), 4 * begin_word, next);
    return next;
}

[[gnu::target("avx2,popcnt")]] std::int64_t count_lines_avx2(const std::uint64_t* words,
                                                             std::int64_t groups) {
    std::int64_t count = 0;
    for (; groups > 0; --groups, words += group_words) count += std::popcount(nonzero_lines_avx2(words));
    return count;
}

bool has_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi");
}

[[gnu::target("popcnt")]] std::int64_t popcount_hardware(const std::uint64_t* words, std::int64_t count) {
    std::int64_t found = 0;
    for (std::int64_t w = 0; w < count; ++w) found += __builtin_popcountll(words[w]);
    return found;
}

#else

std::uint64_t pack_64(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int i = 0; i < 64; ++i) word |= static_cast<std::uint64_t>(bytes[i] != 0) << i;
    return word;
}

void pack_words(const std::uint8_t* bytes, std::int64_t count, std::uint64_t* words) {
    for (std::int64_t w = 0; w < count; ++w) words[w] = pack_64(bytes + w * 64);
}

#endif

/// Bytes 0 and 1 of the lowest eight bits, bit 0 in the first byte.
std::uint64_t unpack_8(std::uint64_t bits) {
    const std::uint64_t one_each = (bits & 0xff) * 0x0101010101010101 & 0x8040201008040201;
    const std::uint64_t bytes = (one_each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
    return std::endian::native == std::endian::little ? bytes : __builtin_bswap64(bytes);
}

template <class Position>
[[gnu::always_inline]] inline std::int64_t
positions_plain(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word, Position* out) {
    Position* next = out;
    for (std::int64_t w = begin_word; w < end_word; ++w) next = list_bits(words[w], w * 64, next);
    return next - out;
}

#if defined(__x86_64__)
template <class Position>
[[gnu::target("popcnt,bmi")]] std::int64_t positions_hardware(const std::uint64_t* words,
                                                              std::int64_t begin_word, std::int64_t end_word,
                                                              Position* out) {
    return positions_plain(words, begin_word, end_word, out);
}
#endif

template <class Position>
std::int64_t positions(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                       Position* out) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi"))
        return positions_hardware(words, begin_word, end_word, out);
#endif
    return positions_plain(words, begin_word, end_word, out);
}

std::uint64_t nonzero_groups(const std::uint64_t* words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return nonzero_groups_avx2(words);
#endif
    std::uint64_t flags = 0;
    for (std::int64_t group = 0; group < 64; ++group, words += group_words) {
        std::uint64_t any = 0;
        for (std::int64_t w = 0; w < group_words; ++w) any |= words[w];
        flags |= static_cast<std::uint64_t>(any != 0) << group;
    }
    return flags;
}

constexpr std::uint64_t all = ~std::uint64_t{0};

}  // namespace

std::uint64_t pack_word(const std::uint8_t* bytes, int count, std::int64_t step) {
    if (count == 64 && step == 1) return pack_64(bytes);
    std::uint64_t word = 0;
    for (int i = 0; i < count; ++i) word |= static_cast<std::uint64_t>(bytes[i * step] != 0) << i;
    return word;
}

void pack_bits(const std::uint8_t* bytes, std::int64_t begin_word, std::int64_t end_word, std::int64_t count,
               std::uint64_t* words) {
    const std::int64_t whole = std::min(end_word, count / 64);
    if (begin_word < whole) pack_words(bytes + begin_word * 64, whole - begin_word, words + begin_word);
    if (whole < end_word && begin_word <= whole && count % 64 != 0)
        words[whole] = pack_word(bytes + whole * 64, static_cast<int>(count % 64));
}

void unpack_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                 std::int64_t count, std::uint8_t* bytes) {
    for (std::int64_t w = begin_word; w < end_word; ++w) {
        const std::int64_t first = w * 64, in_word = std::min<std::int64_t>(64, count - first);
        std::int64_t i = 0;
        for (; i + 8 <= in_word; i += 8) {
            const std::uint64_t eight = unpack_8(words[w] >> i);
            std::memcpy(bytes + first + i, &eight, sizeof eight);
        }
        for (; i < in_word; ++i) bytes[first + i] = static_cast<std::uint8_t>(words[w] >> i & 1);
    }
}

std::int64_t count_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) return popcount_hardware(words + begin_word, end_word - begin_word);
#endif
    std::int64_t count = 0;
    for (std::int64_t w = begin_word; w < end_word; ++w) count += std::popcount(words[w]);
    return count;
}

void nonzero_ranges(const std::uint64_t* words, std::int64_t word_count, std::vector<WordRange>& ranges) {
    ranges.clear();
    const auto add = [&](std::int64_t begin, std::int64_t end) {
        if (!ranges.empty() && ranges.back().end == begin)
            ranges.back().end = end;
        else
            ranges.push_back({begin, end});
    };
    std::int64_t begin = 0;
    for (; begin + 64 * group_words <= word_count; begin += 64 * group_words) {
        std::uint64_t flags = nonzero_groups(words + begin);
        for (std::int64_t group = 0; flags != 0;) {
            group = std::countr_zero(flags);
            const int length = std::countr_one(flags >> (group % 64));
            add(begin + group * group_words, begin + (group + length) * group_words);
            group += length;
            flags = group == 64 ? 0 : flags >> group << group;
        }
    }
    for (; begin < word_count; begin += group_words) {
        const std::int64_t end = std::min(begin + group_words, word_count);
        if (std::any_of(words + begin, words + end, [](std::uint64_t word) { return word != 0; }))
            add(begin, end);
    }
}

std::int64_t count_nonzero_words(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word) {
    std::int64_t count = 0;
    for (std::int64_t w = begin_word; w < end_word; ++w) count += words[w] != 0;
    return count;
}

std::int64_t count_runs(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word) {
    std::int64_t count = begin_word < end_word && words[begin_word] != 0;
    for (std::int64_t w = begin_word + 1; w < end_word; ++w)
        count += static_cast<int>(words[w] != 0) & static_cast<int>(words[w - 1] == 0);
    return count;
}

namespace {

/// Bits 15, 31, 47 and 63: whether a quarter of the word has a bit set.
constexpr std::uint64_t nonzero_quarters(std::uint64_t word) {
    constexpr std::uint64_t top = 0x8000800080008000U;
    return (((word & ~top) + ~top) | word) & top;
}

}  // namespace

std::int64_t count_nonzero_lines(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word) {
    constexpr std::int64_t most = limits::counted_lines;  // words in one sum of the four counts of 16 bits
    std::int64_t count = 0;
#if defined(__x86_64__)
    if (has_avx2()) {
        const std::int64_t groups = (end_word - begin_word) / group_words;
        count = count_lines_avx2(words + begin_word, groups);
        begin_word += groups * group_words;
    }
#endif
    for (std::int64_t begin = begin_word; begin < end_word; begin += most) {
        std::uint64_t counts = 0;
        for (std::int64_t w = begin; w < std::min(begin + most, end_word); ++w)
            counts += nonzero_quarters(words[w]) >> 15;
        for (; counts != 0; counts >>= 16) count += static_cast<std::int64_t>(counts & 0xffff);
    }
    return count;
}

std::int64_t nonzero_lines(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                           std::int32_t* out) {
    std::int32_t* next = out;
#if defined(__x86_64__)
    if (has_avx2() && begin_word < end_word) {
        const std::int64_t groups = (end_word - begin_word) / group_words;
        next = list_lines_avx2(words, begin_word, groups, next);
        begin_word += groups * group_words;
    }
#endif
    for (std::int64_t w = begin_word; w < end_word; ++w) {
        const std::uint64_t quarters = nonzero_quarters(words[w]);
        // Every quarter is written and the valid entries are retained: no branch on random bits.
        for (int quarter = 0; quarter < 4; ++quarter) {
            *next = static_cast<std::int32_t>(4 * w + quarter);
            next += quarters >> (15 + 16 * quarter) & 1;
        }
    }
    return next - out;
}

std::int64_t positions_of_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                               std::int32_t* out) {
    return positions(words, begin_word, end_word, out);
}

std::int64_t positions_of_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                               std::int64_t* out) {
    return positions(words, begin_word, end_word, out);
}

void set_bits(std::uint64_t* words, std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    const std::int64_t first = begin / 64, last = (end - 1) / 64;
    const std::uint64_t from = all << (begin % 64), to = all >> (63 - (end - 1) % 64);
    if (first == last) {
        words[first] |= from & to;
        return;
    }
    words[first] |= from;
    std::fill(words + first + 1, words + last, all);
    words[last] |= to;
}

void clear_tail(std::uint64_t* words, std::int64_t count) {
    if (count % 64 != 0) words[count / 64] &= all >> (64 - count % 64);
}

}  // namespace frisket::runtime
