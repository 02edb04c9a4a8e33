// SPDX-License-Identifier: MIT
// Defines RMSprop and Adadelta.
#pragma once
#include "../symbols.hpp"

#include <limits>
#include <string_view>

namespace frisket::optim {

/// Source: Tieleman and Hinton, lecture 6.5 (2012), as in torch.optim.RMSprop.
template <class T>
constexpr auto rmsprop_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    return step<"rmsprop">(
        over(grad),
        g          = decayed(grad, param),
        square_avg = square_avg * alpha + (1 - alpha) * g * g,
        param     -= lr * (g / (sqrt(square_avg) + eps)));
}

template <class T>
constexpr auto rmsprop_momentum_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"momentum_buffer", T> buffer;
    return step<"rmsprop_momentum">(
        over(grad),
        g          = decayed(grad, param),
        square_avg = square_avg * alpha + (1 - alpha) * g * g,
        buffer     = buffer * momentum + g / (sqrt(square_avg) + eps),
        param     -= lr * buffer);
}

/// The variance of a gradient whose average and average square are known.  Rounding would make the difference
/// of both negative, and the difference of infinities is NaN.
template <class Square, class Average>
constexpr auto variance(const Square& square_avg, const Average& grad_avg) {
    return where(is_finite(grad_avg * grad_avg), max(square_avg - grad_avg * grad_avg, 0),
                 std::numeric_limits<double>::infinity());
}

/// Source of the centred form: Graves, "Generating sequences with recurrent neural networks" (2013), 38-45.
template <class T>
constexpr auto rmsprop_centered_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"grad_avg", T> grad_avg;
    return step<"rmsprop_centered">(
        over(grad),
        g          = decayed(grad, param),
        square_avg = square_avg * alpha + (1 - alpha) * g * g,
        grad_avg   = lerp(grad_avg, g, 1 - alpha),
        param     -= lr * (g / (sqrt(variance(square_avg, grad_avg)) + eps)));
}

template <class T>
constexpr auto rmsprop_centered_momentum_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"grad_avg", T> grad_avg;
    constexpr State<"momentum_buffer", T> buffer;
    return step<"rmsprop_centered_momentum">(
        over(grad),
        g          = decayed(grad, param),
        square_avg = square_avg * alpha + (1 - alpha) * g * g,
        grad_avg   = lerp(grad_avg, g, 1 - alpha),
        buffer     = buffer * momentum + g / (sqrt(variance(square_avg, grad_avg)) + eps),
        param     -= lr * buffer);
}

template <class T>
constexpr auto rmsprop_caught_up() {
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    return step<"rmsprop_caught_up">(
        over(grad),
        square_avg *= power<T>(alpha));
}

template <class T>
constexpr auto rmsprop_momentum_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"momentum_buffer", T> buffer;
    return step<"rmsprop_momentum_caught_up">(
        over(grad),
        square_avg *= power<T>(alpha),
        param      -= lr * momentum * geometric<T>(momentum) * buffer,
        buffer     *= power<T>(momentum));
}

template <class T>
constexpr auto rmsprop_centered_caught_up() {
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"grad_avg", T> grad_avg;
    return step<"rmsprop_centered_caught_up">(
        over(grad),
        square_avg *= power<T>(alpha),
        grad_avg   *= power<T>(alpha));
}

template <class T>
constexpr auto rmsprop_centered_momentum_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"grad_avg", T> grad_avg;
    constexpr State<"momentum_buffer", T> buffer;
    return step<"rmsprop_centered_momentum_caught_up">(
        over(grad),
        square_avg *= power<T>(alpha),
        grad_avg   *= power<T>(alpha),
        param      -= lr * momentum * geometric<T>(momentum) * buffer,
        buffer     *= power<T>(momentum));
}
inline constexpr auto rmsprop = rmsprop_step<float>();
inline constexpr auto rmsprop_momentum = rmsprop_momentum_step<float>();
inline constexpr auto rmsprop_centered = rmsprop_centered_step<float>();
inline constexpr auto rmsprop_centered_momentum = rmsprop_centered_momentum_step<float>();

/// RMSprop, centred and with momentum where told so.
struct RMSprop {
    static constexpr std::string_view name = "rmsprop";
    double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
    bool centered = false, maximize = false;

    static constexpr Option options[] = {
        option<&RMSprop::lr>("lr", range::not_negative),
        option<&RMSprop::alpha>("alpha", range::share),
        option<&RMSprop::eps>("eps", range::not_negative),
        option<&RMSprop::weight_decay>("weight_decay", range::not_negative),
        option<&RMSprop::momentum>("momentum", range::not_negative),
        option<&RMSprop::centered>("centered"),
        option<&RMSprop::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        if (centered)
            momentum == 0 ? use(rmsprop_centered_step<T>()) : use(rmsprop_centered_momentum_step<T>());
        else
            momentum == 0 ? use(rmsprop_step<T>()) : use(rmsprop_momentum_step<T>());
    }
    std::string_view no_closed_form() const {
        return weight_decay != 0 ? decay_is_squared : eps == 0 ? divides_zeros : "";
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        if (centered)
            momentum == 0 ? use(rmsprop_centered_caught_up<T>())
                          : use(rmsprop_centered_momentum_caught_up<T>());
        else
            momentum == 0 ? use(rmsprop_caught_up<T>()) : use(rmsprop_momentum_caught_up<T>());
    }
};

/// Source: Zeiler, "ADADELTA" (2012), algorithm 1, as in torch.optim.Adadelta.
template <class T>
constexpr auto adadelta_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"acc_delta", T> acc_delta;
    constexpr Scalar<"rho"> rho;
    constexpr Let<"delta"> delta;
    return step<"adadelta">(
        over(grad),
        g          = decayed(grad, param),
        square_avg = square_avg * rho + (1 - rho) * g * g,
        delta      = sqrt(acc_delta + eps) / sqrt(square_avg + eps) * g,
        acc_delta  = acc_delta * rho + (1 - rho) * delta * delta,
        param     -= lr * delta);
}

template <class T>
constexpr auto adadelta_caught_up() {
    constexpr Grad<T> grad;
    constexpr State<"square_avg", T> square_avg;
    constexpr State<"acc_delta", T> acc_delta;
    constexpr Scalar<"rho"> rho;
    return step<"adadelta_caught_up">(
        over(grad),
        square_avg *= power<T>(rho),
        acc_delta  *= power<T>(rho));
}
inline constexpr auto adadelta = adadelta_step<float>();

/// Adadelta: steps by the quotient of two averages.
struct Adadelta {
    static constexpr std::string_view name = "adadelta";
    double lr = 1, rho = 0.9, eps = 1e-6, weight_decay = 0;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&Adadelta::lr>("lr", range::not_negative),
        option<&Adadelta::rho>("rho", range::share),
        option<&Adadelta::eps>("eps", range::not_negative),
        option<&Adadelta::weight_decay>("weight_decay", range::not_negative),
        option<&Adadelta::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(adadelta_step<T>());
    }
    std::string_view no_closed_form() const {
        return weight_decay != 0 ? decay_is_squared : eps == 0 ? divides_zeros : "";
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        use(adadelta_caught_up<T>());
    }
};

}  // namespace frisket::optim
