// SPDX-License-Identifier: MIT
#include "rule.hpp"

#include <algorithm>
#include <charconv>

namespace frisket::optim {

std::string OptionRange::text() const {
    const bool has_low = low != range::finite.low, has_high = high != range::finite.high;
    std::string text = "a finite number";
    if (has_low) text += (low_is_excluded ? " above " : " of at least ") + detail::option_text(low);
    if (has_low && has_high) text += " and";
    if (has_high) text += (high_is_excluded ? " below " : " of at most ") + detail::option_text(high);
    return text;
}

}  // namespace frisket::optim

namespace frisket::optim::detail {

namespace {

[[noreturn]] void refuse_option(std::string_view rule, std::string_view name, std::string_view text,
                                const std::string& wanted) {
    throw ValueError(std::string(rule) + ": option " + std::string(name) + " is \"" + std::string(text) +
                     "\", wanted " + wanted);
}

std::string one_of(std::initializer_list<std::string_view> choices) {
    std::string text = "one of";
    for (const std::string_view choice : choices) text += " " + std::string(choice);
    return text;
}

}  // namespace

std::string option_text(double value) {
    std::string text(32, '\0');
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    text.resize(static_cast<std::size_t>(end.ptr - text.data()));
    return text;
}

double parse_number(std::string_view rule, std::string_view name, std::string_view text,
                    const OptionRange& range) {
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = end.ec == std::errc{} && end.ptr == text.data() + text.size();
    if (!is_number || !range.contains(value)) refuse_option(rule, name, text, range.text());
    return value;
}

int parse_integer(std::string_view rule, std::string_view name, std::string_view text,
                  const OptionRange& range) {
    int value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = end.ec == std::errc{} && end.ptr == text.data() + text.size();
    if (!is_number || !range.contains(value))
        refuse_option(rule, name, text, "a whole number, " + range.text());
    return value;
}

bool parse_flag(std::string_view rule, std::string_view name, std::string_view text) {
    if (text != "true" && text != "false") refuse_option(rule, name, text, "true or false");
    return text == "true";
}

std::size_t parse_choice(std::string_view rule, std::string_view name, std::string_view text,
                         std::initializer_list<std::string_view> choices) {
    const auto* const found = std::ranges::find(choices, text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    refuse_option(rule, name, text, one_of(choices));
}

void check_option(std::string_view rule, std::string_view name, double value, const OptionRange& range) {
    if (!range.contains(value)) refuse_option(rule, name, option_text(value), range.text());
}

void wrong_rule(std::string_view rule, std::string_view wanted) {
    throw ValueError("options of " + std::string(wanted) + " are asked for, and the rule is " +
                     std::string(rule) + ": name its own type, as in optimizer.options<Adam>()");
}

std::size_t choice_of(std::string_view name, std::size_t value,
                      std::initializer_list<std::string_view> choices) {
    if (value < choices.size()) return value;
    std::string known;
    for (const std::string_view choice : choices) known += (known.empty() ? "" : ", ") + std::string(choice);
    throw ValueError(std::string(name) + ": number " + std::to_string(value) +
                     " was cast to the option and is no value of it: use one of " + known);
}

void unknown_option(std::string_view rule, std::string_view name, const std::vector<OptionText>& known) {
    std::string text = std::string(rule) + " has no option \"" + std::string(name) + "\"; it has";
    for (const OptionText& option : known) text += " " + option.name;
    throw ValueError(text);
}

void no_such_parameter(std::string_view rule, DType dtype) {
    throw DTypeError(std::string(rule) + ": a parameter is " + std::string(name_of(dtype)) +
                     ", wanted float32, float64, float16 or bfloat16");
}

void store_as(Graph& graph, DType dtype) {
    for (Symbol& symbol : graph.symbols)
        if (symbol.name == "param" || symbol.kind == SymbolKind::masked) symbol.dtype = dtype;
}

Shape one_for_each_row(const Shape& param) {
    Shape shape(param.size(), 1);
    if (!param.empty()) shape[0] = param[0];
    return shape;
}

namespace {

bool is_number(const StepSymbol& symbol) {
    return symbol.kind == SymbolKind::scalar || symbol.kind == SymbolKind::scalar_state;
}

/// The shape of a step's parameter that is a tensor, for a parameter of the rule of this shape.
Shape shape_of(const StepSymbol& symbol, const RuleSteps& steps, const Shape& param) {
    if (symbol.kind == SymbolKind::in_out && symbol.name != "param")
        return steps.state_shape(symbol.name, param);
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

std::string step_name(const RuleSteps& steps, const Shape& param) {
    std::string name;
    steps.formula(steps.rule, DType::float32, param, [&](const AnyStep& step) { name = step.name; });
    return name;
}

Graph graph_of(const RuleSteps& steps, DType dtype, const Shape& param) {
    Graph graph;
    steps.formula(steps.rule, dtype, param, [&](const AnyStep& step) {
        std::vector<NamedShape> shapes;
        if (step.has_structure)
            for (const StepSymbol& symbol : step.parameters)
                if (!is_number(symbol)) shapes.push_back({symbol.name, shape_of(symbol, steps, param)});
        GraphBuilder builder{std::string(step.name)};
        GraphEmitter emitter(builder, shapes);
        step.emit(emitter, step.step);
        graph = finished(builder);
        if (step.is_dense_equivalent) graph = dense_equivalent(graph);
    });
    store_as(graph, dtype);
    return graph;
}

std::string_view closed_form(const RuleSteps& steps, const Shape& param) {
    std::string_view name;
    steps.caught_up(steps.rule, DType::float32, param, [&](const AnyStep& step) { name = step.name; });
    return name;
}

Graph caught_up_graph(const RuleSteps& steps, DType dtype, const Shape& param, bool then_step) {
    std::vector<NamedShape> shapes;
    const auto note = [&](const AnyStep& step) {
        for (const StepSymbol& symbol : step.parameters)
            if (!is_number(symbol))
                shapes.push_back({symbol.name, symbol.kind == SymbolKind::in
                                                   ? one_for_each_row(param)
                                                   : shape_of(symbol, steps, param)});
    };
    steps.caught_up(steps.rule, dtype, param, note);
    if (then_step) steps.formula(steps.rule, dtype, param, note);
    GraphBuilder builder(std::string(steps.rule_name) + "_caught_up");
    GraphEmitter emitter(builder, shapes);
    const auto add = [&](const AnyStep& step) { step.emit(emitter, step.step); };
    steps.caught_up(steps.rule, dtype, param, add);
    if (then_step) steps.formula(steps.rule, dtype, param, add);
    Graph graph = finished(builder);
    store_as(graph, dtype);
    return graph;
}

}  // namespace frisket::optim::detail
