// SPDX-License-Identifier: MIT
#include "rule.hpp"

#include "../runtime/support/joined.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace frisket::optim {

struct WrittenRule::Definition {
    std::string name;
    std::vector<OptionRow> option_rows;
    std::vector<StateRow> states;
    Graph of_float32, of_float64;
    std::vector<Option> options;
    RuleInfo info;
};

/// Functions of a rule over its options.
struct WrittenRuleFunctions {
    static const WrittenRule& of(const void* rule) { return *static_cast<const WrittenRule*>(rule); }

    static void formula(const void* rule, DType dtype, const Shape& /*param*/, const detail::UseStep& use) {
        const WrittenRule::Definition& written = *of(rule).definition_;
        const bool is_float = dtype == DType::float32 || dtype == DType::float64 || has_16_bits(dtype);
        if (!is_float) detail::no_such_parameter(written.name, dtype);
        use({.name = written.name,
             .made = dtype == DType::float64 ? &written.of_float64 : &written.of_float32});
    }
    static void missed_steps(const void* /*rule*/, DType /*dtype*/, const Shape& /*param*/,
                             const detail::UseStep& /*use*/) {}
    static std::string_view no_closed_form(const void* /*rule*/) {
        return "it is written as one step, and nothing tells what many of them do";
    }
    static double initial(const void* rule, std::string_view state) {
        const auto& states = of(rule).definition_->states;
        const auto found = std::ranges::find(states, state, &WrittenRule::StateRow::name);
        return found == states.end() ? 0 : found->initial;
    }
    static Shape state_shape(std::string_view /*state*/, const Shape& param) { return param; }
    static void derived(const void* /*rule*/, DType /*dtype*/, const Shape& /*param*/,
                        std::vector<Number>& /*numbers*/) {}
    static void part_of_step(const void* /*rule*/, std::string& /*variant*/) {}

    template <std::size_t I>
    static double get(const void* rule) {
        return of(rule).values_[I];
    }
    template <std::size_t I>
    static void put(void* rule, double value) {
        static_cast<WrittenRule*>(rule)->values_[I] = value;
    }
    template <std::size_t... I>
    static Option option(std::size_t place, const WrittenRule::OptionRow& row,
                         std::index_sequence<I...> /*places*/) {
        static constexpr std::array gets{&get<I>...};
        static constexpr std::array puts{&put<I>...};
        return {
            .name = row.name, .is_whole = false, .get = gets[place], .put = puts[place], .range = row.range};
    }

    static void* access(std::any& rule) {
        auto* const held = std::any_cast<WrittenRule>(&rule);
        if (held == nullptr) frisket::detail::refuse_moved_from("a rule", "rule");
        return held;
    }
};

namespace {

[[noreturn]] void refuse(const std::string& rule, const std::string& why) {
    throw BindingError(rule + ": " + why);
}

bool has_name(const auto& rows, std::string_view name) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.name == name; });
}

/// Refuses names that are there twice, or that a rule has of its own.
void check_names(const std::string& rule, const std::vector<WrittenRule::OptionRow>& options,
                 const std::vector<WrittenRule::StateRow>& states) {
    std::vector<std::string> names{"param", "grad", "t"};
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(names, name) != names.end())
            refuse(rule,
                   "two of its names are " + name + ": param, grad, t, states and options have each its own");
        names.push_back(name);
    };
    for (const WrittenRule::OptionRow& option : options) add(option.name);
    for (const WrittenRule::StateRow& state : states) add(state.name);
    if (options.size() > WrittenRule::most_options)
        refuse(rule, "it has " + std::to_string(options.size()) + " options, wanted at most " +
                         std::to_string(WrittenRule::most_options));
}

/// Refuses symbols of a step that an optimizer has nothing for.
void check_step(const std::string& rule, const Graph& step,
                const std::vector<WrittenRule::OptionRow>& options,
                const std::vector<WrittenRule::StateRow>& states) {
    bool has_param = false;
    for (const Symbol& symbol : step.symbols) {
        const bool is_target = symbol.kind == SymbolKind::in_out;
        const bool is_number = symbol.kind == SymbolKind::scalar;
        const bool is_param = symbol.name == "param" && is_target;
        has_param = has_param || is_param;
        const bool is_known = is_param || (symbol.name == "grad" && symbol.kind == SymbolKind::masked) ||
                              (is_target && has_name(states, symbol.name)) ||
                              (is_number && (symbol.name == "t" || has_name(options, symbol.name)));
        if (!is_known)
            refuse(rule, "its step takes " + symbol.name + " as " + std::string(name_of(symbol.kind)) +
                             ", wanted an InOut param, a Masked grad, an InOut of a state, a Scalar of an "
                             "option, or t; "
                             "the states are " +
                             runtime::joined(states, &WrittenRule::StateRow::name) +
                             ", and the step updates each");
    }
    if (!has_param) refuse(rule, "its step does not update param: write param -= ...");
    if (step.shaped)
        refuse(rule, "its step has an operation of whole tensors, and a written rule is elementwise");
}

}  // namespace

WrittenRule::WrittenRule(std::string name, std::vector<OptionRow> options, std::vector<StateRow> states,
                         const std::function<Graph(DType)>& step) {
    check_names(name, options, states);
    const auto made = std::make_shared<Definition>();
    made->name = std::move(name);
    made->option_rows = std::move(options);
    made->states = std::move(states);
    made->of_float32 = step(DType::float32);
    made->of_float64 = step(DType::float64);
    for (const Graph* const graph : {&made->of_float32, &made->of_float64})
        check_step(made->name, *graph, made->option_rows, made->states);
    for (const OptionRow& row : made->option_rows) {
        made->options.push_back(WrittenRuleFunctions::option(made->options.size(), row,
                                                             std::make_index_sequence<most_options>()));
        values_.push_back(row.value);
    }
    using Functions = WrittenRuleFunctions;
    made->info = {.name = made->name,
                  .no_mask = {},
                  .options = made->options,
                  .formula = &Functions::formula,
                  .missed_steps = &Functions::missed_steps,
                  .no_closed_form = &Functions::no_closed_form,
                  .initial = &Functions::initial,
                  .state_shape = &Functions::state_shape,
                  .derived = &Functions::derived,
                  .part_of_step = &Functions::part_of_step};
    definition_ = made;
    AnyRule(*this).check();
}

WrittenRule::operator AnyRule() const {
    return AnyRule(definition_->info, *this, &WrittenRuleFunctions::access);
}

}  // namespace frisket::optim
