// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../at.hpp"
#include "../../../contained_masks.hpp"
#include "../../../rewrite.hpp"
#include "../../../united_operands.hpp"

#include <algorithm>
#include <utility>

namespace frisket::plan {

using ir::at;

const Rule rules::scattered_list{
    .name = "scattered_list",
    .legal =
        "a result is what a scatter adds up where it puts something, and it scatters fewer elements than "
        "the result has",
    .pros = "time and memory are those of what is scattered; whole rows are a list of rows",
    .cons = "places are sorted, and elements of one place are added up",
};

namespace {

/// Recognises scatters, and the forms that they have as lists.
class ScatterSearch {
public:
    explicit ScatterSearch(const Graph& graph) : graph_(graph) {}

    /// The scatters whose union a result is; none if it is no such result, or has no more elements than they
    /// scatter.
    std::vector<const Node*> scatters_of(NodeId result) const {
        std::vector<const Node*> found;
        std::int64_t scattered = 0;
        std::optional<std::array<NodeId, 2>> operands;
        for (; (operands = ir::united_operands(graph_, result, op_id<op::Add>)); result = (*operands)[0])
            found.push_back(scatter_of((*operands)[1]));
        found.push_back(scatter_of(result));
        for (const Node* const scatter : found) {
            if (scatter == nullptr) return {};
            scattered += element_count(graph_[scatter->operands[0]].shape);
        }
        if (scattered >= element_count(graph_[result].shape)) return {};
        std::ranges::reverse(found);
        return found;
    }

    /// Rows, if whole rows are scattered.
    Layout layout_of(const Node& scatter) const {
        const Shape &target = scatter.shape, &from = graph_[scatter.operands[0]].shape;
        if (target.size() > from.size() + 1) return Layout::coo;
        const std::size_t leading = from.size() + 1 - target.size();
        for (std::size_t d = 1; d < target.size(); ++d)
            if (from[leading + d - 1] != target[d] || !is_coordinate(scatter, d, leading + d - 1))
                return Layout::coo;
        for (std::size_t i = 1; i < scatter.operands.size(); ++i)
            if (scatter.operands[i] != no_node && !is_alike_from(scatter.operands[i], from, leading))
                return Layout::coo;
        if (scatter.kind == NodeKind::scatter) return is_of_rows(scatter, leading);
        for (std::size_t j = leading; j < from.size(); ++j)
            if (scatter.attributes[j] != 0) return Layout::coo;
        return Layout::rows;
    }

private:
    /// The scatter that a masked node is; nullptr if it is none.
    const Node* scatter_of(NodeId id) const {
        const Node& on = graph_[id];
        if (on.kind != NodeKind::on || on.mask != on.operands[1]) return nullptr;
        const Node &sum = graph_[on.operands[0]], &any = graph_[on.mask];
        const bool is_sum = is_scatter(sum) && sum.reduction == Reduction::sum &&
                            (sum.dtype == DType::float32 || sum.dtype == DType::float64) &&
                            is_plain(graph_[sum.operands[0]], sum.dtype);
        return is_sum && is_where_it_puts(any, sum) ? &sum : nullptr;
    }

    static bool is_plain(const Node& values, DType dtype) {
        return values.mask == no_node && values.dtype == dtype && !values.is_host_scalar;
    }

    static bool is_scatter(const Node& node) {
        return node.kind == NodeKind::scatter || node.kind == NodeKind::scatter_view;
    }

    /// True of a mask that is true where another scatter puts something, and nowhere else.
    bool is_where_it_puts(const Node& any, const Node& sum) const {
        const bool is_alike =
            any.kind == sum.kind && any.reduction == Reduction::any && any.attributes == sum.attributes &&
            any.offsets == sum.offsets && any.shape == sum.shape &&
            any.operands.size() == sum.operands.size() &&
            std::equal(any.operands.begin() + 1, any.operands.end(), sum.operands.begin() + 1);
        const NodeId put = any.operands[0];
        return is_alike && graph_[put].shape == graph_[sum.operands[0]].shape &&
               (put == any.operands[1] || ir::is_true_everywhere(graph_, put));
    }

    /// True if the index along a dimension of the target is that along a dimension of what is scattered.
    bool is_coordinate(const Node& scatter, std::size_t dim, std::size_t of) const {
        if (scatter.kind == NodeKind::scatter)
            return scatter.attributes[dim] == static_cast<std::int64_t>(of);
        const std::size_t rank = graph_[scatter.operands[0]].shape.size();
        if (!scatter.offsets.empty() && scatter.offsets[dim] != 0) return false;
        for (std::size_t j = 0; j < rank; ++j)
            if (scatter.attributes[dim * rank + j] != (j == of ? 1 : 0)) return false;
        return true;
    }

    Layout is_of_rows(const Node& scatter, std::size_t leading) const {
        return scatter.attributes[0] < static_cast<std::int64_t>(leading) ? Layout::rows : Layout::coo;
    }

