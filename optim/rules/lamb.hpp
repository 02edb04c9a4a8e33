// SPDX-License-Identifier: MIT
#pragma once
#include "../norms.hpp"
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: You et al., "Large batch optimization for deep learning", ICLR 2020, algorithm 2; optax.lamb.
template <class T, NormScope scope = NormScope::specified>
constexpr auto lamb_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    constexpr Let<"direction"> direction;
    constexpr Let<"length"> length;
    constexpr Let<"distance"> distance;
    return step<"lamb">(
        over(grad),
        exp_avg    = beta1 * exp_avg + (1 - beta1) * grad,
        exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) * grad * grad,
        direction  = on(grad, exp_avg / (1 - pow(beta1, t)) /
                              (sqrt(exp_avg_sq / (1 - pow(beta2, t))) + eps)) +
                     where(weight_decay == 0, 0, weight_decay * param),
        length     = norm_within<scope>(grad, param),
        distance   = to_dense(norm(direction), 0),
        param     -= lr * where(length == 0 || distance == 0, 1, length / distance) * direction);
}
inline constexpr auto lamb = lamb_step<float>();

/// LAMB: Adam whose rate follows the norm of each parameter.
struct LAMB {
    static constexpr std::string_view name = "lamb";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-6, weight_decay = 0;
    NormScope norm_scope = NormScope::specified;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("norm_scope", norm_scope, {"specified", "all"});
        option("maximize", maximize);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        norm_scope == NormScope::specified ? use(lamb_step<T>()) : use(lamb_step<T, NormScope::all>());
    }
    static std::string_view no_closed_form() { return norms_mix; }
};

}  // namespace frisket::optim
