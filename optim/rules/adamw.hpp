// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Adam whose decay shrinks the parameter itself.
/// Source: Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019; torch.optim.AdamW.
template <class T>
constexpr auto adamw_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    return step<"adamw">(
        over(grad),
        param     *= 1 - lr * weight_decay,
        exp_avg    = lerp(exp_avg, grad, 1 - beta1),
        exp_avg_sq = exp_avg_sq * beta2 + (1 - beta2) * grad * grad,
        param     -= lr / (1 - pow(beta1, t)) *
                     (exp_avg / (sqrt(exp_avg_sq) / sqrt(1 - pow(beta2, t)) + eps)));
}

/// The same with AMSGrad's largest second moment (adam.hpp).
template <class T>
constexpr auto adamw_amsgrad_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    constexpr State<"max_exp_avg_sq", T> max_exp_avg_sq;
    return step<"adamw_amsgrad">(
        over(grad),
        param         *= 1 - lr * weight_decay,
        exp_avg        = lerp(exp_avg, grad, 1 - beta1),
        exp_avg_sq     = exp_avg_sq * beta2 + (1 - beta2) * grad * grad,
        max_exp_avg_sq = max(max_exp_avg_sq, exp_avg_sq),
        param         -= lr / (1 - pow(beta1, t)) *
                         (exp_avg / (sqrt(max_exp_avg_sq) / sqrt(1 - pow(beta2, t)) + eps)));
}
inline constexpr auto adamw = adamw_step<float>();
inline constexpr auto adamw_amsgrad = adamw_amsgrad_step<float>();

/// Adam with decoupled decay, and with `amsgrad` its AMSGrad.
struct AdamW {
    static constexpr std::string_view name = "adamw";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
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
        amsgrad ? use(adamw_amsgrad_step<T>()) : use(adamw_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
