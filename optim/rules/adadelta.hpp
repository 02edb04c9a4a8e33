// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

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

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("rho", rho, range::share);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("maximize", maximize);
    }
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
