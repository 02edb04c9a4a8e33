// SPDX-License-Identifier: MIT
#pragma once
#include "../graph.hpp"
#include "dynamic_scalar.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Reductions element by element.
namespace frisket::tensor_kernels {

/// Unsigned arithmetic for whole numbers, so that they wrap; float64 for floats.
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
        // An empty slice gives the identity, as loops have it.
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

    /// The result of a reduction that gives values.
    T value() const {
        const bool is_best = reduction_ == Reduction::amin || reduction_ == Reduction::amax;
        return is_best ? best_ : static_cast<T>(total_);
    }

    /// The result in its dtype: a sum of float32 may be float64.
    ir::DynamicScalar result(DType dtype) const {
        if constexpr (std::is_same_v<T, float>)
            if (dtype == DType::float64) return ir::DynamicScalar::of(total_);
        switch (reduction_) {
            case Reduction::argmin:
            case Reduction::argmax: return ir::DynamicScalar::of(best_position_);
            case Reduction::amin:
            case Reduction::amax: return ir::DynamicScalar::of(best_);
            default: return ir::DynamicScalar::of(static_cast<T>(total_));
        }
    }

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

}  // namespace frisket::tensor_kernels
