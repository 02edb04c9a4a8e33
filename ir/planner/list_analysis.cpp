// SPDX-License-Identifier: MIT
#include "list_analysis.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "list_products.hpp"
#include "list_spaces.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>

namespace frisket::planning {

namespace {

bool is_list(const Node& node, const PlanFacts& facts) {
    return node.symbol >= 0 && !node.is_host_scalar && facts[node.symbol].is_list();
}

PlanAnalyses& analyses_of(const PlanRequest& request) {
    if (!request.analyses) request.analyses = std::make_shared<PlanAnalyses>();
    return *request.analyses;
}

/// Returns an analysis.  The first call makes it.
template <class T>
const T& once(std::optional<T>& known, const auto& find) {
    return known ? *known : known.emplace(find());
}

std::vector<bool> nodes_that_read_lists(const Graph& graph, const PlanFacts& facts) {
    std::vector<bool> reads_list;
    reads_list.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        const auto reads = [&](NodeId operand) { return operand != no_node && reads_list[at(operand)]; };
        reads_list.push_back(is_list(node, facts) || reads(node.mask) ||
                             std::ranges::any_of(node.operands, reads));
    }
    return reads_list;
}

std::vector<bool> nodes_that_may_be_whole(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const TensorSizes sizes(request);
    std::vector<bool> may_be;
    may_be.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        bool is_good = node.symbol < 0 || node.is_host_scalar || sizes.holds_argument(node.symbol);
        if (info_of(node.kind).accumulates) is_good = is_good && sizes.holds(node.shape);
        const auto add = [&](NodeId operand) {
            is_good = is_good && (operand == no_node || may_be[at(operand)]);
        };
        std::ranges::for_each(node.operands, add);
        add(node.mask);
        may_be.push_back(is_good);
    }
    return may_be;
}

}  // namespace

void add_made_of_few(const Graph& graph, const TensorSizes& sizes, std::vector<bool>& are) {
    for (auto id = are.size(); id < graph.nodes.size(); ++id) {
        bool is_few = sizes.holds(graph.nodes[id].shape);
        ir::for_each_id(graph.nodes[id],
                        [&](NodeId operand) { is_few = is_few && (operand == no_node || are[at(operand)]); });
        are.push_back(is_few);
    }
}

const std::vector<bool>& made_of_few_elements(const PlanRequest& request) {
    return once(analyses_of(request).made_of_few_elements, [&] {
        std::vector<bool> are;
        add_made_of_few(request.graph, TensorSizes(request), are);
        return are;
    });
}

const std::vector<bool>& reading_lists(const PlanRequest& request) {
    return once(analyses_of(request).reading_lists,
                [&] { return nodes_that_read_lists(request.graph, request.facts); });
}

const std::vector<bool>& may_be_whole(const PlanRequest& request) {
    return once(analyses_of(request).may_be_whole, [&] { return nodes_that_may_be_whole(request); });
}

const std::vector<bool>& read_as_terms(const PlanRequest& request) {
    return once(analyses_of(request).read_as_terms, [&] { return read_as_terms(request.graph); });
}

const ListProduct* list_product(const PlanRequest& request, NodeId id) {
    const auto& products = once(analyses_of(request).list_products, [&] {
        std::map<NodeId, ListProduct> found;
        for (NodeId one = 0; one < std::ssize(request.graph.nodes); ++one)
            if (auto product = list_product(request.graph, one)) found.emplace(one, *std::move(product));
        return found;
    });
    const auto found = products.find(id);
    return found == products.end() ? nullptr : &found->second;
}

const std::vector<IterationSpace>& spaces_of_lists(const PlanRequest& request) {
    return once(analyses_of(request).spaces, [&] { return spaces_of_lists(request.graph, request.facts); });
}

const ListAnalysis& lists_over(const PlanRequest& request, const IterationSpace& space) {
    return analyses_of(request).lists.try_emplace(&space, request, space).first->second;
}

