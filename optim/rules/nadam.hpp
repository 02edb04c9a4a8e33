// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Dozat, "Incorporating Nesterov momentum into Adam", ICLR workshop 2016, as in torch.optim.NAdam.
template <class T>
constexpr auto nadam_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    constexpr ScalarState<"mu_product"> mu_product;
    constexpr Scalar<"momentum_decay"> momentum_decay;
    constexpr Scalar<"decoupled_weight_decay"> decoupled;  // 0 or 1
    constexpr Let<"mu"> mu;
    constexpr Let<"mu_next"> mu_next;
    constexpr Let<"denominator"> denominator;
    return step<"nadam">(
        over(grad),
        param      *= where(decoupled == 0, 1, 1 - lr * weight_decay),
        g           = where(decoupled == 0, decayed(grad, param), grad),
        mu          = beta1 * (1 - 0.5 * pow(0.96, t * momentum_decay)),
        mu_next     = beta1 * (1 - 0.5 * pow(0.96, (t + 1) * momentum_decay)),
        mu_product *= mu,
        exp_avg     = lerp(exp_avg, g, 1 - beta1),
        exp_avg_sq  = exp_avg_sq * beta2 + (1 - beta2) * g * g,
        denominator = sqrt(exp_avg_sq / (1 - pow(beta2, t))) + eps,
        param      -= lr * (1 - mu) / (1 - mu_product) * (g / denominator),
        param      -= lr * mu_next / (1 - mu_product * mu_next) * (exp_avg / denominator));
}
inline constexpr auto nadam = nadam_step<float>();

/// NAdam: Adam with Nesterov's momentum.
struct NAdam {
    static constexpr std::string_view name = "nadam";
    double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0, momentum_decay = 4e-3;
    bool decoupled_weight_decay = false, maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("momentum_decay", momentum_decay, range::not_negative);
        option("decoupled_weight_decay", decoupled_weight_decay);
        option("maximize", maximize);
    }
    double initial(std::string_view state) const { return state == "mu_product" ? 1 : 0; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(nadam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
