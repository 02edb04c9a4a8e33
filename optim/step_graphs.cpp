// SPDX-License-Identifier: MIT
#include "step_graphs.hpp"

#include <string>
#include <utility>

#include "../ir/passes/transforms.hpp"
#include "../ir/tensor_ops/value.hpp"

namespace frisket::optim {

void check_untouched(Untouched untouched) {
    if (untouched <= Untouched::caught_up) return;
    throw ValueError("optimizer: number " + std::to_string(static_cast<int>(untouched)) +
                     " was cast to an Untouched and is none: use masked, dense_equivalent or caught_up");
}

void check_closed_form(const AnyRule& rule) {
    const std::string_view why = rule.info().no_closed_form(rule.data());
    if (!why.empty())
        throw ValueError(std::string(rule.info().name) +
                         ": missed steps have no closed form for Untouched::caught_up, as " +
                         std::string(why) +
                         ": say Untouched::dense_equivalent, for which every step is one of all rows, or "
                         "Untouched::masked");
}

Graph step_graph(const AnyRule& rule, DType dtype, const Shape& param, const StepForm& form) {
    const RuleInfo& info = rule.info();
    Graph graph = form.untouched == Untouched::caught_up ? info.caught_up(rule.data(), dtype, param, true)
                                                         : info.graph(rule.data(), dtype, param);
    if (form.untouched == Untouched::dense_equivalent) graph = dense_equivalent(graph);
    if (form.is_scaled) graph = scaled_gradient(graph, "grad");
    if (form.is_random) graph = stochastic_rounding(graph, "param");
    return graph;
}

Graph missed_steps_graph(const AnyRule& rule, DType dtype, const Shape& param, bool is_random) {
    Graph graph = rule.info().caught_up(rule.data(), dtype, param, false);
    if (is_random) graph = stochastic_rounding(graph, "param");
    return graph;
}

Graph sum_of_squares_graph(DType dtype, const Shape& shape, bool is_masked) {
    GraphBuilder graph("sum_of_squares");
    const NodeId symbol = graph.symbol("grad", is_masked ? SymbolKind::masked : SymbolKind::in, dtype, shape);
    const NodeId scale = graph.symbol("scale", SymbolKind::scalar, DType::float64, {});
    const ir::Value x = ir::cast({&graph, symbol}, DType::float64) * ir::Value{&graph, scale};
    const ir::Value sum = ir::to_dense(ir::sum(x * x), ir::number(graph, 0));
    const NodeId results[]{sum.id};
    return graph.expression(results);
}

std::vector<std::pair<Graph, std::vector<Layout>>> graphs_of(const OptimizerKernels& optimizer,
                                                             const Shape& param) {
    const AnyRule& rule = optimizer.rule;
    const RuleInfo& info = rule.info();
    rule.check();
    check_untouched(optimizer.untouched);
    const bool is_lazy = optimizer.untouched == Untouched::caught_up;
    if (is_lazy) check_closed_form(rule);
    if (optimizer.dtypes.empty()) throw ValueError("OptimizerKernels: it has no dtypes: name one or more");
    const bool has_masked_form = info.no_mask.empty() || optimizer.untouched != Untouched::masked;
    std::vector<std::pair<Graph, std::vector<Layout>>> graphs;
    const auto add = [&](Graph graph) {
        auto& layouts = graphs.emplace_back(std::move(graph), std::vector<Layout>()).second;
        // Gradients are made into whole rows first.
        if (is_lazy) layouts = {Layout::rows, Layout::dense};
        if (!has_masked_form) layouts = {Layout::dense};
    };
    for (const DType dtype : optimizer.dtypes) {
        const bool is_random = optimizer.stochastic_rounding && has_16_bits(dtype);
        for (const bool is_scaled : {false, true})
            add(step_graph(rule, dtype, param, {optimizer.untouched, is_scaled, is_random}));
        if (is_lazy && !info.closed_form(rule.data(), param).empty())
            add(missed_steps_graph(rule, dtype, param, is_random));
        for (const bool is_masked : {false, true})
            graphs.emplace_back(sum_of_squares_graph(dtype, param, is_masked), std::vector<Layout>());
    }
    return graphs;
}

}  // namespace frisket::optim
