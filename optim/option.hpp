// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

/// Options of rules as rows of tables.
namespace frisket::optim {

/// The values that a number among a rule's options may have: finite ones between two bounds.
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
    OptionRange range = {};
    std::size_t choice_count = 0;
    std::array<std::string_view, 4> choices = {};  ///< so many names of the values of a bool or an enum

    /// The value as a Scalar.  Errors: ValueError for a choice that is none.
    double number(const void* rule) const {
        const double value = get(rule);
        if (choice_count > 0 && !is_choice(value)) refuse_choice(name, value);
        return value;
    }
    /// Errors: ValueError for a choice that is none.
    std::string text(const void* rule) const;
    /// Errors: ValueError naming the option, its value and what is allowed.
    void check(std::string_view rule_name, const void* rule) const {
        const double value = get(rule);
        if (choice_count > 0 ? !is_choice(value) : !range.contains(value)) refuse(rule_name, value);
    }
    /// Gives the option the value that a text says.  Errors: as those of check().
    void set(std::string_view rule_name, void* rule, std::string_view text) const;

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
