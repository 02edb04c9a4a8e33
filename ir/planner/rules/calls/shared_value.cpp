// SPDX-License-Identifier: MIT
#include "../../batch_slices.hpp"
#include "../../body_stage.hpp"
#include "../../memory_need.hpp"
#include "../../planner.hpp"

#include "../../../../runtime/limits.hpp"
#include "../../../at.hpp"
#include "../../../passes/simplify.hpp"
#include "../../../rewrite.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace frisket::planning {

const RuleInfo rules::shared_value{
    .name = "shared_value",
    .legal = "a value is made of products, and several results read it, or one as no loop over its rows can, "
             "or there are many products",
    .pros = "it is computed once, and each result has loops of its own: rows in cache, tiles of sums",
    .cons = "it is stored",
};

namespace {

using ir::at;

/// Values of a dense graph that have a stage of their own: its results, and values that several of these read
/// and that take many operations to compute again.
class SharedValues {
public:
    /// `is_deep`: the factors of products have stages of their own, so that no stage grows with the graph.
    SharedValues(const Graph& graph, bool is_deep)
        : graph_(graph),
          is_deep_(is_deep),
          is_costly_(graph.nodes.size()),
          chain_(graph.nodes.size()),
          uses_(graph.nodes.size()) {
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) weigh(id);
        for (const NodeId id : graph.results) start_stage(id);
        for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) visit(id);
        std::ranges::sort(stages_);
    }

    /// Nodes that are stored, in the order in which they are made.
    const std::vector<NodeId>& stages() const noexcept { return stages_; }
    bool is_stage(NodeId id) const { return std::ranges::binary_search(stages_, id); }
    /// True for a result that other stages read.
    bool is_read(NodeId id) const { return uses_[at(id)].is_read; }

private:
    static constexpr int unread = -1, several = -2;
    /// Operations that each of several stages computes again rather than read the results.
    static constexpr int longest_chain = 10;

    struct Use {
        int stage = unread;         // the stage that reads a node, or several
        bool is_elsewhere = false;  // read at other positions than a loop over its rows reads
        bool is_read = false;       // read by another node
    };

    /// Finds whether a node depends on something that is not made again for each reader: a sum, in the end.
    void weigh(NodeId id) {
        const Node& node = graph_[id];
        bool is_costly = is_product(node) || node.kind == NodeKind::reshape ||
                         (node.kind == NodeKind::reduce && node.dtype == DType::boolean);
        NodeId large = no_node;
        bool has_several = false;
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand == no_node || !is_costly_[at(operand)]) return;
            is_costly = true;
            // Numbers of rows are stored at no cost.
            if (element_count(graph_[operand].shape) < element_count(node.shape) || operand == large) return;
            has_several = has_several || large != no_node;
            large = operand;
        });
        is_costly_[at(id)] = is_costly;
        const bool is_short =
            is_elementwise(node.kind) && large != no_node && !has_several && !is_function(node);
        if (is_short) chain_[at(id)] = chain_[at(large)] + (node.kind == NodeKind::op ? 1 : 0) + 1;
    }

    /// True for a few operations on one costly value.
    bool is_cheap(NodeId id) const { return chain_[at(id)] > 0 && chain_[at(id)] <= longest_chain; }

    void start_stage(NodeId id) {
        Use& use = uses_[at(id)];
        if (std::ranges::find(stages_, id) == stages_.end()) stages_.push_back(id);
        use.stage = id;
    }

    /// Stores the operand of a reshape, which has these elements in this order: readers divide for each one.
    void store_reshape(NodeId id) {
        start_stage(id);
        const NodeId x = graph_[id].operands[0];
        if (graph_[x].kind == NodeKind::symbol) return;
        start_stage(x);
        uses_[at(x)].is_read = true;
    }

    void read(NodeId id, const Use& by, bool is_elsewhere) {
        if (id == no_node || !is_costly_[at(id)]) return;
        Use& use = uses_[at(id)];
        use.is_read = true;
        use.is_elsewhere = use.is_elsewhere || is_elsewhere;
        if (std::ranges::find(graph_.results, id) != graph_.results.end()) return;
        use.stage = use.stage == unread || use.stage == by.stage ? by.stage : several;
    }

    void visit(NodeId id) {
        const Node& node = graph_[id];
        Use& use = uses_[at(id)];
        if (use.stage == unread) return;
        const bool is_shared = use.stage == several || use.is_elsewhere;
        if (is_shared && node.kind == NodeKind::reshape) store_reshape(id);
        if (is_shared && !is_move(node.kind) && !is_cheap(id)) start_stage(id);
        const bool passes = (is_deep_ && is_product(node)) || (use.stage != id && use.is_elsewhere);
        for (std::size_t i = 0; i < node.operands.size(); ++i)
            read(node.operands[i], use, passes || !reads_own_rows(id, i));
        read(node.mask, use, passes);
    }

    /// True if loops over rows of a node read rows of an operand, not all of it for each.
    bool reads_own_rows(NodeId id, std::size_t i) const {
        const Node& node = graph_[id];
        if (node.kind == NodeKind::view) return keeps_rows(node);
        if (is_product(node)) return i == 1 || has_rows(node, node.operands[i]);
        return info_of(node.kind).accumulates || is_elementwise(node.kind);
    }

    /// True if a view shows the rows of its operand in their order; their elements may be in another order.
    bool keeps_rows(const Node& view) const {
        const std::size_t rank = view.shape.size(), rank_before = graph_[view.operands[0]].shape.size();
        if (rank_before == 0) return false;  // one element, which has no rows
        for (std::size_t d = 0; d + 1 < rank_before; ++d)
            for (std::size_t j = 0; j < rank; ++j)
                if (view.attributes[d * rank + j] != (j == d ? 1 : 0)) return false;
        return view.offsets.empty();
    }

    /// True if a factor has the rows of a product, and not its columns.
    bool has_rows(const Node& product, NodeId factor) const {
        const Shape& shape = graph_[factor].shape;
        const std::size_t rank = product.shape.size();
        if (shape.size() != rank + 1 || product.attributes.size() != 1) return false;
        const auto reduced = static_cast<std::size_t>(product.attributes[0]);
        const bool is_of_rows =
            reduced + 1 == rank && shape[rank] == 1;  // or each element is computed from a row
        return reduced > 0 && shape[reduced - 1] != 1 && (is_of_rows || reduced == rank);
    }

    const Graph& graph_;
    const bool is_deep_;
    std::vector<bool> is_costly_;
    std::vector<int> chain_;  // operations between a node and the one costly value from which it is computed
    std::vector<Use> uses_;
    std::vector<NodeId> stages_;
};

