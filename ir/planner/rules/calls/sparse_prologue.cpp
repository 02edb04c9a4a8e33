// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../../runtime/list_kernels/coordinate_set.hpp"
#include "../../../../runtime/list_kernels/permutation.hpp"
#include "../../../at.hpp"
#include "../../../rewrite.hpp"
#include "../../dense_operand.hpp"
#include "../../list_analysis.hpp"
#include "../../list_products.hpp"
#include "../../list_spaces.hpp"
#include "../../residual_graph.hpp"
#include "../listed_elements.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace frisket::planning {

using ir::at;

const RuleInfo rules::spmm{
    .name = "spmm",
    .legal = "a matrix product has a list as a factor, and the other factor is a list or dense",
    .pros = "a row of the other factor is read for each entry, nothing else",
    .cons = "entries are ordered by rows",
};

const RuleInfo rules::dense_operand{
    .name = "dense_operand",
    .legal = "the dense factor of a product of lists is itself an expression",
    .pros = "it is evaluated once",
    .cons = "it is stored",
};

namespace {

const RuleInfo segmented_reduce_rule{
    .name = "segmented_reduce",
    .legal = "a reduction along some dimensions reads single elements of a list, and other positions "
             "add nothing to it",
    .pros = "one pass over the list; slices without an entry cost nothing",
    .cons = "entries of a slice that are apart are ordered first",
};

const RuleInfo permutation_rule{
    .name = "permutation",
    .legal = "a view, a reshape or a cat shows elements of a list, or a gather reads lines of it",
    .pros = "positions are computed anew, values are gathered once",
    .cons = "the new positions are sorted",
};

/// Writes the stages that make the nodes with actions, and the graph that is left.
class SparsePrologue {
public:
    SparsePrologue(const PlanRequest& request, const IterationSpace& space, const ListAnalysis& lists,
                   const NodeActions& actions)
        : request_(request),
          graph_(request.graph),
          lists_(lists),
          actions_(actions),
          to_(request),
          elements_(request, space, lists, actions, to_),
          rest_(request.graph, request.operands) {}

    Plan run() {
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) make(id);
        rest_.finish(to_.plan());
        keep_layouts(to_.plan());
        return to_.finish();
    }

private:
    /// Lets lists that only stages read be coo, as these read them.
    static void keep_layouts(Plan& plan) {
        std::vector<ValueId> read = plan.results;
        if (plan.rest) read.insert(read.end(), plan.rest->operands.begin(), plan.rest->operands.end());
        for (PlanStage& stage : plan.stages)
            if (auto* const permute = std::get_if<PermuteStage>(&stage.action))
                if (std::ranges::find(read, permute->made) == read.end()) permute->layout = Layout::coo;
    }

    ValueId value_of(int symbol) const { return request_.operands[at(symbol)]; }

    /// A node as a list: the list that a stage made, an argument, or its elements at the coordinates.  The
    /// elements are csr if the lists of the space are.
    ListOperand list_operand(NodeId id) {
        const Node& node = graph_[id];
        if (const ValueId made = rest_.list_of(id); made != no_value)
            return {.value = made, .dtype = list_dtypes_.at(id)};
        if (!lists_.is_list(id)) {
            if (!elements_.is_by_rows(id)) return elements_.operand(id);
            return {.value = elements_.masked(id), .dtype = node.dtype};
        }
        return {.kind = node.kind == NodeKind::symbol ? ListOperand::Kind::list : ListOperand::Kind::pattern,
                .value = value_of(node.symbol),
                .dtype = node.dtype};
    }
    void take_list(NodeId id, ValueId made, DType dtype, ValueId mask) {
        list_dtypes_[id] = dtype;
        rest_.take_list(made, dtype, mask);
    }

    void make(NodeId id) {
        const Node& node = graph_[id];
        switch (actions_[id]) {
            case NodeAction::keep:
                if (!elements_.is_shared(id)) return rest_.keep();
                return take_list(id, elements_.masked(id), node.dtype, elements_.indices());
            case NodeAction::reduce: return reduce(id);
            case NodeAction::move: return move(id);
            case NodeAction::pass: return pass(id);
            case NodeAction::list: return list(id);
            case NodeAction::view_dense: return view_dense(id);
            case NodeAction::product_mask: return multiply(id);
            case NodeAction::product: return rest_.take_values();
        }
    }

    /// A view of a dense tensor, which is made first where it is an expression.
    void view_dense(NodeId id) {
        const Node& node = graph_[id];
        const NodeId from = node.operands[0];
        const bool is_symbol = graph_[from].kind == NodeKind::symbol;
        const ValueId tensor = is_symbol ? value_of(graph_[from].symbol) : rest_.add_whole(to_, from, false);
        ViewStage stage{.node = node, .operand = dense_tensor(tensor), .made = to_.new_value()};
        rest_.take_dense(stage.made, is_symbol ? graph_.symbols[at(graph_[from].symbol)].dtype : node.dtype);
        to_.add(permutation_rule, std::move(stage));
    }

