// SPDX-License-Identifier: MIT
// Reduces elements one by one.
#pragma once
#include "dtype.hpp"
#include "error.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Reductions element by element.
namespace frisket::runtime {

/// Unsigned arithmetic for integers, so that they wrap; float64 for floats.
template <class T>
using Carried = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<
        std::is_same_v<T, bool>, bool,
        std::make_unsigned_t<std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, T, int>>>>;

template <class T>
bool is_nan_value(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
    return false;
}

/// Puts the elements of one slice together, those that are specified, in row-major order.
template <class T>
class Reducer {
public:
    explicit Reducer(Reduction reduction) : reduction_(reduction) {
        const bool is_product = reduction == Reduction::prod || reduction == Reduction::all;
        total_ = static_cast<Carried<T>>(is_product ? 1 : 0);
        // An empty slice returns the identity, as loops have it.
        using Limits = std::numeric_limits<T>;
        const bool is_smallest = reduction == Reduction::amin || reduction == Reduction::argmin;
        if constexpr (std::is_floating_point_v<T>)
            best_ = is_smallest ? Limits::infinity() : -Limits::infinity();
        else
            best_ = is_smallest ? Limits::max() : Limits::lowest();
    }

    [[gnu::always_inline]] inline void add(T x, std::int64_t position) {
        switch (reduction_) {
            case Reduction::sum: total_ = static_cast<Carried<T>>(total_ + static_cast<Carried<T>>(x)); break;
            case Reduction::prod:
                total_ = static_cast<Carried<T>>(total_ * static_cast<Carried<T>>(x));
                break;
            case Reduction::any: total_ = static_cast<Carried<T>>(total_ != 0 || x != T(0)); break;
            case Reduction::all: total_ = static_cast<Carried<T>>(total_ != 0 && x != T(0)); break;
            case Reduction::amin:
            case Reduction::argmin:
            case Reduction::amax:
            case Reduction::argmax: keep_best(x, position); break;
            case Reduction::contract: throw Bug("a sum of products has two factors");
        }
    }

    /// The result of a reduction to values.
    T value() const {
        const bool is_best = reduction_ == Reduction::amin || reduction_ == Reduction::amax;
        return is_best ? best_ : static_cast<T>(total_);
    }

    /// The sum or product, which is float64 for floats.
    Carried<T> total() const { return total_; }
    /// The position of the smallest or largest element.
    std::int64_t best_position() const { return best_position_; }

private:
    [[gnu::always_inline]] inline void keep_best(T x, std::int64_t position) {
        const bool smallest = reduction_ == Reduction::amin || reduction_ == Reduction::argmin;
        const bool better = smallest ? x < best_ : best_ < x;
        if (!is_empty_ && (is_nan_value(best_) || !(better || is_nan_value(x)))) return;
        is_empty_ = false;
        best_ = x;
        best_position_ = position;
    }

    Reduction reduction_;
    Carried<T> total_{};
    bool is_empty_ = true;
    T best_{};
    std::int64_t best_position_ = 0;
};

}  // namespace frisket::runtime
