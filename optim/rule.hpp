// SPDX-License-Identifier: MIT
#pragma once
#include "../dsl/describe.hpp"
#include "../runtime/tensor/error.hpp"
#include "symbols.hpp"

#include <any>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Interface of a rule to Optimizer: a struct of options with a name and a formula, as adagrad.hpp has it.
///
/// A rule has
///     name                                  "adagrad"
///     options(option)                       calls option(name, member, range) for each of its numbers
///                                           (without a range: finite), option(name, member) for a bool,
///                                           option(name, member, {names of its values}) for an enum
///     formula<T>(shape of the parameter, use)   calls use(step) with the step for parameters of T
/// and may have
///     initial(state) -> double              what a state starts with, else 0
///     state_shape(state, shape) -> Shape    else the parameter's
///     derived(shape, dtype, number)         calls number(name, value) for Scalars that are no options
///     part_of_step() -> std::string         options that are constants of the step, which are no Scalars
///     no_mask                               why there is no masked form of it
///     caught_up<T>(shape of the parameter, use)   calls use(step) with the step that does what `missed`
///                                           steps of gradient zero do; nothing if they change nothing
///     no_closed_form() -> std::string_view  why there is no such step for the present options, else ""
/// Symbols of its steps: `param`; Masked `grad`; other InOut and ScalarState are its state; Scalars are `t`,
/// the number of the step, and options or derived numbers, an enum as its position.
namespace frisket::optim {

/// An option or a derived number under its name.
struct Number {
    std::string_view name = {};
    double value = 0;
};

/// An option as text: what is saved with a state.
struct OptionText {
    std::string name;
    std::string text;
    bool operator==(const OptionText&) const = default;
};

/// A rule as plain functions over its options.
struct RuleInfo {
    std::string_view name;
    std::string_view no_mask;
    /// Key of the step for a parameter besides dtype and shape: the step's name, and numbers that are part of
    /// it.
    std::string (*variant)(const void* rule, const Shape& param);
    Graph (*graph)(const void* rule, DType dtype, const Shape& param);
    void (*numbers)(const void* rule, DType dtype, const Shape& param, std::vector<Number>& numbers);
    double (*initial)(const void* rule, std::string_view state);
    Shape (*state_shape)(std::string_view state, const Shape& param);
    /// The reason why missed steps have no closed form; empty if they have.
    std::string_view (*no_closed_form)(const void* rule);
    /// The name of the closed form, empty if missed steps change nothing.
    std::string_view (*closed_form)(const void* rule, const Shape& param);
    /// The closed form, or with `then_step` the step after it, as one step with shapes.
    Graph (*caught_up)(const void* rule, DType dtype, const Shape& param, bool then_step);
    std::vector<OptionText> (*options)(const void* rule);
    /// Errors: ValueError naming an option whose value is outside its range, the value and the range.
    void (*check_options)(const void* rule);
    /// Errors: ValueError naming the option, what came and what is allowed.
    void (*set_option)(void* rule, std::string_view name, std::string_view text);
};

namespace detail {

std::string option_text(double value);
/// Errors: ValueError.
double parse_number(std::string_view rule, std::string_view name, std::string_view text,
                    const OptionRange& range);
int parse_integer(std::string_view rule, std::string_view name, std::string_view text,
                  const OptionRange& range);
bool parse_flag(std::string_view rule, std::string_view name, std::string_view text);
std::size_t parse_choice(std::string_view rule, std::string_view name, std::string_view text,
                         std::initializer_list<std::string_view> choices);
/// The position of an option's value among its names.  Errors: ValueError if it is none of them.
std::size_t choice_of(std::string_view name, std::size_t value,
                      std::initializer_list<std::string_view> choices);
[[noreturn]] void unknown_option(std::string_view rule, std::string_view name,
                                 const std::vector<OptionText>& known);
/// Errors: ValueError.
void check_option(std::string_view rule, std::string_view name, double value, const OptionRange& range);
[[noreturn]] void wrong_rule(std::string_view rule, std::string_view wanted);
[[noreturn]] void no_such_parameter(std::string_view rule, DType dtype);
/// Gives the parameter and its gradient the dtype in which they are stored.
void store_as(Graph& graph, DType dtype);
/// The shape of a state with one number for each row of a parameter.
Shape one_for_each_row(const Shape& param);

/// A step of a rule without its type.
struct AnyStep {
    std::string_view name;
    std::span<const StepSymbol> parameters;
    bool has_structure = false, is_dense_equivalent = false;
    const void* step = nullptr;
    /// Adds the statements of the step to a graph.
    void (*emit)(GraphEmitter& graph, const void* step) = nullptr;
};
using UseStep = std::function<void(const AnyStep&)>;

template <class Step>
constexpr bool is_dense_equivalent = false;
template <class Step>
constexpr bool is_dense_equivalent<DenseEquivalent<Step>> = true;

/// Steps as formulas of rules hand them over, for `use`.
struct WithoutType {
    const UseStep& use;
    template <class Step>
    void operator()(const Step& step) const {
        use({.name = Step::name,
             .parameters = Step::parameters,
             .has_structure = Step::has_structure,
             .is_dense_equivalent = is_dense_equivalent<Step>,
             .step = &step,
             .emit = [](GraphEmitter& graph, const void* to_emit) {
                 frisket::detail::emit_statements(graph, *static_cast<const Step*>(to_emit));
             }});
    }
};

/// The steps of a rule with its options, without its type.
struct RuleSteps {
    std::string_view rule_name;
    const void* rule = nullptr;
    /// Calls `use` with the step for a parameter.  Errors: DTypeError.
    void (*formula)(const void* rule, DType dtype, const Shape& param, const UseStep& use) = nullptr;
    /// Calls `use` with the closed form of missed steps, if they change something.
    void (*caught_up)(const void* rule, DType dtype, const Shape& param, const UseStep& use) = nullptr;
    Shape (*state_shape)(std::string_view state, const Shape& param) = nullptr;
};

std::string step_name(const RuleSteps& steps, const Shape& param);
Graph graph_of(const RuleSteps& steps, DType dtype, const Shape& param);
/// The name of the closed form, or nothing.
std::string_view closed_form(const RuleSteps& steps, const Shape& param);
/// The steps of `missed` gradients of zero, and the step itself.
Graph caught_up_graph(const RuleSteps& steps, DType dtype, const Shape& param, bool then_step);

template <class Rule>
Shape state_shape(std::string_view state, const Shape& param) {
    if constexpr (requires { Rule::state_shape(state, param); })
        return Rule::state_shape(state, param);
    else
        return param;
}

/// Makes a rule's formulas for float and double, each once.
template <class Rule>
RuleSteps steps_of(const Rule& rule) {
    RuleSteps steps;
    steps.rule_name = Rule::name;
    steps.rule = &rule;
    steps.state_shape = &state_shape<Rule>;
    steps.formula = [](const void* of, DType dtype, const Shape& param, const UseStep& use) {
        const Rule& rule = *static_cast<const Rule*>(of);
        switch (dtype) {
            case DType::float64: return rule.template formula<double>(param, WithoutType{use});
            // Loads widen and stores round: the step is that of float32.
            case DType::float32:
            case DType::float16:
            case DType::bfloat16: return rule.template formula<float>(param, WithoutType{use});
            default: no_such_parameter(Rule::name, dtype);
        }
    };
    steps.caught_up = [](const void* of, DType dtype, const Shape& param, const UseStep& use) {
        const Rule& rule = *static_cast<const Rule*>(of);
        if constexpr (requires { rule.template caught_up<float>(param, WithoutType{use}); })
            dtype == DType::float64 ? rule.template caught_up<double>(param, WithoutType{use})
                                    : rule.template caught_up<float>(param, WithoutType{use});
    };
    return steps;
}

template <class Rule>
std::string_view no_closed_form(const Rule& rule) {
    if constexpr (requires { rule.no_closed_form(); }) return rule.no_closed_form();
    const auto ignore = [](const auto&) {};
    const bool has_form = requires { rule.template caught_up<float>(Shape{}, ignore); };
    return has_form ? "" : "the rule has no caught_up()";
}

/// Takes options as numbers.
struct ToNumbers {
    std::vector<Number>& numbers;
    void operator()(std::string_view name, double value, const OptionRange& /*range*/ = {}) const {
        Number& number = numbers.emplace_back();
        number.name = name;
        number.value = value;
    }
    template <class E>
        requires std::is_enum_v<E>
    void operator()(std::string_view name, E value, std::initializer_list<std::string_view> names) const {
        (*this)(name, static_cast<double>(choice_of(name, static_cast<std::size_t>(value), names)));
    }
};

/// Takes options as text.
struct ToText {
    std::vector<OptionText>& options;
    void operator()(std::string_view name, double value, const OptionRange& /*range*/ = {}) const {
        options.push_back({std::string(name), option_text(value)});
    }
    void operator()(std::string_view name, int value, const OptionRange& /*range*/ = {}) const {
        options.push_back({std::string(name), std::to_string(value)});
    }
    void operator()(std::string_view name, bool value) const {
        options.push_back({std::string(name), value ? "true" : "false"});
    }
    template <class E>
        requires std::is_enum_v<E>
    void operator()(std::string_view name, E value, std::initializer_list<std::string_view> names) const {
        options.push_back(
            {std::string(name),
             std::string(names.begin()[choice_of(name, static_cast<std::size_t>(value), names)])});
    }
};

/// Refuses options outside their ranges.
struct CheckOptions {
    std::string_view rule;
    void operator()(std::string_view name, double value, const OptionRange& range = {}) const {
        check_option(rule, name, value, range);
    }
    void operator()(std::string_view /*name*/, bool /*value*/) const {}
    template <class E>
        requires std::is_enum_v<E>
    void operator()(std::string_view name, E value, std::initializer_list<std::string_view> names) const {
        choice_of(std::string(rule) + ": option " + std::string(name), static_cast<std::size_t>(value),
                  names);
    }
};

/// Gives one option the value that a text says.
struct FromText {
    std::string_view rule, wanted, text;
    bool& is_found;
    void operator()(std::string_view name, double& value, const OptionRange& range = {}) const {
        if (found(name)) value = parse_number(rule, name, text, range);
    }
    void operator()(std::string_view name, int& value, const OptionRange& range = {}) const {
        if (found(name)) value = parse_integer(rule, name, text, range);
    }
    void operator()(std::string_view name, bool& value) const {
        if (found(name)) value = parse_flag(rule, name, text);
    }
    template <class E>
        requires std::is_enum_v<E>
    void operator()(std::string_view name, E& value, std::initializer_list<std::string_view> names) const {
        if (found(name)) value = static_cast<E>(parse_choice(rule, name, text, names));
    }
    bool found(std::string_view name) const {
        is_found |= name == wanted;
        return name == wanted;
    }
};

template <class Rule>
void numbers_of(Rule rule, DType dtype, const Shape& param, std::vector<Number>& numbers) {
    const ToNumbers number{numbers};
    rule.options(number);
    if constexpr (requires { rule.derived(param, dtype, number); }) rule.derived(param, dtype, number);
}

template <class Rule>
std::vector<OptionText> options_of(Rule rule) {
    std::vector<OptionText> options;
    rule.options(ToText{options});
    return options;
}

template <class Rule>
void set_option(Rule& rule, std::string_view name, std::string_view text) {
    bool is_found = false;
    rule.options(FromText{Rule::name, name, text, is_found});
    if (!is_found) unknown_option(Rule::name, name, options_of(rule));
}

template <class Rule>
std::string variant(const Rule& rule, const Shape& param) {
    std::string name = step_name(steps_of(rule), param);
    if constexpr (requires { rule.part_of_step(); }) name += " " + rule.part_of_step();
    return name;
}
}  // namespace detail

template <class Rule>
concept OptimizerRule = requires(Rule rule, const detail::ToNumbers& option) {
    { Rule::name } -> std::convertible_to<std::string_view>;
    rule.options(option);
};

/// A rule as plain functions.  Those of rules/ are compiled once, in the library.
template <OptimizerRule Rule>
const RuleInfo& rule_info() {
    static constexpr auto of = [](const void* rule) -> const Rule& {
        return *static_cast<const Rule*>(rule);
    };
    static const RuleInfo info{
        .name = Rule::name,
        .no_mask =
            [] {
                if constexpr (requires { Rule::no_mask; })
                    return std::string_view(Rule::no_mask);
                else
                    return std::string_view();
            }(),
        .variant = [](const void* rule, const Shape& param) { return detail::variant(of(rule), param); },
        .graph =
            [](const void* rule, DType dtype, const Shape& param) {
                return detail::graph_of(detail::steps_of(of(rule)), dtype, param);
            },
        .numbers = [](const void* rule, DType dtype, const Shape& param,
                      std::vector<Number>& numbers) { detail::numbers_of(of(rule), dtype, param, numbers); },
        .initial =
            [](const void* rule, std::string_view state) {
                if constexpr (requires { of(rule).initial(state); })
                    return of(rule).initial(state);
                else
                    return 0.0;
            },
        .state_shape = &detail::state_shape<Rule>,
        .no_closed_form = [](const void* rule) { return detail::no_closed_form(of(rule)); },
        .closed_form =
            [](const void* rule, const Shape& param) {
                return detail::closed_form(detail::steps_of(of(rule)), param);
            },
        .caught_up =
            [](const void* rule, DType dtype, const Shape& param, bool then_step) {
                return detail::caught_up_graph(detail::steps_of(of(rule)), dtype, param, then_step);
            },
        .options = [](const void* rule) { return detail::options_of(of(rule)); },
        .check_options = [](const void* rule) { Rule(of(rule)).options(detail::CheckOptions{Rule::name}); },
        .set_option =
            [](void* rule, std::string_view name, std::string_view text) {
                detail::set_option(*static_cast<Rule*>(rule), name, text);
            },
    };
    return info;
}

/// A rule with its options, of any type.
class AnyRule {
public:
    /// A copy of a rule with its options.
    template <OptimizerRule Rule>
    AnyRule(const Rule& rule) : info_(&rule_info<Rule>()), rule_(rule), data_(&access<Rule>) {}

