// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "value.hpp"

#include <cmath>
#include <limits>

namespace frisket::lowering {

using Halide::Expr;

namespace {

bool is_float32(const Value& x) { return x.expr.type() == Halide::Float(32); }

Expr number(double value, const Halide::Type& type) { return Halide::Internal::make_const(type, value); }

Expr infinity(const Halide::Type& type) { return number(std::numeric_limits<double>::infinity(), type); }

}  // namespace

Halide::Type expr_type(DType dtype) {
    switch (dtype) {
        case DType::boolean: return Halide::Bool();
        case DType::uint8: return Halide::UInt(8);
        case DType::int32: return Halide::Int(32);
        case DType::int64: return Halide::Int(64);
        case DType::float32: return Halide::Float(32);
        case DType::float64: break;
    }
    return Halide::Float(64);
}

Halide::Type memory_type(DType dtype) { return dtype == DType::boolean ? Halide::UInt(8) : expr_type(dtype); }

Value constant(double number, DType dtype) {
    if (dtype == DType::boolean)
        return {number != 0 ? Halide::Internal::const_true() : Halide::Internal::const_false()};
    // Rounded here: Halide would keep the double's digits.
    if (dtype == DType::float32) return {Expr(static_cast<float>(number))};
    return {lowering::number(number, expr_type(dtype))};
}

Value convert(const Value& value, DType to) {
    const Halide::Type type = expr_type(to);
    if (value.expr.type() == type) return value;
    if (type.is_bool()) return {value.expr != Halide::Internal::make_zero(value.expr.type())};
    return {Halide::cast(type, value.expr)};
}

Expr to_memory(const Value& value) {
    return value.expr.type().is_bool() ? Halide::cast(Halide::UInt(8), value.expr) : value.expr;
}

// A bool buffer of Halide's would read bit 0 alone.
Value from_memory(const Expr& loaded, DType dtype) {
    return dtype == DType::boolean ? Value{loaded != Halide::Internal::make_zero(loaded.type())}
                                   : Value{loaded};
}

Value operator+(const Value& a, const Value& b) { return {a.expr + b.expr}; }
Value operator-(const Value& a, const Value& b) { return {a.expr - b.expr}; }
Value operator*(const Value& a, const Value& b) { return {a.expr * b.expr}; }
Value operator/(const Value& a, const Value& b) { return {a.expr / b.expr}; }

namespace {

Halide::Type bits_of(const Value& x) { return x.expr.type().with_code(Halide::Type::UInt); }

Expr sign_of(const Halide::Type& bits) {
    return Halide::Internal::make_const(bits, std::uint64_t{1} << (bits.bits() - 1));
}

}  // namespace

// Halide computes 0 - x, which loses the sign of zero.
Value operator-(const Value& x) {
    const Halide::Type bits = bits_of(x);
    return {Halide::reinterpret(x.expr.type(), Halide::reinterpret(bits, x.expr) ^ sign_of(bits))};
}

// Halide's abs of a float64 keeps the sign of zero.
Value abs(const Value& x) {
    const Halide::Type bits = bits_of(x);
    return {Halide::reinterpret(x.expr.type(), Halide::reinterpret(bits, x.expr) & ~sign_of(bits))};
}

Value operator<(const Value& a, const Value& b) { return {a.expr < b.expr}; }
Value operator>(const Value& a, const Value& b) { return {b.expr < a.expr}; }
// Halide lowers a <= b as !(b < a), which is true for NaN.
Value operator<=(const Value& a, const Value& b) { return {a.expr < b.expr || a.expr == b.expr}; }
Value operator>=(const Value& a, const Value& b) { return {b.expr < a.expr || a.expr == b.expr}; }
Value operator==(const Value& a, const Value& b) { return {a.expr == b.expr}; }
Value operator!=(const Value& a, const Value& b) { return {!(a.expr == b.expr)}; }
Value operator&&(const Value& a, const Value& b) { return {a.expr && b.expr}; }
Value operator||(const Value& a, const Value& b) { return {a.expr || b.expr}; }
Value operator!(const Value& a) { return {!a.expr}; }

Value select(const Value& condition, const Value& x, const Value& y) {
    return {Halide::select(condition.expr, x.expr, y.expr)};
}

Value is_nan(const Value& x) { return {Halide::is_nan(x.expr)}; }
Value sqrt(const Value& x) { return {Halide::sqrt(x.expr)}; }

// Halide's float32 exp gives 0 for infinity and NaN and for every denormal result: the argument is kept
// in its range, results below 2^-126 are computed 2^64 times too large.
Value exp(const Value& x) {
    if (!is_float32(x)) return {Halide::exp(x.expr)};
    const Halide::Type type = Halide::Float(32);
    const Expr low = x.expr < -87.0f;
    const Expr shifted = Halide::select(low, x.expr + 44.3614195558f, x.expr);  // 64 ln 2
    const Expr inside =
        Halide::select(shifted < 88.8f, Halide::select(shifted < -87.0f, -87.0f, shifted), 0.0f);
    const Expr scaled = Halide::exp(inside) * Halide::select(low, number(0x1p-64, type), 1.0f);
    const Expr finite = Halide::select(x.expr < -104.5f, 0.0f, scaled);
    return {Halide::select(Halide::is_nan(x.expr), x.expr,
                           Halide::select(x.expr > 88.72283935546875f, infinity(type), finite))};
}

// Halide's float32 log is wrong for infinity, NaN, zero, negative numbers and denormals.
Value log(const Value& x) {
    if (!is_float32(x)) return {Halide::log(x.expr)};
    const Halide::Type type = Halide::Float(32);
    const Expr tiny = x.expr < 0x1p-126f;
    const Expr normal = Halide::select(tiny, x.expr * 0x1p24f, x.expr);
    const Expr positive = normal > 0.0f && normal < infinity(type);
    const Expr inside = Halide::log(Halide::select(positive, normal, 1.0f));
    const Expr value = inside - Halide::select(tiny, 16.6355323334f, 0.0f);  // 24 ln 2
    const Expr nan = number(std::numeric_limits<double>::quiet_NaN(), type);
    const Expr special =
        Halide::select(x.expr == 0.0f, -infinity(type), Halide::select(x.expr < 0.0f, nan, x.expr));
    return {Halide::select(positive, value, special)};
}

namespace {

/// x to a small whole power by multiplications, in float64, so that one rounding remains for float32.
Expr whole_power(const Expr& x, int power) {
    if (power < 0) return Halide::Internal::make_one(x.type()) / whole_power(x, -power);
    Expr result = Halide::Internal::make_one(x.type()), square = x;
    for (int rest = power; rest > 0; rest /= 2) {
        if (rest % 2) result = result * square;
        square = square * square;
    }
    return result;
}

}  // namespace

// Halide's float32 pow is off by up to 169 ULP and wrong for special values.
Value pow(const Value& x, const Value& y) {
    const Halide::Type type = x.expr.type(), wide = Halide::Float(64);
    const auto power = Halide::Internal::as_const_float(y.expr);
    if (power && *power == 2.0) return {x.expr * x.expr};
    if (power && type.bits() == 32 && std::abs(*power) <= 8 && *power == std::trunc(*power))
        return {Halide::cast(type, whole_power(Halide::cast(wide, x.expr), static_cast<int>(*power)))};
    return {Halide::cast(type, Halide::pow(Halide::cast(wide, x.expr), Halide::cast(wide, y.expr)))};
}

}  // namespace frisket::lowering
