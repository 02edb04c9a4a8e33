// SPDX-License-Identifier: MIT
#include "list_spaces.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "../passes/empty_masks.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

/// True unless the space is one element, or one row: a list of it cannot be told from repetition.
bool can_be_listed(const IterationSpace& space) {
    return !space.shape.empty() && element_count(space.shape) > 1 && (!space.by_rows || space.shape[0] != 1);
}

/// Single elements of the lists of a shape.
std::optional<IterationSpace> space_of(Shape shape, const Graph& graph, const PlanFacts& facts) {
    IterationSpace space{.shape = std::move(shape)};
    if (!can_be_listed(space)) return {};
    for (int i = 0; i < std::ssize(facts.formats()); ++i)
        space.has_mask.push_back(facts[i].is_list() &&
                                 is_same_space(graph.symbols[at(i)].shape, space.shape));
    return space;
}

/// The shapes of the lists, the first one to which those before it broadcast first.
std::vector<Shape> shapes_of_lists(const Graph& graph, const PlanFacts& facts) {
    std::vector<Shape> shapes;
    for (int i = 0; i < std::ssize(facts.formats()); ++i) {
        if (!facts[i].is_list()) continue;
        const Shape& shape = graph.symbols[at(i)].shape;
        const bool is_larger = shapes.empty() || broadcasts_to(shapes.front(), shape);
        shapes.insert(is_larger ? shapes.begin() : shapes.end(), shape);
    }
    return shapes;
}

}  // namespace

bool is_same_space(const Shape& a, const Shape& b) {
    const auto is_long = [](std::int64_t extent) { return extent != 1; };
    return std::ranges::equal(a | std::views::filter(is_long), b | std::views::filter(is_long));
}

std::vector<IterationSpace> spaces_of_lists(const Graph& graph, const PlanFacts& facts) {
    std::vector<IterationSpace> spaces;
    for (Shape& shape : shapes_of_lists(graph, facts)) {
        if (std::ranges::find(spaces, shape, &IterationSpace::shape) != spaces.end()) continue;
        if (auto space = space_of(std::move(shape), graph, facts)) spaces.push_back(*std::move(space));
    }
    for (const Node& node : graph.nodes) {
        const auto has_its_places = [&](const IterationSpace& one) {
            return is_same_space(node.shape, one.shape);
        };
        if (node.mask == no_node || std::ranges::none_of(spaces, has_its_places)) continue;
        if (std::ranges::find(spaces, node.shape, &IterationSpace::shape) != spaces.end()) continue;
        if (auto space = space_of(node.shape, graph, facts)) spaces.push_back(*std::move(space));
    }
    const auto may_be_nowhere = [&](NodeId id) {
        return graph[id].mask != no_node && is_move(graph[graph[id].mask].kind);
    };
    if (std::ranges::none_of(graph.results, may_be_nowhere)) return spaces;
    const std::vector<bool> are_false = ir::zero_everywhere(graph);
    for (const NodeId id : graph.results) {
        const Shape& shape = graph[id].shape;
        if (!may_be_nowhere(id) || !are_false[at(graph[id].mask)]) continue;
        if (std::ranges::find(spaces, shape, &IterationSpace::shape) != spaces.end()) continue;
        if (auto space = space_of(shape, graph, facts)) spaces.push_back(*std::move(space));
    }
    return spaces;
}

namespace {

/// The rows that all masked arguments list.
std::optional<IterationSpace> space_of_same_rows(const PlanRequest& request, int first) {
    IterationSpace space{.shape = request.graph.symbols[at(first)].shape, .by_rows = true};
    const auto may_differ = [&](const Format& format) {
        return format.has_mask() && format != request.facts[first];
    };
    if (std::ranges::any_of(request.facts.formats(), may_differ)) return {};
    for (int i = 0; i < std::ssize(request.facts.formats()); ++i) {
        const bool has_mask = request.facts[i].has_mask();
        if (has_mask && !request.have_same_places(i, first)) return {};
        space.has_mask.push_back(has_mask);
    }
    return can_be_listed(space) ? std::optional(space) : std::nullopt;
}

}  // namespace

std::optional<IterationSpace> space_of_same_pattern(const IterationSpace& space, const PlanRequest& request) {
    const auto first = static_cast<int>(std::ranges::find(space.has_mask, true) - space.has_mask.begin());
    if (first == std::ssize(space.has_mask)) return {};
    if (runtime::lists_rows(request.facts[first].layout)) return space_of_same_rows(request, first);
    const auto has_shape = [&](int symbol) { return request.graph.symbols[at(symbol)].shape == space.shape; };
    for (int i = first + 1; i < std::ssize(request.facts.formats()); ++i)
        if (space.has_mask[at(i)] && (!has_shape(i) || !request.have_same_places(i, first))) return {};
    return has_shape(first) ? std::optional(space) : std::nullopt;
}

}  // namespace frisket::planning