    /// True if a tensor that broadcasts to a shape is the same along its dimensions from `first` on.
    bool is_alike_from(NodeId id, const Shape& shape, std::size_t first) const {
        const Node& node = graph_[id];
        const std::size_t added = shape.size() - node.shape.size();
        for (std::size_t d = first; d < shape.size(); ++d) {
            if (d < added || node.shape[d - added] == 1) continue;
            if (node.kind != NodeKind::view) return false;
            const std::size_t rank = node.shape.size(), dims = node.attributes.size() / rank;
            for (std::size_t of = 0; of < dims; ++of)
                if (node.attributes[of * rank + d - added] != 0) return false;
        }
        return true;
    }

    const Graph& graph_;
};

/// Writes the graph of what scatters read, beside the other results.
class ScatterPlan {
public:
    explicit ScatterPlan(const PlanRequest& request) : request_(request), rest_(request.graph) {
        rest_.copy_all();
        rest_.graph().results.clear();
    }

    void add_result(NodeId id) { form_.results.emplace_back(number_of(rest_.copy(id))); }

    void add_scatters(const std::vector<const Node*>& scatters, const ScatterSearch& search) {
        ScatteredResults::Scatters made;
        for (const Node* const scatter : scatters)
            made.push_back(listed(*scatter, search.layout_of(*scatter)));
        form_.results.emplace_back(std::move(made));
    }

    Plan finish() {
        PlanBuilder to(request_);
        RestOfPlan rest{.graph = rest_.finish(), .operands = {}};
        for (const int symbol : ir::prune_symbols(rest.graph))
            rest.operands.push_back(request_.operands[at(symbol)]);
        to.plan().rest = std::move(rest);
        to.plan().scattered = std::move(form_);
        return to.finish();
    }

private:
    ListedScatter listed(const Node& scatter, Layout layout) {
        ListedScatter result{.node = scatter,
                             .count = element_count(request_.graph[scatter.operands[0]].shape),
                             .layout = layout};
        NodeId values = scatter.operands[0];
        for (; repeats(request_.graph[values]); values = request_.graph[values].operands[0])
            result.views.insert(result.views.begin(), request_.graph[values]);
        for (Node& view : result.views) view.operands.clear();
        // A sum of one element is that of 0 and the element: -0 becomes 0.
        result.values = number_of(rest_.apply<op::Add>({rest_.copy(values), zero()}));
        if (scatter.operands[1] != no_node) result.where = number_as(scatter.operands[1], DType::boolean);
        for (std::size_t i = 2; i < scatter.operands.size(); ++i)
            result.indices.push_back(number_as(scatter.operands[i], DType::int64));
        result.node.operands.clear();
        return result;
    }

    /// True of a view that has more elements than what it shows.
    bool repeats(const Node& node) const {
        return node.kind == NodeKind::view && node.mask == no_node &&
               element_count(request_.graph[node.operands[0]].shape) < element_count(node.shape);
    }

    NodeId zero() { return rest_.constant(0.0); }

    int number_as(NodeId old, DType dtype) {
        const NodeId id = rest_.copy(old);
        const Node& node = rest_.graph()[id];
        if (node.dtype == dtype && !node.is_host_scalar) return number_of(id);
        return number_of(
            rest_.add({.kind = NodeKind::cast, .dtype = dtype, .operands = {id}, .shape = node.shape}));
    }

    /// The number of a node among the results of the rest, each of which is there once.
    int number_of(NodeId id) {
        std::vector<NodeId>& results = rest_.graph().results;
        const auto found = std::ranges::find(results, id);
        const auto number = static_cast<int>(found - results.begin());
        if (found == results.end()) results.push_back(id);
        return number;
    }

    const PlanRequest& request_;
    ir::Rewriter rest_;
    ScatteredResults form_;
};

/// The plan of an expression with results that are scatters, as the gradients of tensors are that are read at
/// few places: they become lists, and nothing of their size is made.  Nothing if there is no such result.
/// Cost: linear in the graph.
std::optional<Plan> plan_scattered_list(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const ScatterSearch search(graph);
    std::vector<std::vector<const Node*>> scatters;
    for (const NodeId id : graph.results) scatters.push_back(search.scatters_of(id));
    if (std::ranges::all_of(scatters, &std::vector<const Node*>::empty)) return {};
    ScatterPlan plan(request);
    for (std::size_t i = 0; i < scatters.size(); ++i) {
        if (scatters[i].empty())
            plan.add_result(graph.results[i]);
        else
            plan.add_scatters(scatters[i], search);
    }
    return plan.finish();
}

}  // namespace

Planning scattered_list_planning() {
    return {.order = 0, .plan = plan_scattered_list, .rules = {&rules::scattered_list}};
}

}  // namespace frisket::plan
