// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../ir/ops/special_functions.hpp"
#include "value.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace frisket::lowering {

using Halide::Expr;

namespace {

bool is_float32(const Value& x) { return x.expr.type() == Halide::Float(32); }
bool is_float(const Value& x) { return x.expr.type().is_float(); }

Expr number(double value, const Halide::Type& type) { return Halide::Internal::make_const(type, value); }

Expr infinity(const Halide::Type& type) { return number(std::numeric_limits<double>::infinity(), type); }

/// A function of the C library, found in the process just in time and in libm ahead of time.
template <class... Operand>
Value from_c(const std::string& name, const Operand&... operands) {
    const Halide::Type type = std::array{operands.expr.type()...}[0];
    return {Halide::Internal::Call::make(type, type.bits() == 32 ? name + "f" : name,
                                         {opaque(operands.expr)...}, Halide::Internal::Call::PureExtern)};
}

}  // namespace

Value floor_quotient(const Value& a, const Value& b) {
    return is_float(a) ? formulas::real_floor_divide(a, b) : formulas::whole_floor_divide(a, b);
}
Value trunc_quotient(const Value& a, const Value& b) { return is_float(a) ? trunc(a / b) : quotient(a, b); }
Value modulo(const Value& a, const Value& b) {
    return is_float(a) ? formulas::real_modulo(a, b) : formulas::whole_modulo(a, b);
}
Value rest_of_trunc(const Value& a, const Value& b) {
    return is_float(a) ? fmod(a, b) : formulas::whole_remainder(a, b);
}

Value sign(const Value& x) { return formulas::sign(x); }
Value sqrt(const Value& x) { return {Halide::sqrt(x.expr)}; }

// Halide's float32 exp gives 0 for infinity and NaN and for every denormal result: the argument is kept
// in its range, results below 2^-126 are computed 2^64 times too large.
Value exp(const Value& known) {
    const Value x{opaque(known.expr)};
    if (!is_float32(x)) return {Halide::exp(x.expr)};
    const Halide::Type type = Halide::Float(32);
    const Expr low = x.expr < -87.0f;
    const Expr shifted = Halide::select(low, x.expr + 44.3614195558f, x.expr);  // 64 ln 2
    const Expr inside =
        Halide::select(shifted < 88.8f, Halide::select(shifted < -87.0f, -87.0f, shifted), 0.0f);
    const Expr scaled = Halide::exp(inside) * Halide::select(low, number(0x1p-64, type), 1.0f);
    const Expr finite = Halide::select(x.expr < -104.5f, 0.0f, scaled);
    return {Halide::select(is_nan(x).expr, x.expr,
                           Halide::select(x.expr > 88.72283935546875f, infinity(type), finite))};
}

// Halide's float32 log is wrong for infinity, NaN, zero, negative numbers and denormals.
Value log(const Value& known) {
    const Value x{opaque(known.expr)};
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

constexpr int most_power = 8;  // whole ones up to it are multiplications

/// x to a small whole power by multiplications, in float64, so that one rounding remains for float32.
Expr whole_power(const Expr& x, int power) {
    if (power < 0) return (like({x}, 1) / Value{whole_power(x, -power)}).expr;
    Expr result = Halide::Internal::make_one(x.type()), square = x;
    for (int rest = power; rest > 0; rest /= 2) {
        if (rest % 2) result = result * square;
        square = square * square;
    }
    return result;
}

}  // namespace

bool has_power_formula(double power, DType dtype) {
    if (dtype == DType::float64) return power == 2;
    return std::abs(power) <= most_power && power == std::trunc(power);
}

// Halide's float32 pow is off by up to 169 ULP and wrong for special values.
Value pow(const Value& x, const Value& y) {
    if (!is_float(x)) return whole_pow(x, y);
    const Halide::Type type = x.expr.type(), wide = Halide::Float(64);
    const auto power = Halide::Internal::as_const_float(y.expr);
    if (power && has_power_formula(*power, is_float32(x) ? DType::float32 : DType::float64)) {
        if (*power == 2) return {x.expr * x.expr};
        return {Halide::cast(type, whole_power(Halide::cast(wide, x.expr), static_cast<int>(*power)))};
    }
    const auto widened = [&](const Value& operand) { return opaque(Halide::cast(wide, operand.expr)); };
    return {Halide::cast(type, Halide::pow(widened(x), widened(y)))};
}

Value any_pow(const Value& x, const Value& y) {
    const Value otherwise = pow(x, y);
    if (!is_float(x)) return otherwise;
    if (!is_float32(x)) return select(y == like(y, 2), x * x, otherwise);
    const Value is_small = abs(y) <= like(y, most_power) && y == trunc(y);
    const Expr size = Halide::cast(Halide::Int(32), select(is_small, abs(y), like(y, 0)).expr);
    Value square = widen(x), result = like(square, 1);
    const Value one = result;
    for (int bit = 1; bit <= most_power; bit *= 2) {
        result = result * select({(size & bit) != 0}, square, one);
        square = square * square;
    }
    result = select(y < like(y, 0), one / result, result);
    return select(is_small, narrow(x, result), otherwise);
}

Value sin(const Value& x) { return {Halide::sin(opaque(x.expr))}; }
Value cos(const Value& x) { return {Halide::cos(opaque(x.expr))}; }
Value tan(const Value& x) { return {Halide::tan(opaque(x.expr))}; }
Value asin(const Value& x) { return {Halide::asin(opaque(x.expr))}; }
Value acos(const Value& x) { return {Halide::acos(opaque(x.expr))}; }
Value atan(const Value& x) { return {Halide::atan(opaque(x.expr))}; }
Value sinh(const Value& x) { return {Halide::sinh(opaque(x.expr))}; }
Value cosh(const Value& x) { return {Halide::cosh(opaque(x.expr))}; }
Value tanh(const Value& x) { return {Halide::tanh(opaque(x.expr))}; }
Value asinh(const Value& x) { return {Halide::asinh(opaque(x.expr))}; }
Value acosh(const Value& x) { return {Halide::acosh(opaque(x.expr))}; }
Value atanh(const Value& x) { return {Halide::atanh(opaque(x.expr))}; }
Value atan2(const Value& a, const Value& b) { return {Halide::atan2(opaque(a.expr), opaque(b.expr))}; }

Value exp2(const Value& x) { return from_c("exp2", x); }
Value expm1(const Value& x) { return from_c("expm1", x); }
Value log2(const Value& x) { return from_c("log2", x); }
Value log10(const Value& x) { return from_c("log10", x); }
Value log1p(const Value& x) { return from_c("log1p", x); }
Value erf(const Value& x) { return from_c("erf", x); }
Value erfc(const Value& x) { return from_c("erfc", x); }
Value lgamma(const Value& x) { return from_c("lgamma", x); }
Value fmod(const Value& a, const Value& b) { return from_c("fmod", a, b); }
Value hypot(const Value& a, const Value& b) { return from_c("hypot", a, b); }

Value sigmoid(const Value& x) { return formulas::sigmoid(x); }
Value logit(const Value& x) { return formulas::logit(x); }
Value sinc(const Value& x) { return formulas::sinc(x); }
Value digamma(const Value& x) { return formulas::digamma(x); }
Value trigamma(const Value& x) { return formulas::trigamma(x); }
Value erfinv(const Value& x) { return formulas::erfinv(x); }
Value i0(const Value& x) { return formulas::i0(x); }
Value i1(const Value& x) { return formulas::i1(x); }

}  // namespace frisket::lowering
