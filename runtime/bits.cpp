// SPDX-License-Identifier: MIT
#include "bits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace frisket {

namespace {

#if defined(__x86_64__)

// SSE2 is part of x86-64; what goes beyond it is chosen at run time.

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

/// Calls body(begin, end) for the groups of words that have a bit set.
template <class Body>
void for_each_group(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word, Body&& body) {
    std::int64_t begin = begin_word;
    for (; begin + group_words <= end_word; begin += group_words) {
        std::uint64_t any = 0;
        for (std::int64_t w = 0; w < group_words; ++w) any |= words[begin + w];
        if (any != 0) body(begin, begin + group_words);
    }
    if (begin < end_word) body(begin, end_word);
}

template <class Position>
std::int64_t positions(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                       Position* out) {
    Position* next = out;
    for_each_group(words, begin_word, end_word, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t w = begin; w < end; ++w)
            for (std::uint64_t word = words[w]; word != 0; word &= word - 1)
                *next++ = static_cast<Position>(w * 64 + std::countr_zero(word));
    });
    return next - out;
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

bool any_bit(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word) {
    std::uint64_t any = 0;
    for (std::int64_t w = begin_word; w < end_word; ++w) any |= words[w];
    return any != 0;
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
    constexpr std::int64_t most = 0xffff;  // of the four counts of 16 bits in one sum
    std::int64_t count = 0;
    for (std::int64_t begin = begin_word; begin < end_word; begin += most) {
        std::uint64_t counts = 0;
        for (std::int64_t w = begin; w < std::min(begin + most, end_word); ++w)
            counts += nonzero_quarters(words[w]) >> 15;
        for (; counts != 0; counts >>= 16) count += static_cast<std::int64_t>(counts & 0xffff);
    }
    return count;
}

std::int64_t nonzero_lines(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                           std::span<std::int32_t> out) {
    std::size_t found = 0;
    for_each_group(words, begin_word, end_word, [&](std::int64_t begin, std::int64_t end) {
        // Every quarter is written and those that count are kept: no branch on random bits.
        for (std::int64_t line = 4 * begin; line < 4 * end && found < out.size(); ++line) {
            out[found] = static_cast<std::int32_t>(line);
            found += static_cast<std::size_t>((words[line / 4] >> (line % 4 * 16) & 0xffff) != 0);
        }
    });
    return static_cast<std::int64_t>(found);
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

}  // namespace frisket
