// SPDX-License-Identifier: MIT
// Defines the symbols and options that rules share.
#pragma once
#include "../dsl/dsl.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace frisket::optim {

/// The values that a number among a rule's options may have: finite values between two bounds.
struct OptionRange {
    double low = -std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::max();
    bool low_is_excluded = false, high_is_excluded = false;

    /// False for NaN.
    constexpr bool contains(double value) const {
        return (low_is_excluded ? value > low : value >= low) &&
               (high_is_excluded ? value < high : value <= high);
    }
    /// The range in words: "a finite number of at least 0 and below 1".
    std::string text() const;
};

/// Ranges that options of several rules have.
namespace range {
inline constexpr OptionRange finite{};
inline constexpr OptionRange not_negative{.low = 0};
inline constexpr OptionRange positive{.low = 0, .low_is_excluded = true};
inline constexpr OptionRange share{.low = 0, .high = 1};
/// A factor of an exponential average: at 1 the average would forget all it is given.
inline constexpr OptionRange decay{.low = 0, .high = 1, .high_is_excluded = true};
}  // namespace range

/// An option of a rule: a row of its table.
struct Option {
    std::string_view name;
    bool is_whole;                    ///< an int or a bool
    double (*get)(const void* rule);  ///< a bool or an enum as its position in `choices`
    void (*put)(void* rule, double value);
    OptionRange range = {};                        ///< for numbers
    std::size_t choice_count = 0;                  ///< 0 for numbers
    std::array<std::string_view, 4> choices = {};  ///< names of the values of a bool or an enum

    /// The value as a Scalar.  Errors: ValueError if an enum has a value without a name.
    double number(const void* rule) const {
        const double value = get(rule);
        if (choice_count > 0 && !is_choice(value)) refuse_choice(name, value);
        return value;
    }
    /// The value as text.  Errors: as for number().
    std::string text(const void* rule) const;
    /// Errors: ValueError naming the option, its value and the allowed values.
    void check(std::string_view rule_name, const void* rule) const {
        const double value = get(rule);
        if (choice_count > 0 ? !is_choice(value) : !range.contains(value)) refuse(rule_name, value);
    }
    /// Parses the text and assigns the value.  Errors: as for check().
    void set(std::string_view rule_name, void* rule, std::string_view text) const;
    /// Assigns the value: a bool as 0 or 1, an enum as its position.  Errors: as for check().
    void set(std::string_view rule_name, void* rule, double value) const;

private:
    bool is_choice(double value) const { return value >= 0 && value < static_cast<double>(choice_count); }
    [[noreturn]] void refuse(std::string_view rule_name, double value) const;
    [[noreturn]] void refuse_choice(std::string_view where, double value) const;
};

namespace detail {

template <auto member>
struct OptionMember;
template <class Rule, class Value, Value Rule::* member>
struct OptionMember<member> {
    using Type = Value;
    static double get(const void* rule) {
        return static_cast<double>(static_cast<const Rule*>(rule)->*member);
    }
    static void put(void* rule, double value) {
        static_cast<Rule*>(rule)->*member = static_cast<Value>(value);
    }
};

std::string option_text(double value);

}  // namespace detail

/// The row of a member that is a number or a bool.
template <auto member>
constexpr Option option(std::string_view name, const OptionRange& range = {}) {
    using Member = detail::OptionMember<member>;
    constexpr bool is_flag = std::is_same_v<typename Member::Type, bool>;
    return {.name = name,
            .is_whole = std::is_integral_v<typename Member::Type>,
            .get = &Member::get,
            .put = &Member::put,
            .range = range,
            .choice_count = is_flag ? 2 : 0,
            .choices = {"false", "true"}};
}
/// The row of a member that is an enum, with the names of its values.
template <auto member, std::convertible_to<std::string_view>... Names>
    requires(sizeof...(Names) > 0)
constexpr Option option(std::string_view name, const Names&... choices) {
    Option made = option<member>(name);
    made.choice_count = sizeof...(Names);
    made.choices = {choices...};
    return made;
}

}  // namespace frisket::optim

