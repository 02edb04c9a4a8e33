// SPDX-License-Identifier: MIT
// Computes random bits with the counter-based generator Philox4x32-10.
#pragma once
#include <array>
#include <cstdint>

/// Random bits that are a function of where and when they are used, so that they are the same whatever
/// computes them, in whatever order.
namespace frisket::philox {

/// Arithmetic of Philox in 32-bit words of the host; loops have their own (codegen/scalar/random.cpp).
struct HostWords {
    using Word = std::uint32_t;
    static Word word(std::uint32_t number) { return number; }
    static Word low(Word a, std::uint32_t factor) { return a * factor; }
    static Word high(Word a, std::uint32_t factor) {
        return static_cast<Word>((std::uint64_t{a} * factor) >> 32U);
    }
};

/// Philox4x32-10: four words of 32 random bits for each counter and key.
/// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
template <class Words, class Word = typename Words::Word>
std::array<Word, 4> random(const std::array<Word, 4>& counter, const std::array<Word, 2>& key) {
    std::array<Word, 4> c = counter;
    for (std::uint32_t round = 0; round < 10; ++round) {
        const Word key0 = key[0] + Words::word(round * 0x9E3779B9U);
        const Word key1 = key[1] + Words::word(round * 0xBB67AE85U);
        constexpr std::uint32_t factor0 = 0xD2511F53U, factor1 = 0xCD9E8D57U;
        c = {Words::high(c[2], factor1) ^ c[1] ^ key0, Words::low(c[2], factor1),
             Words::high(c[0], factor0) ^ c[3] ^ key1, Words::low(c[0], factor0)};
    }
    return c;
}

/// Assignment of random bits to elements: in each tile of 64 elements in row-major order, element i has word
/// i / 16 of counter i % 16, so that adjacent vectors share one computation.
inline constexpr int tile = 64, counters = 16;

}  // namespace frisket::philox
