// SPDX-License-Identifier: MIT
// Defines Adafactor and Muon, which read whole matrices.
#pragma once
#include "../symbols.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
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
        row_var   = lerp_of_squares(row_var, mean(g * g, {-1}, keepdim), pow(t, beta2_decay)),
        col_var   = lerp_of_squares(col_var, mean(g * g, {-2}, keepdim), pow(t, beta2_decay)),
        variance  = row_var * col_var / max(mean(row_var, {-2}, keepdim), floor),
        direction = g * where(is_finite(variance), rsqrt(max(variance, floor * floor)), 0),
        param    -= rate / max(1, rms(direction) / d) * direction);
}

/// Adafactor of a vector, whose second moment is stored whole.
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
        variance  = lerp_of_squares(variance, g * g, pow(t, beta2_decay)),
        direction = g * rsqrt(max(variance, floor * floor)),
        param    -= rate / max(1, rms(direction) / d) * direction);
}
inline constexpr auto adafactor = adafactor_step<float>();
inline constexpr auto adafactor_vector = adafactor_vector_step<float>();

/// Adafactor: second moments as a product of rows and columns; dense gradients.
struct Adafactor {
    static constexpr std::string_view name = "adafactor";
    /// A mean over rows and columns mixes all elements, so that unspecified elements count as zeros.
    static constexpr std::string_view no_mask = "its means go over whole rows and columns";
    double lr = 1e-2, beta2_decay = -0.8;
    double eps1 = 0;  ///< 0: the epsilon of the state's type
    double eps2 = 1e-3, d = 1, weight_decay = 0;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&Adafactor::lr>("lr", range::not_negative),
        option<&Adafactor::beta2_decay>("beta2_decay", OptionRange{.high = 0}),
        option<&Adafactor::eps1>("eps1", range::not_negative),
        option<&Adafactor::eps2>("eps2", range::not_negative),
        option<&Adafactor::d>("d", OptionRange{.low = 1}),
        option<&Adafactor::weight_decay>("weight_decay", range::not_negative),
        option<&Adafactor::maximize>("maximize"),
    };
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

/// The nearest matrix whose singular values are near 1, by x <- a x + (b A + c A A) x with A = x x^T.
/// Source: Jordan et al., "Muon" (2024), as in torch.optim.Muon, which iterates in bfloat16; this does
/// in the type of x.
struct NewtonSchulz : TensorOp<NewtonSchulz> {
    static constexpr TensorOpInfo info{.name = "newton_schulz", .type = WholeType::floats};
    /// The graph of the iteration.
    ir::Value lower(ir::Value x) const {
        const bool is_tall = x.shape()[0] > x.shape()[1];  // the smaller product is taken
        if (is_tall) x = ir::transpose(x, 0, 1);
        const auto number = [&](double value) { return ir::number(*x.graph, value); };
        for (int i = 0; i < iterations; ++i) {
            const ir::Value gram = ir::matmul(x, ir::transpose(x, 0, 1));
            const ir::Value polynomial = number(b) * gram + number(c) * ir::matmul(gram, gram);
            x = number(a) * x + ir::matmul(polynomial, x);
        }
        return is_tall ? ir::transpose(x, 0, 1) : x;
    }
    int iterations = 5;
    double a = 3.4445, b = -4.7750, c = 2.0315;
};

/// Formula, for a number of iterations of Newton and Schulz.
template <class T>
constexpr auto muon_step(const NewtonSchulz& newton_schulz = {}) {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"momentum_buffer", T> buffer;
    constexpr Scalar<"rate"> rate;  // lr, scaled by the shape
    constexpr Let<"direction"> direction;
    return step<"muon">(
        g         = to_dense(grad, 0),
        buffer    = lerp(buffer, g, 1 - momentum),
        direction = where(nesterov == 0, buffer, lerp(g, buffer, momentum)),
        param     = param * (1 - lr * weight_decay) -
                    rate * apply(newton_schulz, direction / max(norm(direction), eps)));
}
inline constexpr auto muon = muon_step<float>();

/// Muon: steps by orthogonalized momentum; matrices with dense gradients.
struct Muon {
    /// Ways to make the rate follow the shape of the matrix.
    enum class Adjust : std::uint8_t {
        original,           ///< lr * sqrt(max(1, rows / columns))
        match_rms_adamw,    ///< lr * 0.2 * sqrt(max(rows, columns))
        spectral_unclamped  ///< lr * sqrt(rows / columns)
    };
    static constexpr std::string_view name = "muon";
    static constexpr std::string_view no_mask = "an orthogonal matrix mixes all elements";
    double lr = 1e-3, weight_decay = 0.1, momentum = 0.95;
    bool nesterov = true;
    double a = 3.4445, b = -4.7750, c = 2.0315, eps = 1e-7;
    int ns_steps = 5;
    Adjust adjust_lr_fn = Adjust::original;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&Muon::lr>("lr", range::not_negative),
        option<&Muon::weight_decay>("weight_decay", range::not_negative),
        option<&Muon::momentum>("momentum", range::not_negative),
        option<&Muon::nesterov>("nesterov"),
        option<&Muon::a>("a", range::finite),
        option<&Muon::b>("b", range::finite),
        option<&Muon::c>("c", range::finite),
        option<&Muon::eps>("eps", range::not_negative),
        option<&Muon::ns_steps>("ns_steps", OptionRange{.low = 1, .high = 99}),
        option<&Muon::adjust_lr_fn>("adjust_lr_fn", "original", "match_rms_adamw",
                                      "spectral_unclamped"),
        option<&Muon::maximize>("maximize"),
    };
    void derived(const Shape& param, DType /*dtype*/, auto&& number) const {
        const auto rows = static_cast<double>(param[0]), columns = static_cast<double>(param[1]);
        double factor = 0.2 * std::sqrt(std::max(rows, columns));
        if (adjust_lr_fn == Adjust::original) factor = std::sqrt(std::max(1.0, rows / columns));
        if (adjust_lr_fn == Adjust::spectral_unclamped) factor = std::sqrt(rows / columns);
        number("rate", lr * factor);
    }
    std::string part_of_step() const {
        return std::to_string(ns_steps) + " " + std::to_string(a) + " " + std::to_string(b) + " " +
               std::to_string(c);
    }
    /// Errors: ShapeError unless `param` is a matrix.
    template <class T>
    void formula(const Shape& param, auto&& use) const {
        if (param.size() != 2)
            throw ShapeError("muon: a parameter has shape " + to_string(param) +
                             ", wanted a matrix: give others to another optimizer");
        use(muon_step<T>({{}, ns_steps, a, b, c}));
    }
    static std::string_view no_closed_form() {
        return "an orthogonal matrix mixes all rows";
    }
};

}  // namespace frisket::optim
