// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../runtime/kernel/argument.hpp"
#include "ops/ops.hpp"

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// One host scalar among those that ScalarProgram computes: held as a double, an int64 as the
/// double of the same bits, so that every one of them is exact.
namespace frisket::ir::host {

template <class T>
T get(double number) {
    if constexpr (std::is_same_v<T, std::int64_t>)
        return std::bit_cast<std::int64_t>(number);
    else
        return converted<T>(number);
}

template <class T>
double put(T number) {
    if constexpr (std::is_same_v<T, std::int64_t>)
        return std::bit_cast<double>(number);
    else
        return static_cast<double>(number);
}
template <class T>
double argument(const Argument& given) {
    if constexpr (std::is_same_v<T, std::int64_t>)
        return put(given.whole());
    else
        return given.number();
}

template <class To, class From>
double convert(double number) {
    return put(converted<To>(get<From>(number)));
}

/// Computes an operation of numbers as they are held.
using Operation = double (*)(const double* numbers);

/// An operation of the table on numbers of bool, int64 or float64 (any other dtype: float64); null where it
/// has no meaning.  `op` is one of the table.
Operation operation(OpId op, DType dtype) noexcept;

/// The operation of the table that has this name.  Errors: ValueError if the table has no such name.
OpId operation_named(std::string_view name);

/// Converts an int64 to int32.  Errors: DTypeError if it does not fit.
double fitting_conversion(const double* number);

/// Converts a number from a dtype to another.
Operation conversion(DType from, DType to) noexcept;

}  // namespace frisket::ir::host
