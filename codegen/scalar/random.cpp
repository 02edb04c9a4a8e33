// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "value.hpp"

#include <bit>

#include "../../ir/ops/philox.hpp"

namespace frisket::lowering {

using Halide::Expr;

namespace {

/// The arithmetic in which Philox computes in loops.
struct LoopWords {
    using Word = Expr;
    static Expr word(std::uint32_t number) { return lowering::word(number); }
    static Expr low(const Expr& a, std::uint32_t factor) { return a * word(factor); }
    static Expr high(const Expr& a, std::uint32_t factor) {
        const Expr wide = Halide::cast<std::uint64_t>(a) * Halide::cast<std::uint64_t>(word(factor));
        return Halide::cast<std::uint32_t>(wide >> 32);
    }
};

Expr low(const Expr& wide) { return Halide::cast<std::uint32_t>(Halide::cast<std::uint64_t>(wide)); }
Expr high(const Expr& wide) { return Halide::cast<std::uint32_t>(Halide::cast<std::uint64_t>(wide) >> 32); }

/// 32 bits for an element.
Expr bits_of(const RandomBits& random) {
    const Position& place = random.place;
    const Expr tile = place.first + random.first.expr;
    // The lowest word is computed from words, so that the lanes of a vector stay as wide as floats.
    const Expr in_tile = Halide::cast<std::uint32_t>(place.lane % philox::counters);
    const Expr first = (low(tile) + Halide::cast<std::uint32_t>(place.tile)) * word(philox::counters);
    const Expr above = (tile + Halide::cast<std::int64_t>(place.tile)) * philox::counters;
    const auto words = philox::random<LoopWords>({first + in_tile, high(above), low(random.step.expr),
                                                  word(static_cast<std::uint32_t>(random.rounding))},
                                                 {low(random.seed.expr), high(random.seed.expr)});
    const Expr which = place.lane / philox::counters;
    return Halide::select(which == 0, words[0], which == 1, words[1], which == 2, words[2], words[3]);
}

/// Up or down to a number without the bits `lost`.
Expr cut(const Expr& bits, const Expr& random, std::uint32_t lost) {
    return (bits + (random & word(lost))) & word(~lost);
}

Expr denormal(const Expr& magnitude, const Expr& random) {
    const Expr steps = float_of_bits(magnitude) * 0x1p24f;
    const Expr whole = Halide::cast<float>(Halide::cast<std::int32_t>(steps));
    const Expr share = Halide::cast<float>(Halide::cast<std::int32_t>(random >> 8)) * 0x1p-24f;
    return bits_of_float((whole + Halide::select(share < steps - whole, 1.0f, 0.0f)) * 0x1p-24f);
}

}  // namespace

Value round_stochastically(const Value& value, DType dtype, const RandomBits& random) {
    const Expr bits = bits_of_float(value.expr), magnitude = bits & word(0x7fff'ffff);
    const Expr given = bits_of(random);
    if (dtype == DType::bfloat16)
        return {float_of_bits(Halide::select(magnitude > word(0x7f7f'0000), bits, cut(bits, given, 0xffff)))};
    const Expr is_past = magnitude > word(std::bit_cast<std::uint32_t>(65504.0f));
    const Expr is_normal = magnitude >= word(std::bit_cast<std::uint32_t>(0x1p-14f));
    const Expr small = denormal(Halide::select(is_normal, word(0), magnitude), given);
    return {float_of_bits(Halide::select(is_past, bits, is_normal, cut(bits, given, 0x1fff),
                                         small | (bits & word(0x8000'0000))))};
}

}  // namespace frisket::lowering
