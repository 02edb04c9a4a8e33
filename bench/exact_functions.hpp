// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string_view>

namespace bench {

/// An operation of the table in long double, by the C library; by a series where that has none.
struct Exact {
    std::string_view name;
    long double (*of_one)(long double x) = nullptr;
    long double (*of_two)(long double x, long double y) = nullptr;
};

std::span<const Exact> exact_functions();

}  // namespace bench
