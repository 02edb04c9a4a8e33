// SPDX-License-Identifier: MIT
// Sums products in the order that products have.
#pragma once
#include "../limits.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace frisket::runtime {

/// Reduction::contract of one slice, whose terms come in the order of their positions.  Integers wrap.
template <class T>
class SumOfProducts {
public:
    /// Adds the term at a position of the slice.
    void add(T a, T b, std::int64_t /*position*/) { total_ += static_cast<Bits>(a) * static_cast<Bits>(b); }
    T result() const { return static_cast<T>(total_); }

private:
    using Bits = std::make_unsigned_t<T>;
    Bits total_ = 0;
};

/// Reduction::contract of floats: fused multiply-adds in a panel, whose sums are added in float64.
template <std::floating_point T>
class SumOfProducts<T> {
public:
    /// Adds the term at a position of the slice.
    void add(T a, T b, std::int64_t position) {
        if (position >= panel_end_) {
            total_ += static_cast<double>(panel_);
            panel_ = 0;
            panel_end_ = position / limits::product_panel * limits::product_panel + limits::product_panel;
        }
        panel_ = std::fma(a, b, panel_);
    }
    T result() const { return static_cast<T>(total_ + static_cast<double>(panel_)); }

private:
    double total_ = 0;
    T panel_ = 0;
    std::int64_t panel_end_ = limits::product_panel;
};

}  // namespace frisket::runtime
