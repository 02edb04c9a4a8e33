// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "ranks.hpp"

#include "value.hpp"

namespace frisket::codegen {

using Halide::cast;
using Halide::Expr;

Expr bit_count(Expr word) {
    const auto all = [](std::uint64_t mask) { return Halide::Internal::make_const(Halide::UInt(64), mask); };
    const auto shifted = [](const Expr& x, int bits) { return x >> cast<std::uint64_t>(bits); };
    word = word - (shifted(word, 1) & all(0x5555555555555555));
    word = (word & all(0x3333333333333333)) + (shifted(word, 2) & all(0x3333333333333333));
    word = (word + shifted(word, 4)) & all(0x0f0f0f0f0f0f0f0f);
    return shifted(word * all(0x0101010101010101), 56);
}

RankedElement ranked_element(const Expr& number, const Expr& bit, const Expr& count) {
    const Expr ranks = cast<std::uint64_t>(number), at = cast<std::uint64_t>(bit),
               one = cast<std::uint64_t>(1);
    const Expr before = cast<int>(ranks >> cast<std::uint64_t>(32)),
               entry = before + cast<int>(bit_count(ranks & ((one << at) - one)));
    return {.is_stored = (ranks >> at & one) != cast<std::uint64_t>(0),
            .entry = lowering::clamped(entry, count)};
}

}  // namespace frisket::codegen
