// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Source: Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992), as in
/// torch.optim.ASGD.
template <class T>
constexpr auto asgd_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"ax", T> average;
    constexpr ScalarState<"eta"> eta;
    constexpr ScalarState<"mu"> mu;
    constexpr Scalar<"lambd"> lambd;
    constexpr Scalar<"t0"> t0;
    return step<"asgd">(
        over(grad),
        g       = decayed(grad, param),
        param  *= 1 - lambd * eta,
        param  -= eta * g,
        average = where(mu == 1, param, average + mu * (param - average)),
        eta     = lr / pow(1 + lambd * lr * t, alpha),
        mu      = 1 / max(1, t - t0));
}
inline constexpr auto asgd = asgd_step<float>();

/// Averaged stochastic gradient descent.
struct ASGD {
    static constexpr std::string_view name = "asgd";
    double lr = 1e-2, lambd = 1e-4, alpha = 0.75, t0 = 1e6, weight_decay = 0;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("lambd", lambd, range::not_negative);
        option("alpha", alpha, range::not_negative);
        option("t0", t0, range::finite);
        option("weight_decay", weight_decay, range::not_negative);
        option("maximize", maximize);
    }
    double initial(std::string_view state) const { return state == "eta" ? lr : state == "mu" ? 1 : 0; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(asgd_step<T>());
    }
    static std::string_view no_closed_form() {
        return "the rate changes from step to step, and products of what it leaves have no closed form";
    }
};

}  // namespace frisket::optim
