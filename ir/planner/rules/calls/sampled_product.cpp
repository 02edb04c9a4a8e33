// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../../runtime/limits.hpp"
#include "../../../at.hpp"
#include "../../restricted_factors.hpp"
#include "../sampled_product_graph.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

const RuleInfo rules::sampled_product{
    .name = "sampled_product",
    .legal = "results are specified where one masked argument is, and it specifies less than a tenth "
             "of a reduction's elements",
    .pros = "the reduction is made for the specified elements alone",
    .cons = "an element costs about ten times as much as one of a whole product",
};

const RuleInfo rules::sampled_whole{
    .name = "sampled_whole",
    .legal = "results are specified where one masked argument is, and it specifies a tenth of a "
             "reduction's elements or more",
    .pros = "the whole product is faster than its parts",
    .cons = "unspecified elements are computed as well",
};

namespace {

/// The Masked symbols of this shape without which a mask is true nowhere.
void add_needed(const Graph& graph, NodeId mask, const Shape& shape, std::vector<int>& symbols) {
    const Node& node = graph[mask];
    if (node.kind == NodeKind::mask_of && node.shape == shape) symbols.push_back(node.symbol);
    if (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>)
        for (const NodeId operand : node.operands) add_needed(graph, operand, shape, symbols);
}

/// The Masked symbols that every result needs.
std::vector<int> needed_by_all(const Graph& graph) {
    std::optional<std::vector<int>> common;
    for (const NodeId id : graph.results) {
        const Node& result = graph[id];
        if (result.mask == no_node || result.shape.empty()) return {};
        std::vector<int> symbols;
        add_needed(graph, result.mask, result.shape, symbols);
        if (!common) common = symbols;
        std::erase_if(*common, [&](int one) { return std::ranges::find(symbols, one) == symbols.end(); });
    }
    return common.value_or(std::vector<int>());
}

/// A symbol, and those whose masks a call has found to be equal to its own.
std::vector<int> with_same_mask(const Graph& graph, int symbol) {
    std::vector<int> found{symbol};
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const auto& [a, b] : graph.equal_masks)
            for (const auto& [one, other] :
                 {std::pair(graph[a].symbol, graph[b].symbol), std::pair(graph[b].symbol, graph[a].symbol)})
                if (one == found[i] && std::ranges::find(found, other) == found.end()) found.push_back(other);
    return found;
}

/// Elements of the largest reduction that can be sampled; 0 without such a reduction, or if one reads more
/// elements than a tensor may have: list kernels make it from stored elements.
std::int64_t largest_reduction(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const std::vector<bool>& may_be = may_be_whole(request);
    std::int64_t most = 0;
    for (const Node& node : graph.nodes) {
        if (!can_be_sampled(graph, node)) continue;
        if (!is_product(node) && !may_be[at(node.operands[0])]) return 0;
        most = std::max(most, element_count(node.shape));
    }
    return most;
}

/// True for a number that a list is reduced to which only numbers read: it is computed before, at the
/// places of that list.
bool has_numbers_of_other_lists(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const auto is_number = [](const Node& node) {
        return node.kind == NodeKind::reduce && !node.is_host_scalar && element_count(node.shape) == 1;
    };
    std::vector<bool> is_read(graph.nodes.size()), is_of_number(graph.nodes.size());
    for (const NodeId id : graph.results) is_read[at(id)] = true;
    for (auto id = graph.nodes.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand == no_node) return;
            if (is_read[id] && !is_number(node)) is_read[at(operand)] = true;
            if (is_of_number[id] || (is_read[id] && is_number(node))) is_of_number[at(operand)] = true;
        });
    }
    std::vector<bool> has_number(graph.symbols.size()), has_reader(graph.symbols.size());
    for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
        const int symbol = graph.nodes[id].symbol;
        if (symbol >= 0 && is_of_number[id]) has_number[at(symbol)] = true;
        if (symbol >= 0 && is_read[id]) has_reader[at(symbol)] = true;
    }
    for (std::size_t i = 0; i < has_number.size(); ++i)
        if (has_number[i] && !has_reader[i] && request.facts[static_cast<int>(i)].is_list()) return true;
    return false;
}

/// True if lines of a product would be made for each position of a sum of it, though a list has its
/// positions: it is made there once its factors are tensors.
bool has_lines_of_products(const PlanRequest& request, const SampledGraph& sampled) {
    if (request.samples_lines || !has_large_products(request)) return false;
    const auto is_of_lines = [](const Node& node) {
        return is_product(node) &&
               element_count(std::span(node.shape).first(std::max<std::size_t>(node.shape.size(), 1) - 1)) >
                   1;
    };
    const auto is_at_list = [&](const Node& node) {
        if (!is_product(node)) return false;
        const std::vector<Symbol>& symbols = request.graph.symbols;
        for (std::size_t i = 0; i < symbols.size(); ++i)
            if (request.facts.formats()[i].is_list() && symbols[i].shape == node.shape) return true;
        return false;
    };
    return std::ranges::any_of(sampled.graph.nodes, is_of_lines) &&
           std::ranges::any_of(request.graph.nodes, is_at_list);
}

