// SPDX-License-Identifier: MIT
// Defines the interface of a rule, and rules that programs make at run time.
#pragma once
#include "../dsl/describe.hpp"
#include "../runtime/tensor/error.hpp"
#include "symbols.hpp"

#include <any>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Interface of a rule to Optimizer: a struct of options with a name and a formula, as adagrad.hpp has it.
///
/// A rule has
///     name                                  "adagrad"
///     options                               a table with a row for each: option<&Rule::member>(name) of a
///                                           bool or a number, with the range of a number (without it:
///                                           finite), or with the names of the values of an enum
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

namespace detail {

/// A step of a rule without its type.
struct AnyStep {
    std::string_view name;
    std::span<const StepSymbol> parameters = {};
    bool has_structure = false, is_dense_equivalent = false;
    const void* step = nullptr;
    /// Adds the statements of the step to a graph.
    void (*emit)(GraphEmitter& graph, const void* step) = nullptr;
    /// The graph of a step that has been made; null: emit() makes it.
    const Graph* made = nullptr;
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

/// The step, or the closed form of missed steps, of a rule for a parameter.
using Formula = void(const void* rule, DType dtype, const Shape& param, const UseStep& use);

[[noreturn]] void wrong_rule(std::string_view rule, std::string_view wanted);
[[noreturn]] void no_such_parameter(std::string_view rule, DType dtype);
/// The shape of a state with one number for each row of a parameter.
Shape one_for_each_row(const Shape& param);

template <class Rule>
Shape state_shape(std::string_view state, const Shape& param) {
    if constexpr (requires { Rule::state_shape(state, param); })
        return Rule::state_shape(state, param);
    else
        return param;
}

}  // namespace detail

/// A rule as plain functions over its options.
struct RuleInfo {
    std::string_view name;
    std::string_view no_mask;
    std::span<const Option> options;
    /// Calls `use` with the step.  Errors: DTypeError.
    detail::Formula* formula;
    /// Calls `use` with the closed form of missed steps, if they change something.
    detail::Formula* missed_steps;
    /// The reason why missed steps have no closed form; empty if they have.
    std::string_view (*no_closed_form)(const void* rule);
    double (*initial)(const void* rule, std::string_view state);
    Shape (*state_shape)(std::string_view state, const Shape& param);
    void (*derived)(const void* rule, DType dtype, const Shape& param, std::vector<Number>& numbers);
    /// Appends what part_of_step() returns to the name of the step.
    void (*part_of_step)(const void* rule, std::string& variant);

    /// Key of the step for a parameter besides dtype and shape: the step's name, and numbers that are part of
    /// it.
    std::string variant(const void* rule, const Shape& param) const;
    /// The step as a graph.  Errors: DTypeError; ValueError for a step with skip_nonfinite(x).
    Graph graph(const void* rule, DType dtype, const Shape& param) const;
    /// Adds the options and derived numbers.
    void numbers(const void* rule, DType dtype, const Shape& param, std::vector<Number>& numbers) const;
    /// The name of the closed form, empty if missed steps change nothing.
    std::string_view closed_form(const void* rule, const Shape& param) const;
    /// The closed form, or with `then_step` the step after it, as one step with shapes.
    Graph caught_up(const void* rule, DType dtype, const Shape& param, bool then_step) const;
};

template <class Rule>
concept OptimizerRule = requires {
    { Rule::name } -> std::convertible_to<std::string_view>;
    { Rule::options } -> std::convertible_to<std::span<const Option>>;
};

namespace detail {

/// Functions of a rule's type, each once for float and double.
template <class Rule>
struct RuleFunctions {
    static const Rule& of(const void* rule) { return *static_cast<const Rule*>(rule); }

