// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "value.hpp"

#include <bit>

/// Elements in their form in memory.  Floats of 16 bits are taken apart here: Halide's own conversions turn
/// NaN into something else, and are slow where the processor has none.
namespace frisket::lowering {

using Halide::Expr;

namespace {

constexpr std::uint32_t sign = 0x8000'0000, infinity = 0x7f80'0000;

/// Difference of the exponents of float32 and float16.
constexpr std::uint32_t bias = 127 - 15;

/// Bits without those past `cut`, rounded to nearest, ties to even.
Expr rounded(const Expr& bits, int cut) {
    const auto below_half = (std::uint32_t{1} << (cut - 1)) - 1;
    return (bits + word(below_half) + ((bits >> cut) & word(1))) >> cut;
}

// float32's upper half.
Expr bfloat16_of(const Expr& x) {
    const Expr bits = bits_of_float(x);
    const Expr is_nan = (bits & word(~sign)) > word(infinity);
    return Halide::select(is_nan, (bits >> 16) | word(0x40), rounded(bits, 16));
}

Expr float16_of(const Expr& x) {
    const Expr bits = bits_of_float(x), magnitude = bits & word(~sign);
    const Expr normal = rounded(magnitude - word(bias << 23), 13);
    // Too small for a normal number: where 0.5 is added, the last bit is the least denormal's.
    const Expr denormal =
        bits_of_float(float_of_bits(magnitude) + 0.5f) - word(std::bit_cast<std::uint32_t>(0.5f));
    const Expr nan = word(0x7e00) | ((magnitude >> 13) & word(0x3ff));
    Expr half = Halide::select(magnitude < word((bias + 1) << 23), denormal, normal);
    half = Halide::select(magnitude >= word(std::bit_cast<std::uint32_t>(65520.0f)), word(0x7c00), half);
    half = Halide::select(magnitude > word(infinity), nan, half);
    return half | ((bits & word(sign)) >> 16);
}

Expr widened_float16(const Expr& half) {
    const Expr magnitude = half & word(0x7fff);
    const Expr normal = (magnitude << 13) + word(bias << 23);
    const Expr denormal =
        bits_of_float(Halide::cast<float>(Halide::cast<std::int32_t>(magnitude)) * 0x1p-24f);
    const Expr special = (magnitude << 13) | word(infinity);
    Expr bits = Halide::select(magnitude < word(0x400), denormal, normal);
    bits = Halide::select(magnitude >= word(0x7c00), special, bits);
    return float_of_bits(bits | ((half & word(0x8000)) << 16));
}

Expr wide_word(std::uint64_t number) { return Halide::Internal::make_const(Halide::UInt(64), number); }

/// A float64 equal to the integer, or the neighbour with an odd last bit.
Expr odd_float64(const Expr& whole) {
    const Expr bits = Halide::reinterpret(Halide::UInt(64), Halide::cast<std::int64_t>(whole));
    // 10 bits fewer are a float64's precision; integers smaller than 2^53 need none of this.
    const Expr lost = bits & wide_word(1023);
    const Expr odd = (bits & wide_word(~std::uint64_t{1023})) |
                     Halide::select(lost != wide_word(0), wide_word(1024), wide_word(0));
    const Expr is_exact = bits + wide_word(std::uint64_t{1} << 53) <= wide_word(std::uint64_t{1} << 54);
    const Expr chosen = Halide::reinterpret(Halide::Int(64), Halide::select(is_exact, bits, odd));
    return Halide::cast<double>(chosen);
}

/// A float32 equal to the number, or the neighbour with an odd last bit: rounded to fewer bits it equals the
/// number rounded once.
Expr odd_float32(const Expr& x) {
    const Expr magnitude = wide_word(~(std::uint64_t{1} << 63));
    const auto wide_bits = [&](const Expr& wide) {
        return Halide::reinterpret(Halide::UInt(64), wide) & magnitude;
    };
    const Expr near = Halide::cast<float>(x), bits = bits_of_float(near);
    const Expr found = wide_bits(Halide::cast<double>(near)), wanted = wide_bits(x);
    const Expr below = Halide::select(found > wanted, bits - word(1), bits) | word(1);
    const Expr is_special = wanted >= wide_word(std::uint64_t{0x7ff} << 52);
    return float_of_bits(Halide::select(is_special || found == wanted, bits, below));
}

}  // namespace

Value for_memory(const Value& value, DType dtype) {
    const Halide::Type type = value.expr.type();
    const bool is_small = dtype == DType::float16 || dtype == DType::bfloat16;
    if (!is_small || type.is_bool() || type == Halide::Float(32)) return convert(value, compute_dtype(dtype));
    return {odd_float32(type.is_float() ? value.expr : odd_float64(value.expr))};
}

Halide::Type memory_type(DType dtype) {
    switch (dtype) {
        case DType::boolean:
        case DType::uint8: return Halide::UInt(8);
        case DType::float16:
        case DType::bfloat16: return Halide::UInt(16);
        default: return expr_type(dtype);
    }
}

Expr to_memory(const Value& value, DType dtype) {
    switch (dtype) {
        case DType::boolean:
        case DType::uint8: return Halide::cast(Halide::UInt(8), value.expr);
        case DType::float16: return Halide::cast(Halide::UInt(16), float16_of(value.expr));
        case DType::bfloat16: return Halide::cast(Halide::UInt(16), bfloat16_of(value.expr));
        default: return value.expr;
    }
}

// A bool buffer of Halide's would read only bit 0.
Value from_memory(const Expr& loaded, DType dtype) {
    switch (dtype) {
        case DType::boolean: return {loaded != Halide::Internal::make_zero(loaded.type())};
        case DType::uint8: return {Halide::cast(Halide::Int(32), loaded)};
        case DType::float16: return {widened_float16(Halide::cast(Halide::UInt(32), loaded))};
        case DType::bfloat16: return {float_of_bits(Halide::cast(Halide::UInt(32), loaded) << 16)};
        default: return {loaded};
    }
}

// Cut to 32 bits first, so that the lanes of a vector stay as wide as floats.
Expr bit_of(const Expr& word, const Expr& bit) {
    const Expr half = Halide::cast<std::uint32_t>(word >> Halide::cast<std::uint64_t>(bit / 32 * 32));
    return ((half >> Halide::cast<std::uint32_t>(bit % 32)) & Halide::cast<std::uint32_t>(1)) != 0;
}

bool changes_bytes(DType dtype) {
    return dtype == DType::boolean || dtype == DType::float16 || dtype == DType::bfloat16;
}

}  // namespace frisket::lowering
