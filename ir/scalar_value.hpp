// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/kernel/argument.hpp"
#include "ops/ops.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

/// One number of the host among those that ScalarProgram computes: held as a double, an int64 as the
/// double of the same bits, so that every one of them is exact.
namespace frisket::host {

/// The type that operations compute with for a number of this C++ type.
template <class T>
using Computes = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, Whole<T>, T>;

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
double put(Whole<T> number) {
    return put(number.value);
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

template <class Op, class T>
double apply(const double* numbers) {
    const auto operand = [numbers](int i) -> Computes<T> { return {get<T>(numbers[i])}; };
    const auto result = [](auto value) {
        if constexpr (std::is_same_v<T, bool>)
            return put(static_cast<bool>(value));
        else
            return put(value);
    };
    if constexpr (Op::info.arity == 1)
        return result(Op::eval(operand(0)));
    else if constexpr (Op::info.arity == 2)
        return result(Op::eval(operand(0), operand(1)));
    else
        return result(Op::eval(get<bool>(numbers[0]), operand(1), operand(2)));
}
template <class Op, class T, class... Number>
double apply(double first, Number... others) {
    const double numbers[] = {first, others...};
    return apply<Op, T>(numbers);
}

}  // namespace frisket::host
