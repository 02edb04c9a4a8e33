// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Kingma and Ba, "Adam", ICLR 2015, algorithm 2, as in torch.optim.Adamax.
template <class T>
constexpr auto adamax_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_inf", T> exp_inf;
    return step<"adamax">(
        over(grad),
        g       = decayed(grad, param),
        exp_avg = lerp(exp_avg, g, 1 - beta1),
        exp_inf = max(exp_inf * beta2, abs(g) + eps),
        param  -= lr / (1 - pow(beta1, t)) * (exp_avg / exp_inf));
}
inline constexpr auto adamax = adamax_step<float>();

/// Adamax: Adam by the infinity norm.
struct Adamax {
    static constexpr std::string_view name = "adamax";
    double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("maximize", maximize);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(adamax_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