    /// Elements at the coordinates as a list.
    void list(NodeId id) {
        const Node& node = graph_[id];
        ViewStage stage{.node = node, .operand = elements_.operand(id), .made = to_.new_value()};
        take_list(id, stage.made, node.dtype, no_value);
        to_.add(rules::union_of, std::move(stage));
    }

    void pass(NodeId id) {
        const Node& node = graph_[id];
        const NodeId from = node.operands[0];
        const bool is_made = rest_.list_of(from) != no_value;
        ViewStage stage{.node = node, .operand = list_operand(from), .made = to_.new_value()};
        if (stage.operand.kind == ListOperand::Kind::list && lists_.is_list(from))
            stage.operand.dtype = graph_.symbols[at(graph_[from].symbol)].dtype;
        const DType dtype = stage.operand.dtype;
        const bool is_listed = is_made || lists_.is_list(from);
        // Lists that stages have made have no positions twice: in another shape they have their indices.
        ValueId same = no_value;
        if (!is_listed)
            same = stage.mask = rest_.list_of(node.mask);
        else if (has_moved_mask(node))
            same = rest_.list_of(node.mask);
        else if (is_made || request_.is_made(graph_[from].symbol))
            same = stage.operand.value;
        take_list(id, stage.made, dtype, same);
        to_.add(permutation_rule, std::move(stage));
    }

    /// True for a masked tensor in another shape whose mask is the original tensor's, in that shape.
    bool has_moved_mask(const Node& node) const {
        const NodeId from = node.operands[0];
        if (rest_.list_of(from) != no_value) return rest_.shares_indices(from);
        if (node.mask == no_node || actions_[node.mask] != NodeAction::pass) return false;
        return lists_.is_list_with_its_mask(from) && graph_[node.mask].operands[0] == graph_[from].mask;
    }

    void reduce(NodeId id) {
        const Node& node = graph_[id];
        if (is_scatter(node.kind)) return scatter(id);
        ReduceStage stage{.coordinates = elements_.coordinates(),
                          .x = elements_.in_line(node.operands[0]),
                          .mask = rest_.list_of(node.mask),
                          .shape = reduced_shape(graph_, node),
                          .dims = node.attributes,
                          .reduction = node.reduction,
                          .operand_dtype = operand_dtype(graph_, node, 0),
                          .dtype = node.dtype,
                          .is_pattern = node.mask == no_node && node.dtype == DType::boolean,
                          .is_running = node.kind == NodeKind::scan,
                          .made = to_.new_value()};
        if (node.operands[1] != no_node) stage.where = elements_.in_line(node.operands[1]);
        if (is_product(node)) stage.y = elements_.in_line(node.operands[2]);
        take_list(id, stage.made, node.dtype, stage.mask);
        to_.add(segmented_reduce_rule, std::move(stage), id, rest_.last_name());
    }

    void scatter(NodeId id) {
        const Node& node = graph_[id];
        const auto at_coordinates = [&](std::size_t i, ListOperand::Kind kind) {
            const NodeId operand = node.operands[i];
            return ListOperand{.kind = kind,
                               .value = elements_.in_line(operand),
                               .coordinates = elements_.coordinates(),
                               .dtype = graph_[operand].dtype};
        };
        const auto indices = std::span<const NodeId>(node.operands).subspan(2);
        PermuteStage stage{.node = node,
                           .operands = {at_coordinates(0, ListOperand::Kind::at_coordinates),
                                        at_coordinates(1, ListOperand::Kind::true_at)},
                           .shapes = {graph_[node.operands[0]].shape},
                           .index_shapes = shapes_of(graph_, indices),
                           .mask = rest_.list_of(node.mask)};
        for (const NodeId index : indices) stage.indices.push_back(index_value(index));
        stage.made = to_.new_value();
        take_list(id, stage.made, node.dtype, stage.mask);
        to_.add(permutation_rule, std::move(stage), id, rest_.last_name());
    }

    void move(NodeId id) {
        const Node& node = graph_[id];
        const std::span<const NodeId> operands(node.operands);
        const auto lists = node.kind == NodeKind::gather ? operands.first(1) : operands;
        const auto indices = operands.subspan(lists.size());
        PermuteStage stage{.node = node,
                           .operands = {},
                           .shapes = shapes_of(graph_, lists),
                           .index_shapes = shapes_of(graph_, indices),
                           .mask = rest_.list_of(node.mask)};
        for (const NodeId list : lists) stage.operands.push_back(list_operand(list));
        for (const NodeId index : indices) stage.indices.push_back(index_value(index));
        stage.layout = moved_layout(node, common_layout(lists));
        stage.made = to_.new_value();
        layouts_[id] = stage.layout;
        take_list(id, stage.made, stage.operands[0].dtype, stage.mask);
        to_.add(permutation_rule, std::move(stage), id, rest_.last_name());
    }

