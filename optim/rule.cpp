// SPDX-License-Identifier: MIT
#include "rule.hpp"

#include "../runtime/support/joined.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace frisket::optim {

namespace {

[[noreturn]] void refuse_text(std::string_view rule, std::string_view name, std::string_view text,
                              const std::string& wanted) {
    throw ValueError(std::string(rule) + ": option " + std::string(name) + " is \"" + std::string(text) +
                     "\", wanted " + wanted);
}

/// Reads all of a text as a number.
template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

}  // namespace

std::string OptionRange::text() const {
    const bool has_low = low != range::finite.low, has_high = high != range::finite.high;
    std::string text = "a finite number";
    if (has_low) text += (low_is_excluded ? " above " : " of at least ") + detail::option_text(low);
    if (has_low && has_high) text += " and";
    if (has_high) text += (high_is_excluded ? " below " : " of at most ") + detail::option_text(high);
    return text;
}

std::string detail::option_text(double value) {
    std::string text(32, '\0');
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    text.resize(static_cast<std::size_t>(end.ptr - text.data()));
    return text;
}

std::string Option::text(const void* rule) const {
    const double value = number(rule);
    return choice_count > 0 ? std::string(choices.at(static_cast<std::size_t>(value)))
                            : detail::option_text(value);
}

void Option::set(std::string_view rule_name, void* rule, std::string_view text) const {
    if (choice_count > 0) {
        const auto names = std::span(choices).first(choice_count);
        const auto found = std::ranges::find(names, text);
        if (found == names.end())
            refuse_text(rule_name, name, text,
                        is_whole ? "true or false" : "one of " + runtime::joined(names, {}, " "));
        return put(rule, static_cast<double>(found - names.begin()));
    }
    double value = 0;
    int whole = 0;
    const bool is_number = is_whole ? parse(text, whole) : parse(text, value);
    if (is_whole) value = whole;
    if (!is_number || !range.contains(value))
        refuse_text(rule_name, name, text, (is_whole ? "a whole number, " : "") + range.text());
    put(rule, value);
}

void Option::set(std::string_view rule_name, void* rule, double value) const {
    const bool is_allowed = choice_count > 0 ? is_choice(value) : range.contains(value);
    if (!is_allowed || ((is_whole || choice_count > 0) && value != std::trunc(value)))
        refuse_text(rule_name, name, detail::option_text(value),
                    choice_count > 0 ? "a whole number from 0 to " + std::to_string(choice_count - 1) + ": " +
                                           runtime::joined(std::span(choices).first(choice_count), {}, " ")
                                     : (is_whole ? "a whole number, " : "") + range.text());
    put(rule, value);
}

void Option::refuse(std::string_view rule_name, double value) const {
    if (choice_count > 0) refuse_choice(std::string(rule_name) + ": option " + std::string(name), value);
    refuse_text(rule_name, name, detail::option_text(value), range.text());
}

void Option::refuse_choice(std::string_view where, double value) const {
    throw ValueError(std::string(where) + ": number " + detail::option_text(value) +
                     " was cast to the option and is no value of it: use one of " +
                     runtime::joined(std::span(choices).first(choice_count)));
}

void detail::wrong_rule(std::string_view rule, std::string_view wanted) {
    throw ValueError("options of " + std::string(wanted) + " are asked for, and the rule is " +
                     std::string(rule) + ": name its own type, as in optimizer.options<Adam>()");
}

void detail::no_such_parameter(std::string_view rule, DType dtype) {
    throw DTypeError(std::string(rule) + ": a parameter is " + std::string(name_of(dtype)) +
                     ", wanted float32, float64, float16 or bfloat16");
}

Shape detail::one_for_each_row(const Shape& param) {
    Shape shape(param.size(), 1);
    if (!param.empty()) shape[0] = param[0];
    return shape;
}

using detail::AnyStep;

