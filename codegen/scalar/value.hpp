// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../../runtime/tensor/dtype.hpp"

#include <cstdint>

namespace frisket::lowering {

/// A scalar expression of a loop.  Its operators and functions are those that ops.hpp is written in, with
/// their meaning in C++ for float, double, bool and Whole; Halide's own differ for NaN, infinities, zeros
/// (value.cpp).
struct Value {
    Halide::Expr expr;
    bool is_never_nan = false;  ///< true: known for a number of the call; false: unknown
};

/// The type of an expression that holds elements of a dtype, or of that which it is computed in; bool is a
/// condition, not a byte.
Halide::Type expr_type(DType dtype);
/// The type of elements in memory: bool is a byte, floats of 16 bits are their bits.
Halide::Type memory_type(DType dtype);

/// A number as an expression of this dtype.
Value constant(double number, DType dtype);
Value constant(std::int64_t number, DType dtype);
/// The value rounded to another dtype; to bool: true if it differs from 0.  As converted() of ops/scalar.hpp.
/// To a dtype for storage only: the value that a load returns after a store.
Value convert(const Value& value, DType to);

// Memory: elements are widened when they are loaded and rounded when they are stored.  memory.cpp

/// A value in the dtype in which `dtype` is computed, such that to_memory rounds the original value once.
Value for_memory(const Value& value, DType dtype);
/// The bits to store for a value of the dtype in which `dtype` is computed.
Halide::Expr to_memory(const Value& value, DType dtype);
/// The value of an element loaded from memory of this dtype.
Value from_memory(const Halide::Expr& loaded, DType dtype);
/// True if a load and a store may change the bytes of an element, a NaN's for instance.
bool changes_bytes(DType dtype);
/// A bit of a 64-bit word, as a condition.
Halide::Expr bit_of(const Halide::Expr& word, const Halide::Expr& bit);
/// The bits of a float.  The bits of a known number are known too: Halide writes it into a device's source as
/// a float32, whose bits differ from a float64's.
Halide::Expr as_bits(const Halide::Expr& x);

// Compilers compute known values when loops are made: functions in float64, and so to other bits than loops,
// and Halide divides by no 0 that it sees.  So divisors in loops, and arguments of functions, are unknown.
// opaque.cpp

/// A parameter of every loop (kernel_module.hpp), which is 0 and as wide as any element.
const Halide::Param<std::uint64_t>& opaque_zero();
/// An opaque value equal to `x`, a float: no compiler can know it.
Halide::Expr opaque(const Halide::Expr& x);
/// An integer equal to `x` for which Halide does not solve a comparison: it ends a loop where a growing
/// number passes the first number of an element, and if that is the largest number of the type, its
/// computation overflows.
Halide::Expr unsolved(const Halide::Expr& x);
/// `x`, a float, where a condition is true, else 0: by bits, which no compiler chooses after a conversion.
Halide::Expr kept_where(const Halide::Expr& condition, const Halide::Expr& x);
/// A constant of integers that no compiler knows, for masks of bits: LLVM 21 makes the wrong one of
/// select(c, x, (x & m) | (y & ~m)) for a mask m that it knows, where AVX-512 selects.
Halide::Expr opaque_mask(const Halide::Expr& mask);
/// Gives an element that Halide may keep in a let, whose value may have lets in it.  Halide moves a let that
/// is wider than all operands that it sees to where it is used, but leaves the calls in it behind: outside of
/// the lets that they use (a fault of find_intrinsics, "Symbol not found").  So Halide sees an operand of the
/// same width.
Halide::Expr kept_in_let(const Halide::Expr& x);
/// An index of a load that stays within an extent.  To Halide a promise that it does has side effects: it
/// does not look at a condition with one in it, and fails where such a condition has a name, is read with
/// another one, and a Func computed between them has loops of its own (dynamic stage skipping, "Can't do
/// arithmetic on opaque pointer types").
Halide::Expr clamped(const Halide::Expr& index, const Halide::Expr& extent);
/// Gives a load with a variable in it, also where its index has none, as a scalar's, or has one that Halide
/// knows to be 0, as the only element's of a tensor.  Bounds inference substitutes a let's value for the let
/// unless it counts ten variables: squares of squares of a load that has none would double in size at each
/// let.
Halide::Expr with_variable(const Halide::Expr& load, bool is_only_element);

// Stochastic rounding, to the bit as ir/interpreter/stochastic_rounding.hpp has it.  random.cpp

/// Place of an element in row-major order: in a tile of 64.
struct Position {
    Halide::Expr first;  ///< a tile, int64
    Halide::Expr tile;   ///< from there, int32, at least 0
    Halide::Expr lane;   ///< in the tile, int32
};
struct RandomBits {
    Position place;
    Value seed, step, first;  ///< int64; `first`: tiles before index 0
    int rounding = 0;
};
/// A float32 that is one of the two numbers of `dtype` adjacent to the value.
Value round_stochastically(const Value& value, DType dtype, const RandomBits& random);

// Functions in which ops/ writes its rows, for every dtype unless stated.  value.cpp

Value like(const Value& x, double number);
Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);  ///< floats
Value operator-(const Value& x);
Value abs(const Value& x);
Value operator<(const Value& a, const Value& b);
Value operator<=(const Value& a, const Value& b);
Value operator>(const Value& a, const Value& b);
Value operator>=(const Value& a, const Value& b);
Value operator==(const Value& a, const Value& b);
Value operator!=(const Value& a, const Value& b);
Value operator&&(const Value& a, const Value& b);
Value operator||(const Value& a, const Value& b);
Value operator!(const Value& a);
Value select(const Value& condition, const Value& x, const Value& y);
Value is_nan(const Value& x);
Value is_inf(const Value& x);
Value sign_bit(const Value& x);
Value ceil(const Value& x);
Value floor(const Value& x);
Value trunc(const Value& x);
Value round_to_even(const Value& x);
Value widen(const Value& x);
Value narrow(const Value& x, const Value& wide);