bool is_made_of(const Graph& graph, NodeId id, NodeId part) {
    std::vector<bool> reads(at(std::max(id, part)) + 1);
    reads[at(part)] = true;
    for (NodeId next = part + 1; next <= id; ++next)
        ir::for_each_id(graph[next], [&](NodeId operand) {
            if (operand != no_node && reads[at(operand)]) reads[at(next)] = true;
        });
    return reads[at(id)];
}

std::int64_t capped_count(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count)) return std::numeric_limits<std::int64_t>::max();
    return count;
}

std::int64_t PlanRequest::stored_elements(int symbol) const {
    if (made != nullptr)
        if (const auto shown = made->shown.find(operands[at(symbol)]); shown != made->shown.end())
            return shown->second;
    return capped_count(graph.symbols[at(symbol)].shape);
}

/// The elements of a shape but for its second longest dimension: all lines of a batch of matrices.
std::int64_t TensorSizes::lines_of(Shape shape) {
    std::ranges::sort(shape, std::greater());
    if (shape.size() > 1) shape.erase(shape.begin() + 1);
    return capped_count(shape);
}

TensorSizes::TensorSizes(const PlanRequest& request) : request_(request) {
    constexpr std::int64_t usual_features = 4;  // numbers of each index along an extent
    const Graph& graph = request.graph;
    for (int i = 0; i < std::ssize(graph.symbols); ++i) {
        const Shape& shape = graph.symbols[at(i)].shape;
        if (shape.size() <= 1) continue;
        const std::int64_t extent = std::ranges::max(shape);
        // A list may have an extent of which no memory holds a number of each index.
        longest_ =
            std::max(longest_, request.facts[i].is_list() ? std::min(extent, longest_of_list) : extent);
        for (const std::int64_t lines : {extent, lines_of(shape)})
            if (lines < longest_line) largest_ = std::max(largest_, usual_features * lines);
    }
    for (int i = 0; i < std::ssize(graph.symbols); ++i) {
        const Shape& shape = graph.symbols[at(i)].shape;
        if (is_tensor(i)) largest_ = std::max(largest_, request.stored_elements(i));
        if (!request.facts[i].is_list()) continue;
        rank_ = std::max(rank_, rank_of(shape));
        largest_list_ = std::max(largest_list_, capped_count(shape));
    }
}

std::ptrdiff_t TensorSizes::rank_of(const Shape& shape) {
    return std::ranges::count_if(shape, [](auto extent) { return extent != 1; });
}

bool TensorSizes::is_line(const Shape& shape) const {
    return rank_of(shape) <= 1 && capped_count(shape) <= longest_;
}

bool TensorSizes::is_tensor(int symbol) const {
    const Format& format = request_.facts[symbol];
    const Shape& shape = request_.graph.symbols[at(symbol)].shape;
    if (!format.is_list() || is_line(shape)) return true;
    const bool are_rows_made =
        runtime::lists_rows(format.layout) && request_.is_made(symbol) && shape[0] <= longest_;
    return are_rows_made || request_.is_of_lines(symbol);
}

bool TensorSizes::holds(const Shape& shape) const {
    constexpr std::int64_t times = 4;
    return is_line(shape) || capped_count(shape) / times <= largest_;
}

bool TensorSizes::holds_argument(int symbol) const {
    const Shape& shape = request_.graph.symbols[at(symbol)].shape;
    constexpr std::int64_t times = 64;
    const bool is_small = rank_of(shape) < rank_ || capped_count(shape) <= largest_list_ / times;
    return is_tensor(symbol) || (request_.is_made(symbol) && is_small && holds(shape));
}

bool TensorSizes::holds_repeated(const Node& view) const {
    std::int64_t times = 1, longest = 1;
    for (std::size_t j = 0; j < view.shape.size(); ++j)
        if (ir::varies_along(view, j))
            longest = std::max(longest, view.shape[j]);
        else
            times *= view.shape[j];
    return holds({times, longest});
}

bool TensorSizes::repeats_list(const Node& view) const { return !holds(view.shape) && may_repeat_list(view); }

bool TensorSizes::may_repeat_list(const Node& view) const {
    const list_kernels::ElementView shown = element_view(view);
    return !list_kernels::shows_once(shown) && list_kernels::runs_along_dims(shown) && holds_repeated(view);
}