/// Writes a stage for each shared value and each result.
class SharedValueStages {
public:
    SharedValueStages(const PlanRequest& request, const Graph& graph, const SharedValues& values)
        : request_(request),
          graph_(graph),
          values_(values),
          to_(request),
          made_(graph.nodes.size(), no_value) {}

    Plan run() {
        for (const NodeId id : values_.stages()) add(id);
        for (const NodeId id : graph_.results) to_.plan().results.push_back(made_[at(id)]);
        return to_.finish();
    }

private:
    /// True for an argument without a mask, and for a stored value.
    bool is_tensor(NodeId id) const {
        const Node& node = graph_[id];
        return node.kind == NodeKind::symbol ? node.mask == no_node && !node.is_host_scalar
                                             : made_[at(id)] != no_value;
    }
    bool is_result(NodeId id) const { return std::ranges::find(graph_.results, id) != graph_.results.end(); }

    /// A reshape of a stored tensor: the same memory.
    void add_reshape(NodeId id) {
        const NodeId x = graph_[id].operands[0];
        const int symbol = graph_[x].symbol;
        const ValueId tensor = symbol < 0 ? made_[at(x)] : request_.operands[at(symbol)];
        to_.add(rules::shared_value,
                ViewStage{.node = graph_[id], .operand = dense_tensor(tensor), .made = made_[at(id)]});
    }

    void add(NodeId id) {
        made_[at(id)] = to_.new_value();
        if (graph_[id].kind == NodeKind::reshape && !is_result(id) && is_tensor(graph_[id].operands[0]))
            return add_reshape(id);
        ir::Rewriter body(graph_);
        Graph& graph = body.graph();
        std::vector<ValueId> operands(request_.operands.begin(), request_.operands.end());
        graph.results.clear();
        graph.equal_masks.clear();  // they have been compared
        body.rule = [&](NodeId old) -> std::optional<NodeId> {
            if (old == id || !values_.is_stage(old) || !values_.is_read(old)) return {};
            operands.push_back(made_[at(old)]);
            return read_stored(body, graph_[old], std::to_string(made_[at(old)]));
        };
        const NodeId copied = body.copy(id);
        const bool is_filled = graph_[id].mask != no_node && !is_result(id);
        graph.results = {is_filled ? filled(body, copied) : copied};
        BodyStage stage{
            .results = {{.made = made_[at(id)],
                         .form = values_.is_read(id) ? ResultForm::tensor : ResultForm::as_made}}};
        stage.graph = body.finish();
        for (const int symbol : ir::prune_symbols(stage.graph))
            stage.operands.push_back({.value = operands[at(symbol)]});
        to_.add(rules::shared_value, std::move(stage));
    }

