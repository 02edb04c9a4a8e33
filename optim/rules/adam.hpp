// SPDX-License-Identifier: MIT
// Defines Adam and its variants.
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

/// AdamW with AMSGrad's largest second moment (adam.hpp).
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

    static constexpr Option options[] = {
        option<&AdamW::lr>("lr", range::not_negative),
        option<&AdamW::beta1>("beta1", range::decay),
        option<&AdamW::beta2>("beta2", range::decay),
        option<&AdamW::eps>("eps", range::not_negative),
        option<&AdamW::weight_decay>("weight_decay", range::not_negative),
        option<&AdamW::amsgrad>("amsgrad"),
        option<&AdamW::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        amsgrad ? use(adamw_amsgrad_step<T>()) : use(adamw_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

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

    static constexpr Option options[] = {
        option<&Adamax::lr>("lr", range::not_negative),
        option<&Adamax::beta1>("beta1", range::decay),
        option<&Adamax::beta2>("beta2", range::decay),
        option<&Adamax::eps>("eps", range::not_negative),
        option<&Adamax::weight_decay>("weight_decay", range::not_negative),
        option<&Adamax::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(adamax_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

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

    static constexpr Option options[] = {
        option<&NAdam::lr>("lr", range::not_negative),
        option<&NAdam::beta1>("beta1", range::decay),
        option<&NAdam::beta2>("beta2", range::decay),
        option<&NAdam::eps>("eps", range::not_negative),
        option<&NAdam::weight_decay>("weight_decay", range::not_negative),
        option<&NAdam::momentum_decay>("momentum_decay", range::not_negative),
        option<&NAdam::decoupled_weight_decay>("decoupled_weight_decay"),
        option<&NAdam::maximize>("maximize"),
    };
    double initial(std::string_view state) const { return state == "mu_product" ? 1 : 0; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(nadam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

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

    static constexpr Option options[] = {
        option<&RAdam::lr>("lr", range::not_negative),
        option<&RAdam::beta1>("beta1", range::decay),
        option<&RAdam::beta2>("beta2", range::decay),
        option<&RAdam::eps>("eps", range::not_negative),
        option<&RAdam::weight_decay>("weight_decay", range::not_negative),
        option<&RAdam::decoupled_weight_decay>("decoupled_weight_decay"),
        option<&RAdam::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(radam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

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
        exp_avg_sq = lerp_of_squares(on(grad, exp_avg_sq), grad * grad, 1 - beta2),
        param     -= lr * sqrt(1 - pow(beta2, t)) / (1 - pow(beta1, t)) *
                     (exp_avg / (sqrt(exp_avg_sq) + eps)));
}
inline constexpr auto sparse_adam = sparse_adam_step<float>();

/// PyTorch's SparseAdam: Adam whose eps is added before the correction of the bias.
struct SparseAdam {
    static constexpr std::string_view name = "sparse_adam";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&SparseAdam::lr>("lr", range::not_negative),
        option<&SparseAdam::beta1>("beta1", range::decay),
        option<&SparseAdam::beta2>("beta2", range::decay),
        option<&SparseAdam::eps>("eps", range::not_negative),
        option<&SparseAdam::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(sparse_adam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

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

    static constexpr Option options[] = {
        option<&Adam::lr>("lr", range::not_negative),
        option<&Adam::beta1>("beta1", range::decay),
        option<&Adam::beta2>("beta2", range::decay),
        option<&Adam::eps>("eps", range::not_negative),
        option<&Adam::weight_decay>("weight_decay", range::not_negative),
        option<&Adam::amsgrad>("amsgrad"),
        option<&Adam::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        amsgrad ? use(amsgrad_step<T>()) : use(adam_step<T>());
    }
    static std::string_view no_closed_form() { return moments_divide; }
};

}  // namespace frisket::optim
