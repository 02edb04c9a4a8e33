// SPDX-License-Identifier: MIT
// Defines Adagrad, row-wise Adagrad and FTRL.
#pragma once
#include "../rule.hpp"
#include "../symbols.hpp"

#include <cstdint>
#include <string_view>

namespace frisket::optim {

/// Adagrad with one number of state for each row (everything under an index of the first dimension), as
/// FBGEMM's EXACT_ROWWISE_ADAGRAD.  The state has shape [rows, 1, …].  The mean over a row is the mean of its
/// specified elements.
/// Source: Mudigere et al., "Software-hardware co-design for fast and scalable training of deep learning
/// recommendation models", ISCA 2022.
template <class T>
constexpr auto rowwise_adagrad_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"sum", T> sum;
    constexpr Scalar<"coupled_decay"> coupled;      // weight_decay, or 0
    constexpr Scalar<"decoupled_decay"> decoupled;  // weight_decay, or 0
    constexpr Let<"rate"> rate;
    return step<"rowwise_adagrad">(
        g     = where(coupled == 0, grad, grad + coupled * param),
        sum  += mean(g * g, dims_from(1), keepdim),
        rate  = lr / (sqrt(sum) + eps),
        param = on(grad, (1 - rate * coupled - lr * decoupled) * param) - rate * grad);
}

/// Row-wise Adagrad with the sum over a row divided by its whole length, as if unspecified elements were
/// zeros.
template <class T>
constexpr auto rowwise_adagrad_dim_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"sum", T> state;
    constexpr Scalar<"coupled_decay"> coupled;
    constexpr Scalar<"decoupled_decay"> decoupled;
    constexpr Scalar<"row_size"> row_size;
    constexpr Let<"rate"> rate;
    return step<"rowwise_adagrad_dim">(
        g      = where(coupled == 0, grad, grad + coupled * param),
        state += sum(g * g, dims_from(1), keepdim) / row_size,
        rate   = lr / (sqrt(state) + eps),
        param  = on(grad, (1 - rate * coupled - lr * decoupled) * param) - rate * grad);
}

template <class T>
constexpr auto rowwise_adagrad_caught_up() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr Scalar<"decoupled_decay"> decoupled;
    return step<"rowwise_adagrad_caught_up">(
        param = on(grad, power<T>(1 - lr * decoupled) * param));
}
inline constexpr auto rowwise_adagrad = rowwise_adagrad_step<float>();
inline constexpr auto rowwise_adagrad_dim = rowwise_adagrad_dim_step<float>();

/// Adagrad with one number of state for each row.
struct RowwiseAdagrad {
    /// Kinds of weight decay.
    enum class Decay : std::uint8_t {
        none,
        l2,        ///< in the statistic, and scaled by the row's rate in the update
        decoupled  ///< scales the parameter itself
    };
    /// Forms of the divisor.
    enum class Denominator : std::uint8_t {
        count,  ///< the mean over the specified elements of a row
        dim     ///< their sum, divided by the length of the row
    };
    static constexpr std::string_view name = "rowwise_adagrad";
    double lr = 1e-2, eps = 1e-8, weight_decay = 0, initial_accumulator_value = 0;
    Decay weight_decay_mode = Decay::none;
    Denominator row_denominator = Denominator::count;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&RowwiseAdagrad::lr>("lr", range::not_negative),
        option<&RowwiseAdagrad::eps>("eps", range::not_negative),
        option<&RowwiseAdagrad::weight_decay>("weight_decay", range::not_negative),
        option<&RowwiseAdagrad::initial_accumulator_value>("initial_accumulator_value", range::not_negative),
        option<&RowwiseAdagrad::weight_decay_mode>("weight_decay_mode", "none", "l2", "decoupled"),
        option<&RowwiseAdagrad::row_denominator>("row_denominator", "count", "dim"),
        option<&RowwiseAdagrad::maximize>("maximize"),
    };
    void derived(const Shape& param, DType /*dtype*/, auto&& number) const {
        number("coupled_decay", weight_decay_mode == Decay::l2 ? weight_decay : 0);
        number("decoupled_decay", weight_decay_mode == Decay::decoupled ? weight_decay : 0);
        double row_size = 1;
        for (std::size_t dim = 1; dim < param.size(); ++dim) row_size *= static_cast<double>(param[dim]);
        number("row_size", row_size);
    }
    double initial(std::string_view /*state*/) const { return initial_accumulator_value; }
    static Shape state_shape(std::string_view /*state*/, const Shape& param) {
        return detail::one_for_each_row(param);
    }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        row_denominator == Denominator::count ? use(rowwise_adagrad_step<T>())
                                              : use(rowwise_adagrad_dim_step<T>());
    }
    std::string_view no_closed_form() const {
        return weight_decay != 0 && weight_decay_mode == Decay::l2 ? decay_is_squared
               : eps == 0 && initial_accumulator_value == 0      ? divides_zeros
                                                                   : "";
    }
    /// Applies decoupled decay; a missed step changes nothing else.
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        if (weight_decay != 0 && weight_decay_mode == Decay::decoupled) use(rowwise_adagrad_caught_up<T>());
    }
};

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
        z    += grad - where(is_finite(n + grad * grad), (sqrt(n + grad * grad) - sqrt(n)) / lr * param, 0),
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

    static constexpr Option options[] = {
        option<&FTRL::lr>("lr", range::positive),
        option<&FTRL::beta>("beta", range::not_negative),
        option<&FTRL::l1>("l1", range::not_negative),
        option<&FTRL::l2>("l2", range::not_negative),
        option<&FTRL::initial_accumulator_value>("initial_accumulator_value", range::not_negative),
        option<&FTRL::maximize>("maximize"),
    };
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

/// Source: Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12 (2011); torch.optim.Adagrad.
template <class T>
constexpr auto adagrad_step() {
    constexpr Param<T> param;
    constexpr Grad<T> grad;
    constexpr State<"sum", T> sum;
    constexpr Scalar<"lr_decay"> lr_decay;
    return step<"adagrad">(
        over(grad),
        g      = decayed(grad, param),
        sum   += g * g,
        param -= lr / (1 + (t - 1) * lr_decay) * (g / (sqrt(sum) + eps)));
}
inline constexpr auto adagrad = adagrad_step<float>();

/// Adagrad: the rate falls with the sum of squared gradients.
struct Adagrad {
    static constexpr std::string_view name = "adagrad";
    double lr = 1e-2, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10;
    bool maximize = false;

    static constexpr Option options[] = {
        option<&Adagrad::lr>("lr", range::not_negative),
        option<&Adagrad::lr_decay>("lr_decay", range::not_negative),
        option<&Adagrad::weight_decay>("weight_decay", range::not_negative),
        option<&Adagrad::initial_accumulator_value>("initial_accumulator_value", range::not_negative),
        option<&Adagrad::eps>("eps", range::not_negative),
        option<&Adagrad::maximize>("maximize"),
    };
    double initial(std::string_view /*state*/) const { return initial_accumulator_value; }
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        use(adagrad_step<T>());
    }
    std::string_view no_closed_form() const {
        return weight_decay != 0                              ? decay_is_squared
               : eps == 0 && initial_accumulator_value == 0 ? divides_zeros
                                                              : "";
    }
    /// A missed step changes nothing.
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& /*use*/) const {}
};

}  // namespace frisket::optim