    const PlanRequest& request_;
    const Graph& graph_;  // the simplified one
    const SharedValues& values_;
    PlanBuilder to_;
    std::vector<ValueId> made_;  // value of each node that has a stage
};

/// Bytes of the values that are stored between stages.
std::int64_t stored_bytes(const Graph& graph, const SharedValues& values) {
    MemoryNeed stored;
    for (const NodeId id : values.stages())
        if (values.is_read(id)) stored.add(tensor_bytes(graph[id].dtype, graph[id].shape));
    return stored.held_bytes();
}

bool can_be_sliced(const Format& format) {
    return format.kind == Format::Kind::tensor || (format.is_masked() && format.layout == Layout::strided);
}

/// The plan for some indices of a batch at a time, so that stored memory stays below a limit, or is for one
/// index.  Nothing if it is below, or without a batch.
std::optional<Plan> sliced_plan(const PlanRequest& request, std::int64_t stored) {
    if (stored <= limits::shared_value_bytes) return {};
    const auto slices = batch_slices(request.graph);
    if (!slices) return {};
    for (std::size_t i = 0; i < slices->is_sliced.size(); ++i)
        if (slices->is_sliced[i] && !can_be_sliced(request.facts.formats()[i])) return {};
    auto items = std::max<std::int64_t>(limits::shared_value_bytes / (stored / slices->extent + 1), 1);
    while (slices->extent % items != 0) --items;
    PlanBuilder to(request);
    SlicedStage stage{.graph = with_items(request.graph, *slices, items),
                      .items = items,
                      .count = slices->extent / items,
                      .operands = {request.operands.begin(), request.operands.end()},
                      .is_sliced = slices->is_sliced,
                      .made = {}};
    for (std::size_t i = 0; i < request.graph.results.size(); ++i) stage.made.push_back(to.new_value());
    to.plan().results = stage.made;
    to.add(rules::shared_value, std::move(stage));
    return to.finish();
}

/// The plan of a dense expression that reads values computed from products in several ways, as gradients do.
/// Nothing if all of it is one loop over rows, or over tiles of a product.
/// Cost: linear in the graph for each stage.
std::optional<Plan> plan_shared_values(const PlanRequest& request) {
    const std::vector<Node>& nodes = request.graph.nodes;
    const bool is_deep = std::ranges::count_if(nodes, is_product) > limits::products_of_a_stage;
    const bool has_products = is_deep || std::ranges::any_of(nodes, [&](const Node& node) {
                                  return is_large_product(request.graph, node);
                              });
    if (!has_products || !request.graph.checks.empty() ||
        std::ranges::any_of(request.facts.formats(), &Format::is_list))
        return {};
    const Graph graph = ir::simplified(request.graph, ir::SeenViews::moved_of_dense);
    const SharedValues values(graph, is_deep);
    if (values.stages().size() < 2) return {};
    const bool is_exact = std::ranges::all_of(values.stages(), [&](NodeId id) {
        const Node& node = graph[id];
        // A masked result is stored with its mask, and a float of 16 bits is rounded where it is stored.
        const bool is_result = std::ranges::find(graph.results, id) != graph.results.end();
        return !values.is_read(id) ||
               (!(is_result && node.mask != no_node) && node.result_dtype() == compute_dtype(node.dtype));
    });
    if (!is_exact) return {};
    if (auto slices = sliced_plan(request, stored_bytes(graph, values))) return slices;
    return SharedValueStages(request, graph, values).run();
}

}  // namespace

PlanRule shared_value_plan_rule() {
    return {.order = 10,
            .plan = plan_shared_values,
            .rules = {&rules::shared_value},
            .kinds = {NodeKind::reduce}};
}

}  // namespace frisket::planning
