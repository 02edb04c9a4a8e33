// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Liu et al., "On the variance of the adaptive learning rate and beyond", ICLR 2020, algorithm 2, as
/// in torch.optim.RAdam (rectified above 5).
template <class T>
constexpr auto radam_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    constexpr Scalar<"decoupled_weight_decay"> decoupled;  // 0 or 1
    constexpr Let<"rho_inf"> rho_inf;
    constexpr Let<"rho"> rho;
    constexpr Let<"rectified"> rectified;
    return step<"radam">(
        over(grad),
        param     *= where(decoupled == 0, 1, 1 - lr * weight_decay),
        g          = where(decoupled == 0, decayed(grad, param), grad),
        exp_avg    = lerp(exp_avg, g, 1 - beta1),
        exp_avg_sq = exp_avg_sq * beta2 + (1 - beta2) * g * g,
        rho_inf    = 2 / (1 - beta2) - 1,
        rho        = rho_inf - 2 * t * pow(beta2, t) / (1 - pow(beta2, t)),
        rectified  = sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)),
        param     -= exp_avg / (1 - pow(beta1, t)) * lr *
                     where(rho > 5, rectified * sqrt(1 - pow(beta2, t)) / (sqrt(exp_avg_sq) + eps), 1));
}
inline constexpr auto radam = radam_step<float>();

/// RAdam: Adam with a rectified variance of its rate.
struct RAdam {
    static constexpr std::string_view name = "radam";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
    bool decoupled_weight_decay = false, maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("decoupled_weight_decay", decoupled_weight_decay);
        option("maximize", maximize);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(radam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