/// A masked argument whose specified elements are all that results are read at, and the graph over them.
struct Sampling {
    int domain = 0;  ///< the symbol
    SampledGraph graph;
    bool is_whole = false;  ///< the whole takes less time
};

std::optional<Sampling> find_sampling(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const std::int64_t largest = largest_reduction(request);
    // List kernels make products of lists, once their factors are restricted.
    if (largest == 0 || has_large_list_products(request) || has_numbers_of_other_lists(request)) return {};
    for (const int symbol : needed_by_all(graph)) {
        const Format& format = request.facts[symbol];
        if (!format.has_mask()) continue;
        const auto specifies_above = [&](std::int64_t limit) {
            return request.facts.is(
                {.kind = PlanTest::Kind::specifies_above, .symbol = symbol, .limit = limit});
        };
        if (specifies_above(largest - 1)) continue;
        SampledGraph sampled = sampled_graph(graph, with_same_mask(graph, symbol), specifies_above);
        if (!sampled.spares || has_lines_of_products(request, sampled)) continue;
        const bool is_whole = specifies_above((largest - 1) / limits::sampled_cost);
        if (is_whole && format.layout == Layout::strided) continue;
        return Sampling{symbol, std::move(sampled), is_whole};
    }
    return {};
}

/// The graph as it is, with its domain as values and mask.
Plan plan_whole(const PlanRequest& request, int domain, SampledResults results) {
    PlanBuilder to(request);
    const ValueId strided = to.new_value();
    to.add(rules::sampled_whole, ConvertStage{.operand = results.domain, .made = strided});
    RestOfPlan rest{request.graph, {request.operands.begin(), request.operands.end()}};
    rest.operands[at(domain)] = strided;
    to.plan().rest = std::move(rest);
    to.plan().sampled = std::move(results);
    return to.finish();
}

/// The graph over the positions of its domain.
Plan plan_positions(const PlanRequest& request, SampledGraph sampled, SampledResults results) {
    PlanBuilder to(request);
    SampleStage positions{.domain = results.domain, .made = to.new_value(), .indices = {}};
    results.positions = positions.made;
    RestOfPlan rest{std::move(sampled.graph), {}};
    std::vector<PlanStage> converted;
    for (const SampleSource& source : sampled.sources) {
        if (source.kind == SampleSource::Kind::given) {
            rest.operands.push_back(request.operands[at(source.which)]);
            continue;
        }
        const ValueId made = rest.operands.emplace_back(to.new_value());
        if (source.kind == SampleSource::Kind::index)
            positions.indices.push_back({source.which, made});
        else
            converted.push_back(
                {&rules::sampled_product,
                 ConvertStage{.operand = request.operands[at(source.which)], .in_line = true, .made = made}});
    }
    to.add(rules::sampled_product, std::move(positions));
    for (PlanStage& stage : converted) to.add(*stage.rule, std::move(stage.action));
    to.plan().rest = std::move(rest);
    to.plan().sampled = std::move(results);
    return to.finish();
}

/// The plan of an expression whose results are specified nowhere but where one of its masked arguments is:
/// reductions that keep their last dimension, as products do, are made only for these positions, each in the
/// order in which it would be made among all.  Where so much is specified that the whole takes less time, the
/// graph stays as it is, with the same bits.  Nothing if no reduction would be spared.
/// Cost: linear in the graph, and where a mask is bits or bytes in its elements.
std::optional<Plan> plan_sampled_product(const PlanRequest& request) {
    std::optional<Sampling> found = find_sampling(request);
    if (!found) return {};
    SampledResults results{.domain = request.operands[at(found->domain)],
                           .shape = request.graph.symbols[at(found->domain)].shape,
                           .has_own_mask = {}};
    for (const NodeId id : found->graph.graph.results)
        results.has_own_mask.push_back(found->graph.graph[id].mask != no_node);
    if (found->is_whole) return plan_whole(request, found->domain, std::move(results));
    return plan_positions(request, std::move(found->graph), std::move(results));
}

}  // namespace

PlanRule sampled_product_plan_rule() {
    return {.order = 5,
            .plan = plan_sampled_product,
            .rules = {&rules::sampled_product, &rules::sampled_whole},
            .kinds = {NodeKind::reduce}};
}

}  // namespace frisket::planning
