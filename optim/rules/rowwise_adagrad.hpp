// SPDX-License-Identifier: MIT
#pragma once
#include "../rule.hpp"
#include "../symbols.hpp"

#include <cstdint>
#include <string_view>

namespace frisket::optim {

/// Adagrad with one number of state for each row (everything under an index of the first dimension), as
/// FBGEMM's EXACT_ROWWISE_ADAGRAD.  The state has shape [rows, 1, …].  The mean over a row is that of its
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

/// The same with the sum over a row divided by its whole length, as if unspecified elements were zeros.
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
        decoupled  ///< of the parameter itself
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

    void options(auto&& option) {
        option("lr", lr, range::not_negative);
        option("eps", eps, range::not_negative);
        option("weight_decay", weight_decay, range::not_negative);
        option("initial_accumulator_value", initial_accumulator_value, range::not_negative);
        option("weight_decay_mode", weight_decay_mode, {"none", "l2", "decoupled"});
        option("row_denominator", row_denominator, {"count", "dim"});
        option("maximize", maximize);
    }
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
    /// But for decoupled decay a missed step changes nothing.
    template <class T>
    void caught_up(const Shape& /*param*/, auto&& use) const {
        if (weight_decay != 0 && weight_decay_mode == Decay::decoupled) use(rowwise_adagrad_caught_up<T>());
    }
};

}  // namespace frisket::optim