    static constexpr std::string_view no_mask() {
        if constexpr (requires { Rule::no_mask; }) return Rule::no_mask;
        return {};
    }
    static void formula(const void* rule, DType dtype, const Shape& param, const UseStep& use) {
        switch (dtype) {
            case DType::float64: return of(rule).template formula<double>(param, WithoutType{use});
            // Loads widen and stores round: the step is that of float32.
            case DType::float32:
            case DType::float16:
            case DType::bfloat16: return of(rule).template formula<float>(param, WithoutType{use});
            default: no_such_parameter(Rule::name, dtype);
        }
    }
    static constexpr bool has_missed_steps =
        requires(const Rule& rule, const WithoutType& use) { rule.template caught_up<float>(Shape{}, use); };
    static void missed_steps(const void* rule, DType dtype, const Shape& param, const UseStep& use) {
        if constexpr (has_missed_steps)
            dtype == DType::float64 ? of(rule).template caught_up<double>(param, WithoutType{use})
                                    : of(rule).template caught_up<float>(param, WithoutType{use});
    }
    static std::string_view no_closed_form(const void* rule) {
        if constexpr (requires { of(rule).no_closed_form(); }) return of(rule).no_closed_form();
        return has_missed_steps ? "" : "the rule has no caught_up()";
    }
    static double initial(const void* rule, std::string_view state) {
        if constexpr (requires { of(rule).initial(state); }) return of(rule).initial(state);
        return 0;
    }
    static void derived(const void* rule, DType dtype, const Shape& param, std::vector<Number>& numbers) {
        const auto number = [&](std::string_view name, double value) { numbers.push_back({name, value}); };
        if constexpr (requires { of(rule).derived(param, dtype, number); })
            of(rule).derived(param, dtype, number);
    }
    static void part_of_step(const void* rule, std::string& variant) {
        if constexpr (requires { of(rule).part_of_step(); }) variant += " " + of(rule).part_of_step();
    }
};

}  // namespace detail

/// A rule as plain functions.  Those of rules/ are compiled once, in the library.
template <OptimizerRule Rule>
const RuleInfo& rule_info() {
    using Functions = detail::RuleFunctions<Rule>;
    static constexpr RuleInfo info{
        .name = Rule::name,
        .no_mask = Functions::no_mask(),
        .options = Rule::options,
        .formula = &Functions::formula,
        .missed_steps = &Functions::missed_steps,
        .no_closed_form = &Functions::no_closed_form,
        .initial = &Functions::initial,
        .state_shape = &detail::state_shape<Rule>,
        .derived = &Functions::derived,
        .part_of_step = &Functions::part_of_step,
    };
    return info;
}

/// A rule with its options, of any type.
class AnyRule {
public:
    /// A copy of a rule with its options.
    template <OptimizerRule Rule>
    AnyRule(const Rule& rule) : info_(&rule_info<Rule>()), rule_(rule), data_(&access<Rule>) {}
    /// A rule whose functions are not known from its type: `data` gives what they take.  Refers to `info`.
    AnyRule(const RuleInfo& info, std::any rule, void* (*data)(std::any&))
        : info_(&info), rule_(std::move(rule)), data_(data) {}

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
    /// Sets an option by its text.  Errors: ValueError naming the option, what came and what
    /// is allowed.
    void set(std::string_view option, std::string_view text);
    /// Sets an option: a bool by 0 or 1, an enum by its position.  Errors: as above.
    void set(std::string_view option, double value);
    /// Options as text.
    std::vector<OptionText> options() const;
    /// Errors: ValueError naming an option whose value is outside its range, the value and the range.
    void check() const;

private:
    const Option& option(std::string_view name) const;
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

/// A rule whose step is a graph that is made at run time, with the options that a copy of it has.
class WrittenRule {
public:
    /// An option, its default and its range.
    struct OptionRow {
        std::string name;
        double value = 0;
        OptionRange range = {};
    };
    /// A tensor of the state, of the parameter's shape, and the number that it begins with.
    struct StateRow {
        std::string name;
        double initial = 0;
    };

    static constexpr std::size_t most_options = 16;

    /// `step` makes the graph of the step for parameters of float32 and of float64: elementwise, no shapes,
    /// with an InOut `param` that is updated, a Masked `grad`, an InOut for each state that it updates, and
    /// Scalars that are options or `t`, the number of the step.  It is called twice, and not kept.
    /// Errors: BindingError naming the rule and the symbol that is none of these, or two of one name;
    /// ValueError for a default outside of its range.
    WrittenRule(std::string name, std::vector<OptionRow> options, std::vector<StateRow> states,
                const std::function<Graph(DType)>& step);

    /// An optimizer's rule with these options.
    operator AnyRule() const;

private:
    struct Definition;
    friend struct WrittenRuleFunctions;

    std::shared_ptr<const Definition> definition_;
    std::vector<double> values_;  // options in their order
};

}  // namespace frisket::optim
