// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "value.hpp"

#include <bit>
#include <limits>

namespace frisket::lowering {

using Halide::Expr;

namespace {

bool is_bool(const Value& x) { return x.expr.type().is_bool(); }
bool is_float(const Value& x) { return x.expr.type().is_float(); }

/// A float cut to an integer; the lowest one for NaN and for values out of range.
Expr cut(const Halide::Type& type, const Expr& x) {
    const Expr whole = Halide::trunc(x);
    const double end = type.bits() == 64 ? 0x1p63 : 0x1p31;
    const Expr fits = !(whole < like({x}, -end).expr) && whole < like({x}, end).expr && !is_nan({x}).expr;
    const Expr safe = Halide::select(fits, whole, like({x}, 0).expr);
    return Halide::select(fits, Halide::cast(type, safe), type.min());
}

}  // namespace

Halide::Type expr_type(DType dtype) {
    switch (compute_dtype(dtype)) {
        case DType::boolean: return Halide::Bool();
        case DType::int32: return Halide::Int(32);
        case DType::int64: return Halide::Int(64);
        case DType::float32: return Halide::Float(32);
        default: return Halide::Float(64);
    }
}

Value like(const Value& x, double number) {
    const Halide::Type type = x.expr.type();
    if (type.is_bool())
        return {number != 0 ? Halide::Internal::const_true() : Halide::Internal::const_false()};
    // Rounded here: Halide would keep the double's digits.
    if (type == Halide::Float(32)) return {Expr(static_cast<float>(number))};
    // Halide writes numbers into a device's source with the digits of a float32: all other numbers go there
    // as bits.
    if (type == Halide::Float(64) && static_cast<double>(static_cast<float>(number)) != number)
        return {Halide::reinterpret(
            type, Halide::Internal::make_const(Halide::UInt(64), std::bit_cast<std::uint64_t>(number)))};
    return {Halide::Internal::make_const(type, number)};
}

Value constant(double number, DType dtype) {
    return like({Halide::Internal::make_zero(expr_type(dtype))}, number);
}

Value constant(std::int64_t number, DType dtype) {
    const Halide::Type type = expr_type(dtype);
    if (!type.is_int()) return constant(static_cast<double>(number), dtype);
    if (dtype == DType::int32) number = static_cast<std::int32_t>(number);
    return {Halide::Internal::make_const(type, number)};
}

Value convert(const Value& value, DType to) {
    if (const DType computed = compute_dtype(to); computed != to)
        return from_memory(to_memory(for_memory(value, to), to), to);
    const Halide::Type type = expr_type(to), from = value.expr.type();
    if (from == type) return value;
    if (type.is_bool()) return {value.expr != Halide::Internal::make_zero(from)};
    if (from.is_bool() || type.is_float()) return {Halide::cast(type, value.expr)};
    if (from.is_float()) return {cut(type, value.expr)};
    // Unsigned on the way: the low bits stay, whatever Halide assumes of signed numbers.
    if (from.bits() > type.bits()) {
        const Expr bits = Halide::reinterpret(from.with_code(Halide::Type::UInt), value.expr);
        return {Halide::reinterpret(type, Halide::cast(type.with_code(Halide::Type::UInt), bits))};
    }
    return {Halide::cast(type, value.expr)};
}

Expr as_bits(const Expr& x) {
    const Halide::Type bits = x.type().with_code(Halide::Type::UInt);
    const auto* known = x.as<Halide::Internal::FloatImm>();
    if (known == nullptr) return Halide::reinterpret(bits, x);
    return Halide::Internal::make_const(
        bits, bits.bits() == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(known->value))
                                : std::bit_cast<std::uint64_t>(known->value));
}

Value operator+(const Value& a, const Value& b) {
    if (is_bool(a)) return a || b;
    return is_float(a) ? Value{a.expr + b.expr} : wrapped(Halide::operator+, a, b);
}
Value operator-(const Value& a, const Value& b) {
    return is_float(a) ? Value{a.expr - b.expr} : wrapped(Halide::operator-, a, b);
}
Value operator*(const Value& a, const Value& b) {
    if (is_bool(a)) return a && b;
    return is_float(a) ? Value{a.expr * b.expr} : wrapped(Halide::operator*, a, b);
}

Value operator/(const Value& a, const Value& b) {
    const auto divisor = Halide::Internal::as_const_float(b.expr);
    return {a.expr / (divisor && *divisor != 0 ? b.expr : opaque(b.expr))};
}

namespace {

Halide::Type bits_of(const Value& x) { return x.expr.type().with_code(Halide::Type::UInt); }

Expr sign_of(const Halide::Type& bits) {
    return Halide::Internal::make_const(bits, std::uint64_t{1} << (bits.bits() - 1));
}

}  // namespace

// Halide computes 0 - x, which loses the sign of zero.
Value operator-(const Value& x) {
    if (!is_float(x)) return like(x, 0) - x;
    const Halide::Type bits = bits_of(x);
    return {Halide::reinterpret(x.expr.type(), as_bits(x.expr) ^ sign_of(bits))};
}