namespace {

std::vector<bool> masks_that_are_moved(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const TensorSizes sizes(request);
    const std::vector<bool>&reads_list = reading_lists(request), &is_of_terms = read_as_terms(request);
    std::vector<bool> are(graph.nodes.size()), is_mask(graph.nodes.size());
    for (const Node& node : graph.nodes)
        if (node.mask != no_node) is_mask[at(node.mask)] = true;
    // A disjunction needs each of its parts; one part of a conjunction can be read where the other parts are.
    const auto is_op = [](const Node& node, OpId op) { return node.kind == NodeKind::op && node.op == op; };
    for (std::size_t id = graph.nodes.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        const bool is_or = is_op(node, op_id<op::LogicalOr>);
        if (!is_mask[id] || (!is_or && !is_op(node, op_id<op::LogicalAnd>))) continue;
        for (const NodeId part : node.operands)
            if (is_or || graph[part].kind == NodeKind::op) is_mask[at(part)] = true;
    }
    for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (node.kind != NodeKind::view || node.dtype != DType::boolean || node.mask != no_node) continue;
        if (!reads_list[id] || is_of_terms[id] || is_bare(graph, graph[node.operands[0]])) continue;
        const bool is_of_batch = node.shape.size() > 2 && list_kernels::shows_once(element_view(node));
        are[id] = (is_of_batch && !keeps_order(graph, node)) || (is_mask[id] && sizes.repeats_list(node));
    }
    return are;
}

}  // namespace

std::function<std::uint64_t(int)> dims_of_masks(const PlanRequest& request) {
    return [&request](int symbol) -> std::uint64_t {
        if (request.is_of_lines(symbol)) return std::uint64_t{1} << 1U;
        const Format& format = request.facts[symbol];
        const bool lists_rows =
            request.is_made(symbol) && format.is_list() && runtime::lists_rows(format.layout);
        return lists_rows ? 1 : ~std::uint64_t{0};
    };
}

const std::vector<bool>& moved_masks(const PlanRequest& request) {
    return once(analyses_of(request).moved_masks, [&] { return masks_that_are_moved(request); });
}

ListAnalysis::ListAnalysis(const PlanRequest& request, const IterationSpace& space)
    : graph_(request.graph),
      facts_(request.facts),
      nodes_(request.graph, space),
      reads_list_(reading_lists(request)) {}

bool ListAnalysis::is_list(NodeId id) const { return planning::is_list(graph_[id], facts_); }

bool ListAnalysis::is_list_with_its_mask(NodeId id) const {
    const Node& node = graph_[id];
    return is_list(id) && (node.mask == no_node || graph_[node.mask].symbol == node.symbol);
}

bool is_list_gather(const ListAnalysis& lists, const Node& gather) {
    const Graph& graph = lists.graph();
    const auto indices = std::span(gather.operands).subspan(1);
    if (!std::ranges::all_of(indices, [&](NodeId id) { return lists.is_dense(id); })) return false;
    return list_kernels::selects_lines(
        gather_of(gather, graph[gather.operands[0]].shape, shapes_of(graph, indices)));
}

Layout moved_layout(const Node& move, Layout layout) {
    if (move.shape.size() != 2 || !runtime::lists_elements(layout)) return Layout::coo;
    const std::span<const std::int64_t> given = move.attributes;
    const auto is_along = [&](std::size_t d) { return given[d] == static_cast<std::int64_t>(d); };
    const bool stays = move.kind == NodeKind::cat ||
                       (move.kind == NodeKind::gather
                            ? given.size() == 2 && (is_along(0) ? given[1] != 0 : is_along(1) && given[0] < 0)
                            : given.size() == 4 && given[1] == 0 && given[2] == 0);
    return stays ? layout : Layout::coo;
}

std::vector<Shape> shapes_of(const Graph& graph, std::span<const NodeId> ids) {
    std::vector<Shape> shapes;
    for (const NodeId id : ids) shapes.push_back(graph[id].shape);
    return shapes;
}

}  // namespace frisket::planning