/// Symbols in which the formulas of this folder are written, named as the arguments of kernels.
namespace frisket::optim {

/// Elements of the state of a parameter: float32 for those of 16 bits.
template <class T>
using StateType = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The parameter, as steps of rules name it.
template <class T>
using Param = InOut<"param", T>;
/// The gradient of a parameter.
template <class T>
using Grad = Masked<"grad", T>;
/// A tensor of the state of a parameter.
template <Name SymbolName, class T>
using State = InOut<SymbolName, StateType<T>>;

inline constexpr Scalar<"t"> t;  ///< the number of the step, 1 at the first
inline constexpr Scalar<"lr"> lr;
inline constexpr Scalar<"weight_decay"> weight_decay;
inline constexpr Scalar<"momentum"> momentum;
inline constexpr Scalar<"dampening"> dampening;
inline constexpr Scalar<"nesterov"> nesterov;  ///< 0 or 1
inline constexpr Scalar<"alpha"> alpha;
inline constexpr Scalar<"beta"> beta;
inline constexpr Scalar<"beta1"> beta1;
inline constexpr Scalar<"beta2"> beta2;
inline constexpr Scalar<"eps"> eps;

inline constexpr Let<"g"> g;

/// `gradient + weight_decay * param`; without decay the gradient itself, whatever the parameter holds.
template <class Gradient, class Parameter>
constexpr auto decayed(const Gradient& gradient, const Parameter& param) {
    return where(weight_decay == 0, gradient, gradient + weight_decay * param);
}

/// From `start` to `end` by this share of the way.
template <class Start, class End, class Share>
constexpr auto lerp(const Start& start, const End& end, const Share& share) {
    return start + share * (end - start);
}

/// lerp of averages of squares, which stay infinite once a square has left the range.
template <class Start, class End, class Share>
constexpr auto lerp_of_squares(const Start& start, const End& end, const Share& share) {
    return where(is_finite(start), lerp(start, end, share), start);
}

/// Number of steps that have not touched a row since the last one that did, for each row of a parameter.
inline constexpr In<"missed", double> missed;

/// `base` to the power of `missed`.
template <class T, class Base>
constexpr auto power(const Base& base) {
    return cast<StateType<T>>(pow(base, missed));
}

/// 1 + base + base² + …, of `missed` terms.
template <class T, class Base>
constexpr auto geometric(const Base& base) {
    return cast<StateType<T>>(where(base == 1, missed, (1 - pow(base, missed)) / (1 - base)));
}

/// Reasons why options of a rule have no closed form of missed steps.
inline constexpr std::string_view decay_is_squared =
    "decay of the parameter is squared into the state that divides it (give it no weight_decay)";
inline constexpr std::string_view divides_zeros = "without eps a missed step divides 0 by 0 (give it an eps)";
inline constexpr std::string_view moments_divide = "each missed step moves the parameter by a quotient of "
                                                   "two averages and of powers of t, and such terms have "
                                                   "no sum that is shorter";
inline constexpr std::string_view norms_mix = "a norm of all rows is part of each missed step";

/// The statements of a rule for a parameter, among others of a step:
/// `step<"train">(gw = gradient(loss, w), update(adagrad, w, gw))`.
/// The rule is a step with an InOut `param` and a Masked `grad`, as those of this folder: `w` stands for the
/// one, the gradient for the other, dense or masked, whatever its layout.  State and Lets get the parameter's
/// name in front: `w_sum` for the `sum` of adagrad, an InOut or a ScalarState of the step; it starts with
/// what the rule says (0 for most), and has the parameter's shape if the rule says no other.  Numbers keep
/// their names (`lr`, `t`) and are the same for all rules of the step.
/// Errors: told by the compiler.
template <class Rule, class Target, class Gradient>
constexpr frisket::detail::Inlined<Rule, Target, Gradient> update(const Rule& rule, const Target& /*w*/,
                                                                  const Gradient& gradient) {
    if constexpr (is_refused<frisket::detail::Inlined<Rule, Target, Gradient>>)
        return ErrorExpr{};
    else
        return {rule, frisket::detail::operand(gradient)};
}

/// An operation of a rule's own on a whole tensor.
template <class Op, class X>
constexpr auto apply(const Op& op, const X& x) {
    return frisket::detail::whole(op, x);
}

}  // namespace frisket::optim