namespace {

/// Gives the parameter and its gradient the dtype in which they are stored.
void store_as(Graph& graph, DType dtype) {
    for (Symbol& symbol : graph.symbols)
        if (symbol.name == "param" || symbol.kind == SymbolKind::masked) symbol.dtype = dtype;
}

bool is_number(const StepSymbol& symbol) {
    return symbol.kind == SymbolKind::scalar || symbol.kind == SymbolKind::scalar_state;
}

/// The shape of a step's parameter that is a tensor, for a parameter of the rule of this shape.
Shape shape_of(const StepSymbol& symbol, const RuleInfo& rule, const Shape& param) {
    if (symbol.kind == SymbolKind::in_out && symbol.name != "param")
        return rule.state_shape(symbol.name, param);
    return symbol.kind == SymbolKind::in_out || symbol.kind == SymbolKind::masked ? param : Shape{};
}

/// The graph of a rule.  Optimizers skip the step of all parameters or none.
Graph finished(GraphBuilder& builder) {
    Graph graph = builder.finish();
    if (graph.skips.empty()) return graph;
    throw ValueError(
        graph.name +
        ": skip_nonfinite(x) in the step of an optimizer's rule would skip one parameter of many: "
        "leave it out, and set GradientOptions::skip_nonfinite");
}

}  // namespace

std::string RuleInfo::variant(const void* rule, const Shape& param) const {
    std::string variant;
    formula(rule, DType::float32, param, [&](const AnyStep& step) { variant = step.name; });
    part_of_step(rule, variant);
    return variant;
}

Graph RuleInfo::graph(const void* rule, DType dtype, const Shape& param) const {
    Graph graph;
    formula(rule, dtype, param, [&](const AnyStep& step) {
        if (step.made != nullptr) {
            graph = *step.made;
            return;
        }
        std::vector<NamedShape> shapes;
        if (step.has_structure)
            for (const StepSymbol& symbol : step.parameters)
                if (!is_number(symbol)) shapes.push_back({symbol.name, shape_of(symbol, *this, param)});
        GraphBuilder builder{std::string(step.name)};
        GraphEmitter emitter(builder, shapes);
        step.emit(emitter, step.step);
        graph = finished(builder);
        if (step.is_dense_equivalent) graph = dense_equivalent(graph);
    });
    store_as(graph, dtype);
    return graph;
}

void RuleInfo::numbers(const void* rule, DType dtype, const Shape& param,
                       std::vector<Number>& numbers) const {
    for (const Option& option : options) numbers.push_back({option.name, option.number(rule)});
    derived(rule, dtype, param, numbers);
}

std::string_view RuleInfo::closed_form(const void* rule, const Shape& param) const {
    std::string_view form;
    missed_steps(rule, DType::float32, param, [&](const AnyStep& step) { form = step.name; });
    return form;
}

Graph RuleInfo::caught_up(const void* rule, DType dtype, const Shape& param, bool then_step) const {
    std::vector<NamedShape> shapes;
    const auto note = [&](const AnyStep& step) {
        for (const StepSymbol& symbol : step.parameters)
            if (!is_number(symbol))
                shapes.push_back({symbol.name, symbol.kind == SymbolKind::in
                                                   ? detail::one_for_each_row(param)
                                                   : shape_of(symbol, *this, param)});
    };
    missed_steps(rule, dtype, param, note);
    if (then_step) formula(rule, dtype, param, note);
    GraphBuilder builder(std::string(name) + "_caught_up");
    GraphEmitter emitter(builder, shapes);
    const auto add = [&](const AnyStep& step) { step.emit(emitter, step.step); };
    missed_steps(rule, dtype, param, add);
    if (then_step) formula(rule, dtype, param, add);
    Graph graph = finished(builder);
    store_as(graph, dtype);
    return graph;
}

const Option& AnyRule::option(std::string_view name) const {
    const auto found = std::ranges::find(info_->options, name, &Option::name);
    if (found == info_->options.end())
        throw ValueError(std::string(info_->name) + " has no option \"" + std::string(name) + "\"; it has " +
                         runtime::joined(info_->options, &Option::name, " "));
    return *found;
}

void AnyRule::set(std::string_view option, std::string_view text) {
    this->option(option).set(info_->name, data_(rule_), text);
}

void AnyRule::set(std::string_view option, double value) {
    this->option(option).set(info_->name, data_(rule_), value);
}

std::vector<OptionText> AnyRule::options() const {
    std::vector<OptionText> options;
    for (const Option& option : info_->options)
        options.push_back({std::string(option.name), option.text(data())});
    return options;
}

void AnyRule::check() const {
    for (const void* const rule = data(); const Option& option : info_->options)
        option.check(info_->name, rule);
}

}  // namespace frisket::optim
