// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Adam as torch.optim.SparseAdam has it: eps is added to the root of the second moment before its bias is
/// corrected, so that it counts for eps / sqrt(1 - beta2^t) of Adam's.
template <class T>
constexpr auto sparse_adam_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    constexpr State<"exp_avg_sq", T> exp_avg_sq;
    return step<"sparse_adam">(
        over(grad),
        exp_avg    = lerp(exp_avg, grad, 1 - beta1),
        exp_avg_sq = lerp(exp_avg_sq, grad * grad, 1 - beta2),
        param     -= lr * sqrt(1 - pow(beta2, t)) / (1 - pow(beta1, t)) *
                     (exp_avg / (sqrt(exp_avg_sq) + eps)));
}
inline constexpr auto sparse_adam = sparse_adam_step<float>();

/// PyTorch's SparseAdam: Adam whose eps is added before the correction of the bias.
struct SparseAdam {
    static constexpr std::string_view name = "sparse_adam";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("beta1", beta1, range::decay);
        option("beta2", beta2, range::decay);
        option("eps", eps, range::not_negative);
        option("maximize", maximize);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(sparse_adam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
