// SPDX-License-Identifier: MIT
// Defines LAMB and LARS, which scale steps by norms of parameters.
#pragma once
#include "../symbols.hpp"

#include <cstdint>
#include <string_view>

namespace frisket::optim {

/// Over which elements of a parameter its norm goes.
enum class NormScope : std::uint8_t {
    specified,  ///< elements whose gradient is specified
    all,
};

/// The norm of `param`, a dense number; 0 of no elements.
template <NormScope scope, class Gradient, class Parameter>
constexpr auto norm_within(const Gradient& grad, const Parameter& param) {
    if constexpr (scope == NormScope::specified)
        return to_dense(norm(on(grad, param)), 0);
    else
        return norm(param);
}

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
        param     -= lr * where(length == 0 || distance == 0, direction, length * (direction / distance)));
}
inline constexpr auto lamb = lamb_step<float>();

/// LAMB: Adam whose rate follows the norm of each parameter.
struct LAMB {
    static constexpr std::string_view name = "lamb";
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-6, weight_decay = 0;
    NormScope norm_scope = NormScope::specified;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&LAMB::lr>("lr", range::not_negative),
        option<&LAMB::beta1>("beta1", range::decay),
        option<&LAMB::beta2>("beta2", range::decay),
        option<&LAMB::eps>("eps", range::not_negative),
        option<&LAMB::weight_decay>("weight_decay", range::not_negative),
        option<&LAMB::norm_scope>("norm_scope", "specified", "all"),
        option<&LAMB::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        norm_scope == NormScope::specified ? use(lamb_step<T>()) : use(lamb_step<T, NormScope::all>());
    }
    static std::string_view no_closed_form() { return norms_mix; }
};

/// Source: You, Gitman and Ginsburg, "Large batch training of convolutional networks" (2017), algorithm 1.
/// The norm of the update is that of gradient plus decay (optax.lars), or the sum of both norms (the paper).
template <class T, NormScope scope = NormScope::specified>
constexpr auto lars_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"momentum_buffer", T> buffer;
    constexpr Scalar<"trust_coefficient"> trust;
    constexpr Scalar<"norm_form"> norm_form;  // 0: of the update, 1: sum of norms
    constexpr Let<"length"> length;
    constexpr Let<"distance"> distance;
    constexpr Let<"update"> update;
    return step<"lars">(
        over(grad),
        g        = decayed(grad, param),
        length   = norm_within<scope>(grad, param),
        distance = where(norm_form == 0, to_dense(norm(g), 0),
                         to_dense(norm(grad), 0) + weight_decay * length),
        update   = -lr * where(length == 0 || distance == 0, g, trust * length * (g / (distance + eps))),
        buffer   = update + momentum * buffer,
        param   += where(nesterov == 0, on(grad, buffer), update + momentum * buffer));
}
inline constexpr auto lars = lars_step<float>();

/// LARS: SGD with momentum whose rate follows the norm of each parameter.
struct LARS {
    /// Forms of the local rate.
    enum class NormForm : std::uint8_t {
        update,  ///< |g + weight_decay * param|
        sum,     ///< |g| + weight_decay * |param|
    };
    static constexpr std::string_view name = "lars";
    double lr = 1, momentum = 0.9, weight_decay = 0, trust_coefficient = 1e-3, eps = 0;
    bool nesterov = false;
    NormForm norm_form = NormForm::update;
    NormScope norm_scope = NormScope::specified;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&LARS::lr>("lr", range::not_negative),
        option<&LARS::momentum>("momentum", range::not_negative),
        option<&LARS::weight_decay>("weight_decay", range::not_negative),
        option<&LARS::trust_coefficient>("trust_coefficient", range::not_negative),
        option<&LARS::eps>("eps", range::not_negative),
        option<&LARS::nesterov>("nesterov"),
        option<&LARS::norm_form>("norm_form", "update", "sum"),
        option<&LARS::norm_scope>("norm_scope", "specified", "all"),
        option<&LARS::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        norm_scope == NormScope::specified ? use(lars_step<T>()) : use(lars_step<T, NormScope::all>());
    }
    static std::string_view no_closed_form() { return norms_mix; }
};

}  // namespace frisket::optim
