// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../ir/ops/formulas/division.hpp"
#include "../../ir/ops/formulas/power.hpp"
#include "value.hpp"

#include <cmath>

namespace frisket::lowering {

using Halide::Expr;

namespace {

bool is_real(const Value& x) { return x.expr.type().is_float(); }

/// x to a small whole power by multiplications, to the bits of formulas::power_by_products.
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

Value floor_quotient(const Value& a, const Value& b) {
    return is_real(a) ? formulas::real_floor_divide(a, b) : formulas::whole_floor_divide(a, b);
}
Value trunc_quotient(const Value& a, const Value& b) { return is_real(a) ? trunc(a / b) : quotient(a, b); }
Value modulo(const Value& a, const Value& b) {
    return is_real(a) ? formulas::real_modulo(a, b) : formulas::whole_modulo(a, b);
}
Value rest_of_trunc(const Value& a, const Value& b) {
    return is_real(a) ? formulas::fmod(a, b) : formulas::whole_remainder(a, b);
}

Value sign(const Value& x) { return formulas::sign(x); }
Value sqrt(const Value& x) { return {Halide::sqrt(x.expr)}; }
Value unknown(const Value& x) { return {opaque(x.expr), x.is_never_nan}; }

Value pow(const Value& x, const Value& y) {
    if (!is_real(x)) return whole_pow(x, y);
    const auto power = Halide::Internal::as_const_float(y.expr);
    if (!power || !formulas::has_product_form(*power, !is_float32(x))) return formulas::pow(x, y);
    if (*power == 2) return {x.expr * x.expr};
    const Expr wide = Halide::cast(Halide::Float(64), x.expr);
    return {Halide::cast(x.expr.type(), whole_power(wide, static_cast<int>(*power)))};
}

}  // namespace frisket::lowering
