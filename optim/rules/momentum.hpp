// SPDX-License-Identifier: MIT
// Defines SGD, averaged SGD, Rprop and Lion.
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// Formula without momentum.
template <class T>
constexpr auto sgd_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    return step<"sgd">(
        over(grad),
        param -= lr * decayed(grad, param));
}

/// Source: Sutskever et al., "On the importance of initialization and momentum in deep learning", ICML 2013,
/// as in torch.optim.SGD: the first step takes the gradient into the buffer undampened.
template <class T>
constexpr auto sgd_momentum_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"momentum_buffer", T> buffer;
    return step<"sgd_momentum">(
        over(grad),
        g      = decayed(grad, param),
        buffer = where(t == 1, g, buffer * momentum + (1 - dampening) * g),
        param -= lr * where(nesterov == 0, on(grad, buffer), g + momentum * buffer));
}

template <class T>
constexpr auto sgd_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    return step<"sgd_caught_up">(
        over(grad),
        param *= power<T>(1 - lr * weight_decay));
}

/// Missed steps without decay: the buffer shrinks by `momentum` a step, whatever the dampening, and the
/// parameter moves by what it is then, or by `momentum` times that.
template <class T>
constexpr auto sgd_momentum_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"momentum_buffer", T> buffer;
    return step<"sgd_momentum_caught_up">(
        over(grad),
        param  -= lr * where(nesterov == 0, 1, momentum) * momentum * geometric<T>(momentum) * buffer,
        buffer *= power<T>(momentum));
}
inline constexpr auto sgd = sgd_step<float>();
inline constexpr auto sgd_momentum = sgd_momentum_step<float>();

/// Stochastic gradient descent, with momentum, Nesterov's momentum and decay.
struct SGD {
    static constexpr std::string_view name = "sgd";
    double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
    bool nesterov = false, maximize = false;

    static constexpr Option options[] = {
        option<&SGD::lr>("lr", range::not_negative),
        option<&SGD::momentum>("momentum", range::not_negative),
        option<&SGD::dampening>("dampening", range::finite),
        option<&SGD::weight_decay>("weight_decay", range::not_negative),
        option<&SGD::nesterov>("nesterov"),
        option<&SGD::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        momentum == 0 ? use(sgd_step<T>()) : use(sgd_momentum_step<T>());
    }
    std::string_view no_closed_form() const {
        return momentum != 0 && weight_decay != 0
                   ? "decay of the parameter feeds the momentum, which moves the parameter (give it no "
                     "weight_decay, or no momentum)"
                   : "";
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        if (momentum != 0)
            use(sgd_momentum_caught_up<T>());
        else if (weight_decay != 0)
            use(sgd_caught_up<T>());
    }
};

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

    static constexpr Option options[] = {
        option<&ASGD::lr>("lr", range::not_negative),
        option<&ASGD::lambd>("lambd", range::not_negative),
        option<&ASGD::alpha>("alpha", range::not_negative),
        option<&ASGD::t0>("t0", range::finite),
        option<&ASGD::weight_decay>("weight_decay", range::not_negative),
        option<&ASGD::maximize>("maximize"),
    };
    double initial(std::string_view state) const { return state == "eta" ? lr : state == "mu" ? 1 : 0; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(asgd_step<T>());
    }
    static std::string_view no_closed_form() {
        return "the rate changes from step to step, and products of what it leaves have no closed form";
    }
};

/// Source: Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993, as
/// in torch.optim.Rprop: where the sign turns, the element waits for a step.
template <class T>
constexpr auto rprop_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"prev", T> prev;
    constexpr State<"step_size", T> step_size;
    constexpr Scalar<"etaminus"> etaminus;
    constexpr Scalar<"etaplus"> etaplus;
    constexpr Scalar<"step_size_min"> smallest;
    constexpr Scalar<"step_size_max"> largest;
    constexpr Let<"agreement"> agreement;
    return step<"rprop">(
        over(grad),
        agreement = sign(grad) * sign(prev),
        step_size = clamp(where(agreement > 0, step_size * etaplus,
                                where(agreement < 0, step_size * etaminus, step_size)),
                          smallest, largest),
        g         = where(agreement < 0, 0, grad),
        param    -= sign(g) * step_size,
        prev      = g);
}

/// A missed step has no sign to agree with.
template <class T>
constexpr auto rprop_caught_up() {
    constexpr Grad<T> grad;
    constexpr State<"prev", T> prev;
    constexpr State<"step_size", T> step_size;
    constexpr Scalar<"step_size_min"> smallest;
    constexpr Scalar<"step_size_max"> largest;
    return step<"rprop_caught_up">(
        over(grad),
        step_size = where(missed > 0, clamp(step_size, smallest, largest), step_size),
        prev      = where(missed > 0, 0, prev));
}
inline constexpr auto rprop = rprop_step<float>();

/// Rprop: step sizes that grow and shrink with the signs of gradients.
struct Rprop {
    static constexpr std::string_view name = "rprop";
    double lr = 1e-2, etaminus = 0.5, etaplus = 1.2, step_size_min = 1e-6, step_size_max = 50;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&Rprop::lr>("lr", range::not_negative),
        option<&Rprop::etaminus>("etaminus",
               OptionRange{.low = 0, .high = 1, .low_is_excluded = true, .high_is_excluded = true}),
        option<&Rprop::etaplus>("etaplus", OptionRange{.low = 1, .low_is_excluded = true}),
        option<&Rprop::step_size_min>("step_size_min", range::not_negative),
        option<&Rprop::step_size_max>("step_size_max", range::not_negative),
        option<&Rprop::maximize>("maximize"),
    };
    double initial(std::string_view state) const { return state == "step_size" ? lr : 0; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(rprop_step<T>());
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        use(rprop_caught_up<T>());
    }
};

/// Source: Chen et al., "Symbolic discovery of optimization algorithms", NeurIPS 2023, algorithm 2.
template <class T>
constexpr auto lion_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    return step<"lion">(
        over(grad),
        param  -= lr * (sign(beta1 * exp_avg + (1 - beta1) * grad) +
                        where(weight_decay == 0, 0, weight_decay * param)),
        exp_avg = beta2 * exp_avg + (1 - beta2) * grad);
}

/// The average keeps its sign as it shrinks, so that each missed step moves the parameter by the same.
template <class T>
constexpr auto lion_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"exp_avg", T> exp_avg;
    return step<"lion_caught_up">(
        over(grad),
        param    = power<T>(1 - lr * weight_decay) * param -
                   lr * geometric<T>(1 - lr * weight_decay) * sign(beta1 * exp_avg),
        exp_avg *= power<T>(beta2));
}
inline constexpr auto lion = lion_step<float>();

/// Lion: steps by the sign of an average.
struct Lion {
    static constexpr std::string_view name = "lion";
    double lr = 1e-4, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&Lion::lr>("lr", range::not_negative),
        option<&Lion::beta1>("beta1", range::decay),
        option<&Lion::beta2>("beta2", range::decay),
        option<&Lion::weight_decay>("weight_decay", range::not_negative),
        option<&Lion::maximize>("maximize"),
    };
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(lion_step<T>());
    }
    std::string_view no_closed_form() const {
        return beta2 <= 0 ? "the average loses its sign after a missed step (give it a beta2 above 0)" : "";
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        use(lion_caught_up<T>());
    }
};

}  // namespace frisket::optim
