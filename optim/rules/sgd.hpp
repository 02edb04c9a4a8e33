// SPDX-License-Identifier: MIT
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

/// Without decay: the buffer shrinks by `momentum` a step, whatever the dampening, and the parameter moves by
/// what it is then, or by `momentum` times that.
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

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("momentum", momentum, range::not_negative);
        option("dampening", dampening, range::finite);
        option("weight_decay", weight_decay, range::not_negative);
        option("nesterov", nesterov);
        option("maximize", maximize);
    }
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

}  // namespace frisket::optim
