// SPDX-License-Identifier: MIT
#include "expression_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "../../ir/graph_text.hpp"
#include "../../ir/ops/formulas/power.hpp"

namespace frisket::codegen {

namespace {

bool is_number(const Node& node) { return node.kind == NodeKind::constant && node.dtype != DType::boolean; }

std::int64_t bits_of(const Node& node) {
    return node.dtype == DType::int64 ? node.integer : std::bit_cast<std::int64_t>(node.constant);
}

/// A constant as an operation of floats reads it.
double read_as(const Node& node, DType dtype) {
    const double number = node.dtype == DType::int64 ? static_cast<double>(node.integer) : node.constant;
    return dtype == DType::float32 ? static_cast<double>(static_cast<float>(number)) : number;
}

/// True where division by a number is exactly a multiplication.
bool has_exact_inverse(double divisor, DType dtype) {
    int exponent = 0;
    if (!std::isnormal(divisor) || std::abs(std::frexp(divisor, &exponent)) != 0.5) return false;
    return dtype == DType::float32 ? std::isnormal(static_cast<float>(1 / divisor))
                                   : std::isnormal(1 / divisor);
}

/// True where loops have a formula for the value of operand 1 of an operation.
bool has_formula(OpId op, DType dtype, const Node& constant) {
    if (!info_of(dtype).is_float) return op == op_id<op::Pow> || info_of(op).check == ValueCheck::divisor;
    const double number = read_as(constant, dtype);
    if (op == op_id<op::Div>) return has_exact_inverse(number, dtype);
    return op == op_id<op::Pow> && formulas::has_product_form(number, dtype == DType::float64);
}

/// The steps of a view for which loops have a formula.
void find_steps(Pattern& pattern, NodeId id) {
    const auto& attributes = pattern.graph[id].attributes;
    for (int i = 0; i < static_cast<int>(attributes.size()); ++i)
        if (const std::int64_t step = attributes[static_cast<std::size_t>(i)]; step < -1 || step > 1)
            pattern.formulas.push_back({.place = {id, i}, .value = step});
}

/// True for operations that test their operands for NaN.
bool has_limits(OpId op) {
    return op == op_id<op::Minimum> || op == op_id<op::Maximum> || op == op_id<op::Fmin> ||
           op == op_id<op::Fmax>;
}

/// Collects the properties of an operation's constants that loops depend on.
void find_formulas(Pattern& pattern, const Node& node) {
    const Graph& graph = pattern.graph;
    for (const NodeId operand : node.operands) {
        if (!has_limits(node.op) || !is_number(graph[operand]) || std::isnan(graph[operand].constant))
            continue;
        if (std::ranges::find(pattern.not_nan, operand) == pattern.not_nan.end())
            pattern.not_nan.push_back(operand);
    }
    if (node.operands.size() != 2 || !is_number(graph[node.operands[1]])) return;
    const DType dtype = operand_dtype(graph, node, 1);
    const NumberPlace place{.node = node.operands[1]};
    if (!has_formula(node.op, dtype, graph[place.node])) return;
    if (std::ranges::find(pattern.formulas, place, &FormulaNumber::place) == pattern.formulas.end())
        pattern.formulas.push_back({.place = place, .value = bits_of(graph[place.node])});
}

void find_formulas(Pattern& pattern) {
    for (NodeId id = 0; id < static_cast<NodeId>(pattern.graph.nodes.size()); ++id) {
        const Node& node = pattern.graph[id];
        if (node.kind == NodeKind::view || node.kind == NodeKind::scatter_view)
            find_steps(pattern, id);
        else if (node.kind == NodeKind::op && !node.is_host_scalar)
            find_formulas(pattern, node);
    }
}

void take_out(Pattern& pattern, NumberPlace place) {
    Node& node = pattern.graph.nodes[static_cast<std::size_t>(place.node)];
    if (place.attribute >= 0) {
        node.attributes[static_cast<std::size_t>(place.attribute)] = 2;  // not 1, not 0
    } else {
        node.constant = 0;
        node.integer = 0;
    }
    pattern.numbers.insert(std::ranges::upper_bound(pattern.numbers, place), place);
}

Pattern without_formulas(Pattern pattern) {
    for (const FormulaNumber& number : std::exchange(pattern.formulas, {})) take_out(pattern, number.place);
    return pattern;
}

/// True for names that evaluation assigns: x0 for a tensor, #1 for a value of a stage.
bool is_given_name(std::string_view name) {
    return name.size() > 1 && (name[0] == 'x' || name[0] == '#') &&
           name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// Numbers such names in their order, so that stages which differ only in them have one pattern.
void rename_symbols(std::vector<Symbol>& symbols) {
    if (!std::ranges::all_of(symbols, is_given_name, &Symbol::name)) return;
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i].name = "x" + std::to_string(i);
}

}  // namespace

Pattern pattern_of(Graph graph) {
    graph.name = "expression";
    rename_symbols(graph.symbols);
    const auto generalize = [](Shape& shape) {
        for (std::int64_t& extent : shape) extent = extent == 1 ? 1 : 2;
    };
    for (Symbol& symbol : graph.symbols) generalize(symbol.shape);
    for (Check& check : graph.checks) check.text.clear();
    Pattern pattern{.graph = std::move(graph)};
    find_formulas(pattern);
    for (NodeId id = 0; id < static_cast<NodeId>(pattern.graph.nodes.size()); ++id) {
        Node& node = pattern.graph.nodes[static_cast<std::size_t>(id)];
        generalize(node.shape);
        std::ranges::fill(node.offsets, 0);
        if (!is_number(node)) continue;
        if (pattern.numbers.empty()) pattern.numbers.reserve(4);
        const NumberPlace place{.node = id};
        if (std::ranges::find(pattern.formulas, place, &FormulaNumber::place) == pattern.formulas.end())
            take_out(pattern, place);
    }
    return pattern;
}

Pattern general_pattern_of(Graph graph) { return without_formulas(pattern_of(std::move(graph))); }

Graph Pattern::named() const {
    Graph names = graph;
    for (const NumberPlace& place : numbers) {
        if (place.attribute >= 0) continue;
        Node& node = names.nodes[static_cast<std::size_t>(place.node)];
        node.kind = NodeKind::symbol;
        node.symbol = static_cast<int>(names.symbols.size());
        names.symbols.push_back({"n" + std::to_string(names.symbols.size() - graph.symbols.size()),
                                 SymbolKind::scalar, node.dtype});
    }
    return names;
}

std::string Pattern::title() const {
    constexpr int depth = 2;
    return graph.results.empty() ? "checks" : ir::expression_text(named(), graph.results[0], depth);
}

std::shared_ptr<Formulas::Known> Formulas::known_of(const Pattern& pattern) {
    Pattern general = without_formulas(pattern);
    return known_.get(
        hash(general.graph), [&](const Known& known) { return known.general == general; },
        [&] { return std::make_shared<Known>(Known{.general = std::move(general)}); });
}

void Formulas::limit(Pattern& pattern) {
    if (pattern.formulas.empty()) return;
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<Known> shared = known_of(pattern);
    Known& known = *shared;
    std::vector<std::pair<NumberPlace, int>> which;
    for (const FormulaNumber& number : pattern.formulas) {
        auto& values = known.values[number.place];
        const auto at = std::ranges::find(values, number.value);
        const bool is_new = at == values.end(), is_kept = !is_new || values.size() < most_values;
        which.emplace_back(number.place, is_kept ? static_cast<int>(at - values.begin()) : -1);
        if (is_new && is_kept) values.push_back(number.value);
    }
    if (std::ranges::find(known.together, which) == known.together.end()) {
        if (known.together.size() < most_together)
            known.together.push_back(which);
        else
            for (auto& [place, value] : which) value = -1;
    }
    const std::vector<FormulaNumber> numbers = std::exchange(pattern.formulas, {});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (which[i].second < 0)
            take_out(pattern, numbers[i].place);
        else
            pattern.formulas.push_back(numbers[i]);
    }
}

}  // namespace frisket::codegen
