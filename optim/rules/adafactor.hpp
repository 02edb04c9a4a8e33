// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <limits>
#include <string_view>

namespace frisket::optim {

/// The root of the mean square, a number.
template <class X>
constexpr auto rms(const X& x) {
    return sqrt(mean(x * x));
}

/// The second moment of a matrix as the product of a column and a row; of more dimensions, for each matrix.
/// Source: Shazeer and Stern, "Adafactor", ICML 2018, algorithms 4 and 5, as in torch.optim.Adafactor.
template <class T>
constexpr auto adafactor_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"row_var", T> row_var;  // [..., rows, 1]
    constexpr State<"col_var", T> col_var;  // [..., 1, columns]
    constexpr Scalar<"beta2_decay"> beta2_decay;
    constexpr Scalar<"floor"> floor;  // eps1, or its default
    constexpr Scalar<"eps2"> eps2;
    constexpr Scalar<"d"> d;
    constexpr Let<"rate"> rate;
    constexpr Let<"variance"> variance;
    constexpr Let<"direction"> direction;
    return step<"adafactor">(
        g         = to_dense(grad, 0),
        rate      = max(eps2, rms(param)) * min(lr, 1 / sqrt(t)),
        param    *= 1 - lr * weight_decay,
        row_var   = lerp(row_var, mean(g * g, {-1}, keepdim), pow(t, beta2_decay)),
        col_var   = lerp(col_var, mean(g * g, {-2}, keepdim), pow(t, beta2_decay)),
        variance  = row_var * col_var / max(mean(row_var, {-2}, keepdim), floor),
        direction = g * rsqrt(max(variance, floor * floor)),
        param    -= rate / max(1, rms(direction) / d) * direction);
}

/// The same of a vector, whose second moment is kept whole.
template <class T>
constexpr auto adafactor_vector_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"variance", T> variance;
    constexpr Scalar<"beta2_decay"> beta2_decay;
    constexpr Scalar<"floor"> floor;  // eps1, or its default
    constexpr Scalar<"eps2"> eps2;
    constexpr Scalar<"d"> d;
    constexpr Let<"rate"> rate;
    constexpr Let<"direction"> direction;
    return step<"adafactor_vector">(
        g         = to_dense(grad, 0),
        rate      = max(eps2, rms(param)) * min(lr, 1 / sqrt(t)),
        param    *= 1 - lr * weight_decay,
        variance  = lerp(variance, g * g, pow(t, beta2_decay)),
        direction = g * rsqrt(max(variance, floor * floor)),
        param    -= rate / max(1, rms(direction) / d) * direction);
}
inline constexpr auto adafactor = adafactor_step<float>();
inline constexpr auto adafactor_vector = adafactor_vector_step<float>();

/// Adafactor: second moments as a product of rows and columns; dense gradients.
struct Adafactor {
    static constexpr std::string_view name = "adafactor";
    /// A mean over rows and columns mixes all elements, so that unspecified ones count as zeros.
    static constexpr std::string_view no_mask = "its means go over whole rows and columns";
    double lr = 1e-2, beta2_decay = -0.8;
    double eps1 = 0;  ///< 0: the epsilon of the state's type
    double eps2 = 1e-3, d = 1, weight_decay = 0;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta2_decay", beta2_decay, OptionRange{.high = 0});
        option("eps1", eps1, range::not_negative);
        option("eps2", eps2, range::not_negative);
        option("d", d, OptionRange{.low = 1});
        option("weight_decay", weight_decay, range::not_negative);
        option("maximize", maximize);
    }
    void derived(const Shape& /*param*/, DType dtype, auto&& number) const {
        const bool is_double = dtype == DType::float64;
        number("floor", eps1 != 0   ? eps1
                        : is_double ? std::numeric_limits<double>::epsilon()
                                    : std::numeric_limits<float>::epsilon());
    }
    static Shape state_shape(std::string_view state, Shape shape) {
        if (state == "row_var") shape.back() = 1;
        if (state == "col_var") shape[shape.size() - 2] = 1;
        return shape;
    }
    template <class T>
    void formula(const Shape& param, auto&& use) const {
        param.size() > 1 ? use(adafactor_step<T>()) : use(adafactor_vector_step<T>());
    }
    static std::string_view no_closed_form() {
        return "its means go over whole columns, and missed steps change them";
    }
};

}  // namespace frisket::optim