    /// Its options.  Errors: ValueError naming both if it is another rule.
    template <OptimizerRule Rule>
    Rule& get() {
        Rule* const rule = std::any_cast<Rule>(&rule_);
        if (rule == nullptr) detail::wrong_rule(info_->name, Rule::name);
        return *rule;
    }
    /// The functions of the rule.
    const RuleInfo& info() const { return *info_; }
    /// The rule itself, as the functions of info() take it.
    const void* data() const { return data_(const_cast<std::any&>(rule_)); }
    /// Gives an option the value that a text says.  Errors: ValueError naming the option, what came and what
    /// is allowed.
    void set(std::string_view option, std::string_view text) {
        info_->set_option(data_(rule_), option, text);
    }
    /// Options as text.
    std::vector<OptionText> options() const { return info_->options(data()); }
    /// Errors: ValueError naming an option whose value is outside its range, the value and the range.
    void check() const { info_->check_options(data()); }

private:
    template <class Rule>
    static void* access(std::any& rule) {
        void* const held = std::any_cast<Rule>(&rule);
        if (held == nullptr) frisket::detail::refuse_moved_from(Rule::name, "rule");
        return held;
    }
    const RuleInfo* info_;
    std::any rule_;
    void* (*data_)(std::any&);
};

}  // namespace frisket::optim
