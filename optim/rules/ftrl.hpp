// SPDX-License-Identifier: MIT
#pragma once
#include "../symbols.hpp"

#include <string_view>

namespace frisket::optim {

/// The parameter that z and n stand for.
template <class Z, class N>
constexpr auto ftrl_solution(const Z& z, const N& n) {
    constexpr Scalar<"l1"> l1;
    constexpr Scalar<"l2"> l2;
    return where(abs(z) <= l1, 0, -(z - sign(z) * l1) / ((beta + sqrt(n)) / lr + l2));
}

/// FTRL-proximal.
/// Source: McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013, algorithm 1.
/// A parameter is a function of z and n: the first step where an element is specified replaces what it was.
template <class T>
constexpr auto ftrl_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"n", T> n;
    constexpr State<"z", T> z;
    return step<"ftrl">(
        over(grad),
        z    += grad - (sqrt(n + grad * grad) - sqrt(n)) / lr * param,
        n    += grad * grad,
        param = ftrl_solution(z, n));
}

template <class T>
constexpr auto ftrl_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"n", T> n;
    constexpr State<"z", T> z;
    return step<"ftrl_caught_up">(
        over(grad),
        param = where(missed > 0, ftrl_solution(z, n), param));
}
inline constexpr auto ftrl = ftrl_step<float>();

/// FTRL-proximal, with penalties l1 and l2.
struct FTRL {
    static constexpr std::string_view name = "ftrl";
    double lr = 0.1, beta = 1, l1 = 0, l2 = 0, initial_accumulator_value = 0;
    bool maximize = false;

    void options(auto&& option) {
        option("lr", lr, range::positive);
        option("beta", beta, range::not_negative);
        option("l1", l1, range::not_negative);
        option("l2", l2, range::not_negative);
        option("initial_accumulator_value", initial_accumulator_value, range::not_negative);
        option("maximize", maximize);
    }
    double initial(std::string_view state) const { return state == "n" ? initial_accumulator_value : 0; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(ftrl_step<T>());
    }
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        use(ftrl_caught_up<T>());
    }
};

}  // namespace frisket::optim
