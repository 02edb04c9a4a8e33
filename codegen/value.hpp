// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../runtime/dtype.hpp"

namespace frisket::lowering {

/// A scalar expression of a loop.  Its operators and functions are those that ops.hpp is written in, with
/// the meaning that C++ gives them for float, double and bool; Halide's own differ for NaN, infinities,
/// zeros (value.cpp).
struct Value { Halide::Expr expr; };

/// The type of an expression that holds elements of a dtype; bool is a condition, not a byte.
Halide::Type expr_type(DType dtype);
/// The type of elements in memory: bool is a byte.
Halide::Type memory_type(DType dtype);

/// A number as an expression of this dtype.
Value constant(double number, DType dtype);
/// The value rounded to another dtype; to bool: whether it differs from 0.
Value convert(const Value& value, DType to);
/// What is stored for a value: bool as a byte.
Halide::Expr to_memory(const Value& value);
/// What a load from memory of this dtype means.
Value from_memory(const Halide::Expr& loaded, DType dtype);

Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value operator-(const Value& x);
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
Value sqrt(const Value& x);
Value abs(const Value& x);
/// float32: 2.1 ULP; float64: the C library's.  Source: measured, halide documentation of the polynomial.
Value exp(const Value& x);
/// float32: 3.1 ULP; float64: the C library's.
Value log(const Value& x);
/// float32: computed in float64 and rounded once; float64: the C library's.
Value pow(const Value& x, const Value& y);

}  // namespace frisket::lowering
