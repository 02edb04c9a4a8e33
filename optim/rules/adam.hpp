// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Kingma and Ba, "Adam", ICLR 2015, algorithm 1, as in torch.optim.Adam.
template <class T>
constexpr auto adam_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    return step<"adam">(
        over(grad),
        g          = decayed(grad, param),
        exp_avg    = lerp(exp_avg, g, 1 - beta1),
        exp_avg_sq = exp_avg_sq * beta2 + (1 - beta2) * g * g,
        param     -= lr / (1 - pow(beta1, t)) *
                     (exp_avg / (sqrt(exp_avg_sq) / sqrt(1 - pow(beta2, t)) + eps)));
}

/// Source: Reddi, Kale and Kumar, "On the convergence of Adam and beyond", ICLR 2018; the largest second
/// moment is taken before the correction of the bias, as in torch.optim.Adam.
template <class T>
constexpr auto amsgrad_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    constexpr State<"max_exp_avg_sq", T> max_exp_avg_sq;
    return step<"amsgrad">(
        over(grad),
        g              = decayed(grad, param),
        exp_avg        = lerp(exp_avg, g, 1 - beta1),
        exp_avg_sq     = exp_avg_sq * beta2 + (1 - beta2) * g * g,
        max_exp_avg_sq = max(max_exp_avg_sq, exp_avg_sq),
        param         -= lr / (1 - pow(beta1, t)) *
                         (exp_avg / (sqrt(max_exp_avg_sq) / sqrt(1 - pow(beta2, t)) + eps)));
}
inline constexpr auto adam = adam_step<float>();
inline constexpr auto amsgrad = amsgrad_step<float>();

/// Adam, and with `amsgrad` AMSGrad.
struct Adam {
    static constexpr std::string_view name = "adam";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
    bool amsgrad = false, maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("amsgrad", amsgrad);
        option("maximize", maximize);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        amsgrad ? use(amsgrad_step<T>()) : use(adam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
