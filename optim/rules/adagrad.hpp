// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12 (2011); torch.optim.Adagrad.
template <class T>
constexpr auto adagrad_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"sum", T> sum;
    constexpr Scalar<"lr_decay"> lr_decay;
    return step<"adagrad">(
        over(grad),
        g      = decayed(grad, param),
        sum   += g * g,
        param -= lr / (1 + (t - 1) * lr_decay) * (g / (sqrt(sum) + eps)));
}
inline constexpr auto adagrad = adagrad_step<float>();

/// Adagrad: the rate falls with the sum of squared gradients.
struct Adagrad {
    static constexpr std::string_view name = "adagrad";
    double lr = 1e-2, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("lr_decay", lr_decay, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("initial_accumulator_value", initial_accumulator_value, range::not_negative);
        option("eps", eps, range::not_negative);
        option("maximize", maximize);
    }
    double initial(std::string_view /*state*/) const { return initial_accumulator_value; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(adagrad_step<T>());
    }
    std::string_view no_closed_form() const {
        return weight_decay != 0                              ? decay_is_squared
               : eps == 0 && initial_accumulator_value == 0 ? divides_zeros
                                                              : "";
    }
    /// A missed step changes nothing.
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& /*use*/) const {}
};

}  // namespace frisket::optim