// Halide's abs of a float64 keeps the sign of zero.
Value abs(const Value& x) {
    if (!is_float(x)) return select(x < like(x, 0), -x, x);
    const Halide::Type bits = bits_of(x);
    return {Halide::reinterpret(x.expr.type(), as_bits(x.expr) & ~sign_of(bits))};
}

Value operator<(const Value& a, const Value& b) { return {a.expr < b.expr}; }
Value operator>(const Value& a, const Value& b) { return {b.expr < a.expr}; }
// Halide lowers a <= b as !(b < a), which is true for NaN.
Value operator<=(const Value& a, const Value& b) { return {a.expr < b.expr || a.expr == b.expr}; }
Value operator>=(const Value& a, const Value& b) { return {b.expr < a.expr || a.expr == b.expr}; }
// Halide takes !(x == x) for false, in strict mode too: it is true for NaN.
Value operator==(const Value& a, const Value& b) {
    if (is_float(a) && Halide::Internal::graph_equal(a.expr, b.expr)) return !is_nan(a);
    return {a.expr == b.expr};
}
Value operator!=(const Value& a, const Value& b) { return !(a == b); }
Value operator&&(const Value& a, const Value& b) { return {a.expr && b.expr}; }
Value operator||(const Value& a, const Value& b) { return {a.expr || b.expr}; }
Value operator!(const Value& a) { return {!a.expr}; }

Value select(const Value& condition, const Value& x, const Value& y) {
    return {Halide::select(condition.expr, x.expr, y.expr)};
}

// Halide's is_nan makes everything in its argument strict, which every target here is anyway, and copies it
// for that: shared subexpressions in it are no longer shared, and the next copy is exponentially larger.
Value is_nan(const Value& x) {
    if (!is_float(x) || x.is_never_nan) return {Halide::Internal::const_false()};
    const char* name = x.expr.type().bits() == 32 ? "is_nan_f32" : "is_nan_f64";
    return {Halide::Internal::Call::make(Halide::Bool(), name, {x.expr}, Halide::Internal::Call::PureExtern)};
}
Value is_inf(const Value& x) {
    if (!is_float(x)) return {Halide::Internal::const_false()};
    return abs(x) == like(x, std::numeric_limits<double>::infinity());
}
Value sign_bit(const Value& x) {
    if (is_bool(x)) return {Halide::Internal::const_false()};
    if (!is_float(x)) return x < like(x, 0);
    // Unsigned: for signed bits of a widened bfloat16 Halide takes the sign for known.
    const Halide::Type bits = x.expr.type().with_code(Halide::Type::UInt);
    const Expr sign = Halide::Internal::make_one(bits) << Halide::Internal::make_const(bits, bits.bits() - 1);
    return {(as_bits(x.expr) & sign) != Halide::Internal::make_zero(bits)};
}

Value ceil(const Value& x) { return is_float(x) ? Value{Halide::ceil(x.expr)} : x; }
Value floor(const Value& x) { return is_float(x) ? Value{Halide::floor(x.expr)} : x; }
Value trunc(const Value& x) { return is_float(x) ? Value{Halide::trunc(x.expr)} : x; }
Value round_to_even(const Value& x) { return is_float(x) ? Value{Halide::round(x.expr)} : x; }

bool is_float32(const Value& x) { return x.expr.type() == Halide::Float(32); }

// A name that LLVM knows: calls of a vector's lanes become one instruction.
Value fma(const Value& a, const Value& b, const Value& c) {
    const Halide::Type type = a.expr.type();
    const char* const name = type.bits() == 32 ? "llvm.fma.f32" : "llvm.fma.f64";
    return {Halide::Internal::Call::make(type, name, {a.expr, b.expr, c.expr},
                                         Halide::Internal::Call::PureExtern)};
}

Value with_sign_of(const Value& size, const Value& sign) {
    const Halide::Type bits = bits_of(size);
    const Expr mask = opaque_mask(sign_of(bits));
    const Expr of_sign = as_bits(sign.expr) & mask;
    return {Halide::reinterpret(size.expr.type(), (as_bits(size.expr) & ~mask) | of_sign)};
}

Value to_bits(const Value& x) { return {as_bits(x.expr)}; }
Value from_bits(const Value& bits) {
    return {Halide::reinterpret(bits.expr.type().with_code(Halide::Type::Float), bits.expr)};
}
Value bits_like(const Value& bits, std::uint64_t number) {
    return {Halide::Internal::make_const(bits.expr.type(), number)};
}
Value operator<<(const Value& bits, int count) {
    return {bits.expr << bits_like(bits, static_cast<std::uint64_t>(count)).expr};
}
Value operator>>(const Value& bits, int count) {
    return {bits.expr >> bits_like(bits, static_cast<std::uint64_t>(count)).expr};
}

Value widen(const Value& x) { return {Halide::cast(Halide::Float(64), x.expr)}; }
Value narrow(const Value& x, const Value& wide) { return {Halide::cast(x.expr.type(), wide.expr)}; }

}  // namespace frisket::lowering
