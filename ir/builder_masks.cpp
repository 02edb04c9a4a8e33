// SPDX-License-Identifier: MIT
#include "builder_numbers.hpp"
#include "contained_masks.hpp"
#include "graph_text.hpp"
#include "shown_elements.hpp"

#include <algorithm>

/// The mask rules of GraphBuilder: for operands, updates and refusals.
namespace frisket {

namespace {

bool is_leaf(const Graph& graph, NodeId mask) { return graph[mask].kind == NodeKind::mask_of; }

/// True if a node reads a value that the step updates.
bool reads_updated(const Graph& graph, NodeId id, std::vector<bool>& seen) {
    if (id == no_node || seen[static_cast<std::size_t>(id)]) return false;
    seen[static_cast<std::size_t>(id)] = true;
    const Node& node = graph[id];
    const auto is_of_symbol = [&](NodeId update) { return graph[update].symbol == node.symbol; };
    const bool is_read = node.kind == NodeKind::symbol && !node.is_host_scalar;
    if (node.is_tensor_update() || (is_read && std::ranges::any_of(graph.updates, is_of_symbol))) return true;
    return std::ranges::any_of(node.operands,
                               [&](NodeId operand) { return reads_updated(graph, operand, seen); });
}

/// The name of a mask for users: the symbol it belongs to, or the expression that makes it.
std::string mask_text(const Graph& graph, NodeId mask) {
    if (is_leaf(graph, mask)) return graph.symbols[static_cast<std::size_t>(graph[mask].symbol)].name;
    return ir::expression_text(graph, mask);
}

/// Code that converts elements to an integer dtype.
std::string_view cast_code(DType whole) {
    if (whole == DType::uint8) return "cast<std::uint8_t>(x)";
    return whole == DType::int32 ? "cast<std::int32_t>(x)" : "cast<std::int64_t>(x)";
}

/// Masks that are compared when values are there; `operands` are the two that have them.
void must_be_equal(GraphBuilder& graph, NodeId mask_a, NodeId mask_b, const std::string& operands) {
    graph.check(ErrorCode::mask_mismatch, graph.apply<op::LogicalXor>({mask_a, mask_b}), no_node,
                operands +
                    " specify different elements, first at {}: masks that meet must be equal; a reduction "
                    "meets what it reduces within one expression, in its place, x - mean(x, {1}, keepdim); "
                    "else write to_dense(x, fill) for one of the operands, intersect(...) or unite(...)");
}

}  // namespace

bool GraphBuilder::contains(NodeId mask, NodeId part) const {
    return mask == part || (graph_.shaped && ir::is_contained(graph_, mask, part));
}

NodeId GraphBuilder::both(NodeId a, NodeId b) { return joined(op_id<op::LogicalAnd>, a, b); }
NodeId GraphBuilder::either(NodeId a, NodeId b) { return joined(op_id<op::LogicalOr>, a, b); }

NodeId GraphBuilder::joined(OpId op, NodeId a, NodeId b) {
    const auto one = ir::absorbing(graph_, op, a, b);
    if (!one) return apply(op, {a, b});
    const Shape shape = broadcast(graph_[a].shape, graph_[b].shape);
    return graph_[*one].shape == shape ? *one : add(ir::broadcast_view(graph_, *one, shape));
}

std::string GraphBuilder::written_pair(std::string_view function, NodeId a, NodeId b) const {
    const std::string name(function);
    return "operand 1 of " + name + ", " + written(a) + ", and operand 2 of " + name + ", " + written(b) +
           ",";
}

NodeId GraphBuilder::meet(NodeId mask_a, NodeId mask_b, const Shape& shape,
                          const std::function<std::string()>& operands) {
    if (mask_a == no_node) return mask_b;
    if (mask_b == no_node || mask_a == mask_b) return mask_a;
    const bool are_leaves = is_leaf(graph_, mask_a) && is_leaf(graph_, mask_b);
    const auto is_whole = [&](NodeId mask) { return graph_[mask].shape == shape; };
    if (graph_.shaped && !(are_leaves && is_whole(mask_a) && is_whole(mask_b))) {
        const bool has_a = contains(mask_b, mask_a), has_b = contains(mask_a, mask_b);
        if (has_a != has_b) return has_a ? mask_a : mask_b;
        if (!has_a) must_be_equal(*this, mask_a, mask_b, operands());
        return is_whole(mask_a) ? mask_a : mask_b;
    }
    if (!are_leaves) {
        fail(ErrorCode::mask_mismatch,
             "the mask " + mask_text(graph_, mask_a) + " meets the mask " + mask_text(graph_, mask_b) +
                 ", and one of them depends on values, so that they cannot be compared before "
                 "the loop: write to_dense(x, fill) for one of the operands");
    }
    const std::array pair{mask_a, mask_b}, swapped{mask_b, mask_a};
    const auto known = [&](auto wanted) {
        return std::ranges::find(graph_.equal_masks, wanted) != graph_.equal_masks.end();
    };
    if (!known(pair) && !known(swapped)) graph_.equal_masks.push_back(pair);
    return mask_a;
}

/// Adds `node`, of an operation of two operands, where both are specified, or where either is.
NodeId GraphBuilder::apply_meeting(Node node, MaskMode mode) {
    const NodeId a = node.operands[0], b = node.operands[1];
    const NodeId mask_a = graph_[a].mask, mask_b = graph_[b].mask;
    if (mode == MaskMode::intersection) {
        const bool has_both = mask_a != no_node && mask_b != no_node;
        node.mask = has_both ? both(mask_a, mask_b) : mask_a == no_node ? mask_b : mask_a;
        const NodeId id = add(node);
        check_values(id);
        return id;
    }
    if (mask_a == mask_b) {
        node.mask = mask_a;
        return add(node);
    }
    const NodeId met = add(node);  // without a mask: read only where both are specified
    const auto alone = [&](NodeId operand) {
        return add(Node{.kind = NodeKind::cast,
                        .dtype = node.dtype,
                        .operands = {operand},
                        .shape = graph_[operand].shape});
    };
    NodeId value = met;
    const auto covers = [&](NodeId mask, NodeId other) {
        return mask == no_node || (other != no_node && ir::is_implied(graph_, mask, other));
    };
    if (!covers(mask_b, mask_a)) value = apply<op::Where>({mask_b, value, alone(a)});
    if (!covers(mask_a, mask_b)) value = apply<op::Where>({mask_a, value, alone(b)});
    const bool is_everywhere = mask_a == no_node || mask_b == no_node;
    const NodeId mask =
        is_everywhere
            ? add(Node{.kind = NodeKind::cast, .dtype = DType::boolean, .operands = {constant(true)}})
            : either(mask_a, mask_b);
    return add(Node{.kind = NodeKind::on,
                    .dtype = node.dtype,
                    .operands = {value, mask},
                    .mask = mask,
                    .shape = node.shape});
}

/// Errors that depend on the values of an operation.
void GraphBuilder::check_values(NodeId result) {
    const Node node = graph_[result];
    const OpInfo& op = info_of(node.op);
    if (op.check == ValueCheck::none || node.is_host_scalar || info_of(node.dtype).is_float) return;
    const bool is_divisor = op.check == ValueCheck::divisor;
    const NodeId operand = node.operands[1];
    const std::string what =
        std::string(op.name) + " of whole numbers by " + (is_divisor ? "0" : "a negative power");
    const std::string advice = ": write a float operand, or where(...) around it";
    if (graph_[operand].kind == NodeKind::constant) {
        const std::int64_t number = graph_[operand].integer;
        if (is_divisor ? number == 0 : number < 0) fail(ErrorCode::value, what + advice);
        return;
    }
    const NodeId zero = constant(std::int64_t{0});
    const NodeId bad = is_divisor ? apply<op::Eq>({operand, zero}) : apply<op::Lt>({operand, zero});
    check(ErrorCode::value, bad, node.mask, what + ", first at {}" + advice);
}

void GraphBuilder::check(ErrorCode code, NodeId bad, NodeId where, std::string text, NodeId value) {
    if (!graph_.shaped) {
        if (const auto place = text.find(", first at {}"); place != text.npos) text.erase(place, 13);
        fail(code, "this depends on values, which a step cannot take back once it has written: " + text);
    }
    NodeId elements = add(
        Node{.kind = NodeKind::cast, .dtype = DType::boolean, .operands = {bad}, .shape = graph_[bad].shape});
    if (where != no_node) elements = apply<op::LogicalAnd>({where, elements});
    // No loops compute a host scalar: it becomes a tensor of rank 0.
    if (value != no_node && graph_[value].is_host_scalar)
        value = add({.kind = NodeKind::cast, .dtype = graph_[value].dtype, .operands = {value}, .shape = {}});
    graph_.checks.push_back({.code = code,
                             .bad = any_of(elements),
                             .elements = elements,
                             .value = value,
                             .text = std::move(text)});
}

/// True if a specified element is true.
NodeId GraphBuilder::any_of(NodeId elements) {
    const Node& node = graph_[elements];
    Node any{.kind = NodeKind::reduce, .dtype = DType::boolean, .operands = {elements, node.mask}};
    any.reduction = Reduction::any;
    for (std::size_t dim = 0; dim < node.shape.size(); ++dim)
        any.attributes.push_back(static_cast<std::int64_t>(dim));
    return add(std::move(any));
}

void GraphBuilder::skip_nonfinite(NodeId value) {
    const Node& node = graph_[value];
    if (!graph_.shaped) fail(ErrorCode::value, "skip_nonfinite(x) wants a graph whose symbols have shapes");
    if (node.is_host_scalar || !info_of(node.dtype).is_float)
        fail(ErrorCode::dtype, "skip_nonfinite(x) wants elements that are floats, and x is " +
                                   (node.is_host_scalar ? "a number" : std::string(name_of(node.dtype))));
    graph_.skips.push_back(any_of(apply<op::LogicalNot>({apply<op::Isfinite>({value})})));
}

NodeId GraphBuilder::operand_mask(OpId op, std::span<const NodeId> operands, const Shape& shape) {
    if (info_of(op).mask == MaskRule::branch) return branch_mask(operands);
    NodeId mask = no_node;
    for (NodeId operand : operands) {
        const auto pair = [&] { return written_pair(info_of(op).name, operands.front(), operand); };
        mask = meet(mask, graph_[operand].mask, shape, pair);
    }
    return mask;
}

NodeId GraphBuilder::branch_mask(std::span<const NodeId> operands) {
    const NodeId condition = graph_[operands[0]].mask;
    // A branch that is specified wherever the condition is, is as good as dense.
    const auto branch = [&](std::size_t i) {
        const NodeId mask = graph_[operands[i]].mask;
        const bool has_all = mask != no_node && condition != no_node && contains(mask, condition);
        return has_all ? no_node : mask;
    };
    const NodeId x = branch(1), y = branch(2);
    if (x == no_node && y == no_node) return condition;
    NodeId taken = x;
    if (x != y) {
        const NodeId all = constant(true);
        const std::vector<NodeId> choice{operands[0], x == no_node ? all : x, y == no_node ? all : y};
        taken = add(Node{.kind = NodeKind::op,
                         .op = op_id<op::Where>,
                         .dtype = DType::boolean,
                         .operands = choice,
                         .shape = common_shape(op_id<op::Where>, choice)});
    }
    return condition == no_node ? taken : both(condition, taken);
}

NodeId GraphBuilder::on(NodeId masked, NodeId dense) {
    const NodeId mask = graph_[masked].mask;
    if (mask == no_node) {
        fail(ErrorCode::value, "on(" + written(masked) +
                                   ", ...) has no mask to restrict to: its first "
                                   "operand is dense");
    }
    if (graph_[dense].mask == mask) return dense;
    const Shape shape = graph_.shaped ? broadcast(graph_[masked].shape, graph_[dense].shape) : Shape{};
    const NodeId met =
        meet(mask, graph_[dense].mask, shape, [&] { return written_pair("on", masked, dense); });
    return add(Node{.kind = NodeKind::on,
                    .dtype = graph_[dense].dtype,
                    .is_host_scalar = graph_[dense].is_host_scalar,
                    .operands = {dense, met},
                    .mask = met,
                    .shape = shape});
}

NodeId GraphBuilder::to_dense(NodeId masked, NodeId fill, GradientPath path) {
    if (!graph_[fill].is_host_scalar || graph_[fill].mask != no_node) {
        fail(ErrorCode::value, "the fill of to_dense is " + written(fill) +
                                   ", wanted a number: a constant, or an expression of scalars");
    }
    const Node& node = graph_[masked];
    if (node.mask == no_node) return masked;
    const ElementType type = strong(node.type());
    ir::check_number(*this, type.dtype, fill, "the fill of to_dense");
    return add(Node{.kind = NodeKind::to_dense,
                    .dtype = type.dtype,
                    .operands = {masked, fill},
                    .shape = node.shape,
                    .path = path});
}

NodeId GraphBuilder::mask_of(NodeId masked) {
    const NodeId mask = graph_[masked].mask;
    return mask == no_node ? constant(true) : mask;
}

void GraphBuilder::over(NodeId masked_symbol) {
    over_ = graph_[masked_symbol].mask;
    if (over_ == no_node) {
        fail(ErrorCode::value,
             "over(" + ir::expression_text(graph_, masked_symbol) + ") has no mask: write a Masked symbol");
    }
}

void GraphBuilder::begin_inlined() { part_ = ++parts_; }

void GraphBuilder::end_inlined() {
    part_ = 0;
    over_ = no_node;
}

void GraphBuilder::check_update(const Symbol& target, NodeId value) const {
    const Node& node = graph_[value];
    if (target.kind != SymbolKind::in_out && target.kind != SymbolKind::scalar_state) {
        fail(ErrorCode::binding, target.name + " is " + std::string(name_of(target.kind)) +
                                     ", which a step reads only: what it writes is InOut or ScalarState");
    }
    if (target.kind == SymbolKind::scalar_state && (!node.is_host_scalar || node.mask != no_node)) {
        fail(ErrorCode::value, target.name + " is a number and takes " + written(value) +
                                   ", which has elements: write an expression of scalars");
    }
    if (graph_.shaped && target.kind == SymbolKind::in_out && !broadcasts_to(node.shape, target.shape)) {
        fail(ErrorCode::shape, target.name + " has shape " + to_string(target.shape) + " and takes shape " +
                                   to_string(node.shape) +
                                   ": the shape of an update broadcasts to its target's");
    }
    if (target.kind == SymbolKind::in_out)
        ir::check_number(*this, target.dtype, value, "what " + target.name + " takes");
    if (target.dtype == DType::boolean && node.dtype != DType::boolean) {
        fail(ErrorCode::dtype,
             target.name + " is bool and takes " + std::string(name_of(node.dtype)) + ": write a comparison");
    }
    const bool is_whole = target.kind == SymbolKind::in_out && !info_of(target.dtype).is_float;
    if (is_whole && info_of(node.dtype).is_float) {
        fail(ErrorCode::dtype, target.name + " is " + std::string(name_of(target.dtype)) + " and takes " +
                                   std::string(name_of(node.result_dtype())) + ": write " +
                                   std::string(cast_code(target.dtype)) + ", or give it a float dtype");
    }
}

NodeId GraphBuilder::update_mask(const Symbol& target, NodeId value, Scope scope) {
    const NodeId mask = graph_[value].mask;
    if (target.kind == SymbolKind::scalar_state) return no_node;
    if (scope == Scope::inferred) {
        const auto pair = [&] {
            return "over(" + mask_text(graph_, over_) + ") and " + written(value) + ", which " + target.name +
                   " takes,";
        };
        const bool is_apart = graph_.shaped && over_ != no_node && mask != no_node && over_ != mask &&
                              !broadcasts_to(graph_[over_].shape, target.shape);
        if (!is_apart) return meet(over_, mask, graph_[value].shape, pair);
        must_be_equal(*this, over_, mask, pair());
        return mask;
    }
    if (mask != no_node) {
        fail(ErrorCode::value, "everywhere(" + target.name + " = ...) takes what is specified only where " +
                                   mask_text(graph_, mask) + " is: write to_dense(x, fill)");
    }
    return no_node;
}

void GraphBuilder::update(std::string_view name, NodeId value, Scope scope) {
    const int symbol = find(name);
    if (symbol < 0) fail(ErrorCode::binding, std::string(name) + " is updated, and there is no such symbol");
    const Symbol target = graph_.symbols[static_cast<std::size_t>(symbol)];
    check_update(target, value);
    NodeId& now = current_[static_cast<std::size_t>(symbol)];
    const NodeId before = now;
    now = add(Node{.kind = NodeKind::updated,
                   .dtype = graph_[before].dtype,
                   .is_host_scalar = graph_[before].is_host_scalar,
                   .operands = {value, before, update_mask(target, value, scope), no_node, no_node, no_node},
                   .symbol = symbol,
                   .shape = target.shape});
    said_.push_back({now, scope, part_});
    const auto last = std::ranges::find(graph_.updates, before);
    if (last == graph_.updates.end())
        graph_.updates.push_back(now);
    else
        *last = now;
}

void GraphBuilder::check_scopes() const {
    const auto where = [&](const SaidUpdate& said) {
        return graph_[said.update].operands[update_operand::where];
    };
    const auto name = [&](const SaidUpdate& said) {
        return graph_.symbols[static_cast<std::size_t>(graph_[said.update].symbol)].name;
    };
    for (const SaidUpdate& dense : said_) {
        if (where(dense) != no_node || dense.scope == Scope::everywhere ||
            graph_[dense.update].is_host_scalar)
            continue;
        const auto masked = std::ranges::find_if(
            said_, [&](const SaidUpdate& said) { return said.part == dense.part && where(said) != no_node; });
        if (masked == said_.end()) continue;
        const std::string mask = mask_text(graph_, where(*masked));
        fail(ErrorCode::value, name(dense) + " takes a dense value in a step that updates " + name(*masked) +
                                   " only where " + mask + " is specified: write on(" + mask +
                                   ", ...), or everywhere(" + name(dense) +
                                   " = ...) if all elements are meant");
    }
}

void GraphBuilder::check_masks() const {
    for (const SaidUpdate& said : said_) {
        const Node& node = graph_[said.update];
        const NodeId where = node.operands[update_operand::where];
        if (where == no_node || is_leaf(graph_, where)) continue;
        std::vector<bool> seen(graph_.nodes.size());
        if (!reads_updated(graph_, where, seen)) continue;
        fail(ErrorCode::value, "the mask of what " +
                                   graph_.symbols[static_cast<std::size_t>(node.symbol)].name +
                                   " takes is made from what the step updates: " + mask_text(graph_, where) +
                                   "; write to_dense(x, fill), or make the mask before the step");
    }
}

}  // namespace frisket
