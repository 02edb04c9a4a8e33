// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Chen et al., "Symbolic discovery of optimization algorithms", NeurIPS 2023, algorithm 2.
template <class T>
constexpr auto lion_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    return step<"lion">(
        over(grad),
        param  -= lr * (sign(beta1 * exp_avg + (1 - beta1) * grad) +
                        where(weight_decay == 0, 0, weight_decay * param)),
        exp_avg = beta2 * exp_avg + (1 - beta2) * grad);
}

/// The average keeps its sign as it shrinks, so that each missed step moves the parameter by the same.
template <class T>
constexpr auto lion_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    return step<"lion_caught_up">(
        over(grad),
        param    = power<T>(1 - lr * weight_decay) * param -
                   lr * geometric<T>(1 - lr * weight_decay) * sign(beta1 * exp_avg),
        exp_avg *= power<T>(beta2));
}
inline constexpr auto lion = lion_step<float>();

/// Lion: steps by the sign of an average.
struct Lion {
    static constexpr std::string_view name = "lion";
    double lr = 1e-4, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("weight_decay", weight_decay, range::not_negative);
        option("maximize", maximize);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(lion_step<T>());
    }
    std::string_view no_closed_form() const {
        return beta2 <= 0 ? "the average loses its sign after a missed step (give it a beta2 above 0)" : "";
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        use(lion_caught_up<T>());
    }
};

}  // namespace frisket::optim
