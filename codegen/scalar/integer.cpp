// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "value.hpp"

#include <string>
#include <utility>
#include <vector>

namespace frisket::lowering {

using Halide::Expr;

namespace {

Halide::Type unsigned_type(const Value& x) { return x.expr.type().with_code(Halide::Type::UInt); }

Expr bits(const Value& x) { return Halide::reinterpret(unsigned_type(x), x.expr); }

/// True if a shift by this number of bits leaves any bit.
Expr is_inside(const Value& shift) {
    const Halide::Type type = unsigned_type(shift);
    return bits(shift) < Halide::Internal::make_const(type, type.bits());
}

}  // namespace

Value wrapped(Expr (*operation)(Expr, Expr), const Value& a, const Value& b) {
    return {Halide::reinterpret(a.expr.type(), operation(bits(a), bits(b)))};
}

Value operator&(const Value& a, const Value& b) {
    return a.expr.type().is_bool() ? a && b : Value{a.expr & b.expr};
}
Value operator|(const Value& a, const Value& b) {
    return a.expr.type().is_bool() ? a || b : Value{a.expr | b.expr};
}
Value operator^(const Value& a, const Value& b) {
    return a.expr.type().is_bool() ? a != b : Value{a.expr ^ b.expr};
}
Value bitwise_not(const Value& x) { return x.expr.type().is_bool() ? !x : Value{~x.expr}; }

// Halide's division rounds as Euclid does; the processor's traps for 0, and for the lowest number by -1.
// A known divisor is looked at here: comparing the largest one with -1, Halide overflows.
Value quotient(const Value& a, const Value& b) {
    const auto known = Halide::Internal::as_const_int(b.expr);
    if (known && *known == -1) return -a;
    if (known && *known != 0) return {Halide::div_round_to_zero(a.expr, b.expr)};
    const Value minus_one = like(b, -1), one = like(b, 1);
    const Value divisor = select(b == minus_one || b == like(b, 0), one, b);
    const Value rounded{Halide::div_round_to_zero(a.expr, divisor.expr)};
    return select(b == minus_one, -a, rounded);
}

Value shift_left(const Value& a, const Value& b) {
    const Expr inside = is_inside(b);
    const Expr by = Halide::select(inside, bits(b), Halide::Internal::make_zero(unsigned_type(b)));
    return select({inside}, {Halide::reinterpret(a.expr.type(), bits(a) << by)}, like(a, 0));
}

Value shift_right(const Value& a, const Value& b) {
    const Halide::Type type = unsigned_type(b);
    const Expr most = Halide::Internal::make_const(type, type.bits() - 1);
    return {a.expr >> Halide::select(is_inside(b), bits(b), most)};
}

// Power by squaring, in Lets: as plain expressions the squares would double in size with every step.
Value whole_pow(const Value& x, const Value& y) {
    const Halide::Type type = unsigned_type(x);
    const Expr one = Halide::Internal::make_one(type), exponent = bits(y);
    const auto known = Halide::Internal::as_const_int(y.expr);
    std::vector<std::pair<std::string, Expr>> lets;
    const auto let = [&](const Expr& value) {
        lets.emplace_back(Halide::Internal::unique_name("power"), value);
        return Halide::Internal::Variable::make(value.type(), lets.back().first);
    };
    Expr square = let(bits(x)), result = one;
    // A condition has one bit; the rest are 0.  Halide would find that out square by square, each at twice
    // the cost of the last.
    const auto* cast = y.expr.as<Halide::Internal::Cast>();
    const int bits_of_power = cast != nullptr && cast->value.type().is_bool() ? 1 : type.bits() - 1;
    for (int bit = 0; bit < bits_of_power; ++bit) {
        if (bit > 0) square = let(square * square);
        if (known && (*known >> bit) == 0) break;
        const Expr product = result * square;
        if (known) {
            if ((*known >> bit) & 1) result = let(product);
        } else {
            const Expr takes = ((exponent >> Halide::Internal::make_const(type, bit)) & one) == one;
            result = let(Halide::select(takes, product, result));
        }
    }
    for (auto at = lets.rbegin(); at != lets.rend(); ++at)
        result = Halide::Internal::Let::make(at->first, at->second, result);
    return {Halide::reinterpret(x.expr.type(), result)};
}

}  // namespace frisket::lowering
