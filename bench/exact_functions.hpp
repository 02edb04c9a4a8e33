// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string_view>

namespace bench {

/// An operation of the table in long double, by the C library; by a series where that has none.
struct Exact {
    std::string_view name;
    long double (*of_one)(long double x) = nullptr;
    double (*of_one_fast)(double x) = nullptr;  ///< in double: exact enough for float32
    long double (*of_two)(long double x, long double y) = nullptr;
    /// Size of two terms whose difference is the result, for functions with such a formula.  Next to a root
    /// that is no number of the dtype, one rounding of the terms is many units of the result.
    long double (*size_of_terms)(long double x, long double y) = nullptr;
    double root = 0;                        ///< a root that is no half or whole number
    bool by_series = false;                 ///< so slow that not all numbers can be asked for
    double (*partner)(double x) = nullptr;  ///< y for which the result is about 0
};

std::span<const Exact> exact_functions();

}  // namespace bench