// Parts of formulas (ir/ops/formulas/numbers.hpp).  value.cpp

bool is_float32(const Value& x);
/// a * b + c, rounded once.
Value fma(const Value& a, const Value& b, const Value& c);
/// The magnitude of the first with the sign of the second.
Value with_sign_of(const Value& size, const Value& sign);
/// The bits of a float, in an unsigned number of its width, and the float of such bits.
Value to_bits(const Value& x);
Value from_bits(const Value& bits);
/// A number of the source in the unsigned type of `bits`.
Value bits_like(const Value& bits, std::uint64_t number);
/// Bits moved by a known count; zeros come in.
Value operator<<(const Value& bits, int count);
Value operator>>(const Value& bits, int count);

// Integers and bool.  integer.cpp

Value operator&(const Value& a, const Value& b);
Value operator|(const Value& a, const Value& b);
Value operator^(const Value& a, const Value& b);
Value bitwise_not(const Value& x);
Value quotient(const Value& a, const Value& b);
Value shift_left(const Value& a, const Value& b);
Value shift_right(const Value& a, const Value& b);
Value whole_pow(const Value& x, const Value& y);
/// Sums, differences, products that wrap: signed overflow is undefined in Halide.
Value wrapped(Halide::Expr (*operation)(Halide::Expr, Halide::Expr), const Value& a, const Value& b);

// Functions.  functions.cpp

Value floor_quotient(const Value& a, const Value& b);
Value trunc_quotient(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value rest_of_trunc(const Value& a, const Value& b);
Value sign(const Value& x);
Value sqrt(const Value& x);
/// Gives a value of which no compiler knows anything when loops are made.
Value unknown(const Value& x);
/// A power.  By an exponent that is known when loops are made it has the bits that it has by the same number
/// known later.
Value pow(const Value& x, const Value& y);

// Words of 32 bits, and the floats that have their bits.

inline Halide::Expr word(std::uint32_t number) {
    return Halide::Internal::make_const(Halide::UInt(32), number);
}
inline Halide::Expr bits_of_float(const Halide::Expr& x) { return Halide::reinterpret(Halide::UInt(32), x); }
inline Halide::Expr float_of_bits(const Halide::Expr& bits) {
    return Halide::reinterpret(Halide::Float(32), bits);
}

}  // namespace frisket::lowering