    /// The layout that all of these lists have; coo if they differ.
    Layout common_layout(std::span<const NodeId> ids) const {
        const auto layout_of = [&](NodeId id) {
            if (const auto made = layouts_.find(id); made != layouts_.end()) return made->second;
            return lists_.is_list(id) ? request_.facts[graph_[id].symbol].layout : Layout::coo;
        };
        const Layout first = layout_of(ids.front());
        return std::ranges::all_of(ids, [&](NodeId id) { return layout_of(id) == first; }) ? first
                                                                                           : Layout::coo;
    }

    /// A dense tensor of indices, whose elements are in the order of the node's; made once.
    ValueId index_value(NodeId id) {
        id = before_moves(graph_, id);
        const auto [at, is_new] = indices_.try_emplace(id, no_value);
        if (is_new) at->second = add_dense_operand(to_, request_, id);
        return at->second;
    }

    void multiply(NodeId mask) {
        const ListProduct& product = actions_.product_of_mask(mask);
        const ProductMatrices& matrices = product.matrices;
        MultiplyStage stage{.left = factor(product, matrices.left),
                            .right = factor(product, matrices.right),
                            .terms = matrices.terms,
                            .batches = matrices.batches,
                            .dtype = graph_[product.id].dtype,
                            .is_pattern = product.is_pattern,
                            .made = to_.new_value()};
        if (const int places = actions_.places_of_product(mask); places >= 0) stage.places = value_of(places);
        rest_.take_mask_of(stage.made, stage.dtype, made_shape(stage));
        to_.add(rules::spmm, std::move(stage), product.id, rest_.last_name());
    }

    /// True for elements whose mask is the mask of a list of the space.
    bool has_mask_of_space(NodeId id) const {
        const bool is_made = rest_.list_of(id) != no_value && !elements_.is_shared(id);
        return !lists_.is_list(id) && !is_made && elements_.has_mask_of_space(id);
    }

    Factor factor(const ListProduct& product, const SeenMatrix& matrix) {
        const NodeId id = matrix.id, mask = graph_[id].mask;
        const bool is_pattern = product.is_pattern;
        Factor made{.is_transposed = matrix.is_transposed, .is_batched = matrix.is_batched};
        if (!actions_.is_whole_factor(product, id)) {
            made.matrix = list_operand(id);
            if (!is_pattern && !lists_.is_list_with_its_mask(id) && !has_mask_of_space(id))
                made.mask = list_operand(mask);
            return made;
        }
        const bool is_dense = mask == no_node && !is_pattern;
        made.matrix = {.kind = is_dense     ? ListOperand::Kind::dense
                               : is_pattern ? ListOperand::Kind::pattern
                                            : ListOperand::Kind::list,
                       .value = rest_.add_whole(to_, id, is_pattern),
                       .dtype = graph_[id].dtype};
        return made;
    }

    const PlanRequest& request_;
    const Graph& graph_;
    const ListAnalysis& lists_;
    const NodeActions& actions_;
    PlanBuilder to_;
    ListedElements elements_;
    ResidualGraph rest_;
    std::map<NodeId, DType> list_dtypes_;  // dtypes of the lists that were made
    std::map<NodeId, Layout> layouts_;     // layouts that lists have if not only stages read them
    std::map<NodeId, ValueId> indices_;    // dense tensors of indices that were made
};

/// The plan of an expression over lists that reduces listed elements along some dimensions, moves them, or
/// multiplies lists as matrices: list kernels make these nodes from stored elements, and the rest of the
/// graph reads their results, which are lists.  Nothing without such a node.
/// Cost: linear in the graph.
std::optional<Plan> plan_sparse_prologue(const PlanRequest& request) {
    for (const IterationSpace& space : spaces_of_lists(request)) {
        const ListAnalysis& lists = lists_over(request, space);
        const NodeActions actions(request, lists);
        if (!actions.are_all_kept()) return SparsePrologue(request, space, lists, actions).run();
    }
    return {};
}

}  // namespace

PlanRule sparse_prologue_plan_rule() {
    return {.order = 4,
            .plan = plan_sparse_prologue,
            .rules = {&segmented_reduce_rule, &permutation_rule, &rules::spmm},
            .kinds = NodeKinds::where([](NodeKind kind) { return !is_elementwise(kind); })};
}

}  // namespace frisket::planning
