// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

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
        agreement = sign(grad * prev),
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

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("etaminus", etaminus,
               OptionRange{.low = 0, .high = 1, .low_is_excluded = true, .high_is_excluded = true});
        option("etaplus", etaplus, OptionRange{.low = 1, .low_is_excluded = true});
        option("step_size_min", step_size_min, range::not_negative);
        option("step_size_max", step_size_max, range::not_negative);
        option("maximize", maximize);
    }
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

}  // namespace frisket::optim
