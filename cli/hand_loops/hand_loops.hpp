// SPDX-License-Identifier: MIT
// Declares masked Adagrad as loops by hand, one for each case.
#pragma once
#include <cstdint>
#include <string_view>

/// Masked Adagrad as one writes it by hand for one case: what the benchmarks and the tuner's page compare with.
/// No loop has threads: who calls gives each of its own a part.  All round as compiled kernels do.
namespace frisket::hand {

struct Adagrad {
    float* param;
    float* sum;
    const float* grad;
    float rate, eps;
};

/// The loops, over the elements from `begin` to `end`; compiled once for each instruction set.
struct Loops {
    std::string_view instructions;  ///< vector instructions: "AVX-512", "AVX2" or "none"

    using OfElements = void (*)(const Adagrad& step, std::int64_t begin, std::int64_t end);
    using OfBytes = void (*)(const Adagrad& step, const std::uint8_t* mask, std::int64_t begin,
                             std::int64_t end);
    using OfWords = void (*)(const Adagrad& step, const std::uint64_t* words, std::int64_t begin,
                             std::int64_t end);
    using OfList = void (*)(const Adagrad& step, const std::int32_t* positions, const float* values,
                            std::int64_t begin, std::int64_t end);
    OfElements dense;      ///< sum += grad², param -= rate (grad / (sqrt(sum) + eps)), for every element
    OfBytes branch;        ///< where a byte is not 0: an `if` for each element
    OfBytes blend;         ///< every element is computed, and a select keeps the old one
    OfBytes vector_bytes;  ///< vectors under a mask made from bytes; 64 elements without any are skipped
    OfWords vector_bits;   ///< vectors under a mask of bits, 64 a word; here and below `begin` is a
                           ///< multiple of 64
    OfWords branch_bits;   ///< an `if` for each bit
    OfWords scan_bits;     ///< the bits of each word one by one
    OfList index_list;     ///< a list of positions and their gradients, its entries from `begin` to `end`
};

/// The loops with the widest vectors that this processor has.
const Loops& loops();

}  // namespace frisket::hand
