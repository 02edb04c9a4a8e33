// SPDX-License-Identifier: MIT
#include "interpret.hpp"

#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/kernel/ready.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/layouts/stored.hpp"
#include "../at.hpp"
#include "../scalar_program.hpp"
#include "body.hpp"
#include "masked_store.hpp"
#include "stochastic_rounding.hpp"
#include "tensor_kernels.hpp"
#include "tensor_kernels_walk.hpp"

#include <algorithm>

namespace frisket {

using ir::at;

namespace {

/// The nodes of a step with the shapes that the arguments of a call give them.
Graph with_shapes(Graph graph, std::span<const Argument> arguments) {
    if (graph.shaped) return graph;
    for (Node& node : graph.nodes) {
        if (node.symbol >= 0 && !node.is_host_scalar) node.shape = arguments[at(node.symbol)].shape();
        if (node.kind == NodeKind::updated) continue;  // its value broadcasts to it
        for (const NodeId operand : node.operands)
            if (operand != no_node) node.shape = broadcast(node.shape, graph[operand].shape);
    }
    graph.shaped = true;
    return graph;
}

/// Refuses lists of which dense tensors would be too large, and tensors on the way, which may be as large as
/// the largest that is given whole.
void check_sizes(const Graph& graph, std::span<const Argument> arguments) {
    std::int64_t most = most_interpreted;
    const auto fail = [&](const std::string& what, const Shape& shape, const std::string& stored) {
        throw ShapeError(graph.name + ": " + what + " has shape " + to_string(shape) + stored +
                         ": the interpreter makes dense tensors of at most 2^28 elements, write eval(...) or "
                         "jit(...), which take lists as they are stored");
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        const bool is_masked = argument.kind() == Argument::Kind::masked;
        if (!is_masked && argument.kind() != Argument::Kind::tensor) continue;
        const std::int64_t count = element_count(argument.shape());
        if (!is_masked || !runtime::is_list(argument.masked().layout()))
            most = std::max(most, count);
        else if (count > most_interpreted)
            fail(graph.symbols[i].name, argument.shape(),
                 " in layout " + std::string(name_of(argument.masked().layout())));
    }
    for (const Node& node : graph.nodes)
        if (!node.is_host_scalar && element_count(node.shape) > most)
            fail("a tensor on the way", node.shape, "");
}

/// One graph, one call: the values of nodes as whole tensors, each computed when it is first asked for.
class Interpreter {
public:
    Interpreter(const Graph& graph, std::span<const Argument> arguments)
        : graph_(with_shapes(graph, arguments)),
          arguments_(arguments),
          host_(ir::ScalarProgram::of(graph)),
          numbers_(host_.size()),
          values_(graph.nodes.size()) {
        host_.evaluate(arguments, numbers_.data());
    }

    const AnyTensor& value(NodeId id) {
        if (!values_[at(id)]) compute_below(id);
        return *values_[at(id)];
    }

    void check_values() {
        for (const Check& check : graph_.checks)
            if (tensor_kernels::element<bool>(value(check.bad), 0)) fail(check);
    }

    /// True if the step is to change nothing.
    bool is_skipped() {
        return std::ranges::any_of(
            graph_.skips, [&](NodeId skip) { return tensor_kernels::element<bool>(value(skip), 0); });
    }

    Result result(NodeId id) {
        const Node& node = graph_[id];
        Result result{.values = read(id, node.result_dtype()).broadcast_to(node.shape)};
        if (node.mask != no_node) result.mask = value(node.mask).broadcast_to(node.shape);
        return result;
    }

    /// The value of an argument after an update, in its own dtype.
    AnyTensor in_memory(NodeId update) {
        return tensor_kernels::convert(value(update), graph_.symbols[at(graph_[update].symbol)].dtype);
    }

    /// Which elements an update or one before it writes.
    AnyTensor written(NodeId update) {
        const AnyTensor none = tensor_kernels::scalar(0, DType::boolean),
                        all = tensor_kernels::scalar(1, DType::boolean);
        const Node& node = graph_[update];
        if (node.kind != NodeKind::updated) return none;
        const NodeId where = node.operands[update_operand::where];
        return tensor_kernels::choose(where == no_node ? all : value(where), all,
                                      written(node.operands[update_operand::before]), node.shape);
    }

    void store_states() const { host_.store_states(arguments_, numbers_.data()); }

private:
    /// Computes a node, and first its operands, without recursion: chains may be of any length.
    void compute_below(NodeId last) {
        std::vector<NodeId> open{last};
        while (!open.empty()) {
            const NodeId id = open.back();
            const std::size_t count = open.size();
            if (values_[at(id)]) {
                open.pop_back();
                continue;
            }
            add_unknown(graph_[id], open);
            if (open.size() == count) values_[at(id)] = compute(graph_[id]);
        }
    }
    /// Adds the operands of a node that are not computed yet.
    void add_unknown(const Node& node, std::vector<NodeId>& open) const {
        const auto add = [&](NodeId id) {
            if (id != no_node && !graph_[id].is_host_scalar && !values_[at(id)]) open.push_back(id);
        };
        if (node.kind == NodeKind::to_dense) add(graph_[node.operands[0]].mask);
        std::ranges::for_each(node.operands, add);
    }

    /// The value of a node in a dtype.
    AnyTensor read(NodeId id, DType dtype) {
        const Node& node = graph_[id];
        if (node.is_host_scalar) return tensor_kernels::number(numbers_[at(host_.slot(id, dtype))], dtype);
        return tensor_kernels::convert(value(id), dtype);
    }
    AnyTensor operand(const Node& node, int i) {
        return read(node.operands[at(i)], operand_dtype(graph_, node, i));
    }
    /// The value of a node as it is stored in a dtype.
    AnyTensor rounded(NodeId id, DType dtype) {
        return tensor_kernels::convert(read(id, rounded_from(graph_, id, dtype)), dtype);
    }
    std::optional<AnyTensor> where(const Node& node) {
        if (node.operands[1] == no_node) return {};
        return value(node.operands[1]);
    }

    /// The value of an argument before the step, in its own dtype.
    AnyTensor given(int symbol) {
        const Argument& argument = arguments_[at(symbol)];
        return argument.kind() == Argument::Kind::masked           ? argument.masked().to_dense(0)
               : graph_.symbols[at(symbol)].kind == SymbolKind::in ? argument.tensor()
                                                                   : argument.tensor().clone();
    }

    /// The value of an argument after an update.
    AnyTensor updated(const Node& node) {
        const DType dtype = graph_.symbols[at(node.symbol)].dtype;
        const AnyTensor after = tensor_kernels::convert(
            tensor_kernels::convert(exact_or_at_random(node, dtype), dtype), node.dtype);
        const NodeId where = node.operands[update_operand::where];
        if (where == no_node) return after;
        return tensor_kernels::choose(value(where), after, operand(node, update_operand::before), node.shape);
    }

    /// The value that an update takes: to be rounded to nearest, or rounded at random.
    AnyTensor exact_or_at_random(const Node& node, DType dtype) {
        const AnyTensor value = operand(node, update_operand::value);
        if (node.operands[update_operand::seed] == no_node) return value;
        const auto number = [&](int i) { return tensor_kernels::element<std::int64_t>(operand(node, i), 0); };
        const ir::RandomBits random{.seed = number(update_operand::seed),
                                    .step = number(update_operand::step),
                                    .first = number(update_operand::first),
                                    .rounding = static_cast<int>(node.integer)};
        return ir::round_stochastically(value, dtype, random, node.shape);
    }

    AnyTensor mask(const Argument& argument) const {
        if (argument.kind() == Argument::Kind::masked) return argument.masked().mask_tensor();
        return tensor_kernels::scalar(1, DType::boolean).broadcast_to(argument.shape());
    }

    AnyTensor compute(const Node& node) {
        // A number that was converted has one element, whatever its shape.
        const auto x = [&] { return operand(node, 0).broadcast_to(graph_[node.operands[0]].shape); };
        switch (node.kind) {
            case NodeKind::constant: break;  // a number
            case NodeKind::symbol: return tensor_kernels::convert(given(node.symbol), node.dtype);
            case NodeKind::op: return mapped(node);
            case NodeKind::mask_of: return mask(arguments_[at(node.symbol)]);
            case NodeKind::to_dense:
                return tensor_kernels::choose(value(graph_[node.operands[0]].mask), operand(node, 0),
                                              operand(node, 1), node.shape);
            case NodeKind::on: return operand(node, 0).broadcast_to(node.shape);
            case NodeKind::updated: return updated(node);
            case NodeKind::cast: return rounded(node.operands[0], node.dtype);
            case NodeKind::size: return tensor_kernels::scalar(node.offsets[0]);
            case NodeKind::coordinate:
                return tensor_kernels::coordinate(node.shape, static_cast<int>(node.attributes[0]));
            case NodeKind::reduce: return reduced(node, reduced_shape(graph_, node));
            case NodeKind::scan: return running(node, x());
            case NodeKind::view: return tensor_kernels::view(x(), node.attributes, node.offsets, node.shape);
            case NodeKind::reshape: return x().reshape(node.shape);
            case NodeKind::cat: return joined(node);
            case NodeKind::gather:
                return tensor_kernels::gather(x(), indices(node, 1), node.attributes, node.shape);
            case NodeKind::scatter:
                return tensor_kernels::scatter(node.reduction, x(), where(node), indices(node, 2),
                                               node.attributes, node.shape);
            case NodeKind::scatter_view:
                return tensor_kernels::scatter_view(node.reduction, x(), where(node), node.attributes,
                                                    node.offsets, node.shape);
        }
        throw Bug(graph_.name + ": an instruction that nobody carries out");
    }

    AnyTensor mapped(const Node& node) {
        std::vector<AnyTensor> operands;
        for (int i = 0; i < info_of(node.op).arity; ++i) operands.push_back(operand(node, i));
        return tensor_kernels::map(node.op, operands, node.dtype, node.shape);
    }

    AnyTensor reduced(const Node& node, const Shape& shape) {
        const AnyTensor x = operand(node, 0).broadcast_to(shape);
        if (is_product(node))
            return tensor_kernels::contract(x, operand(node, 2).broadcast_to(shape), where(node),
                                            node.attributes);
        return tensor_kernels::reduce(node.reduction, x, where(node), node.attributes, node.dtype);
    }

    AnyTensor running(const Node& node, const AnyTensor& x) {
        const int dim = static_cast<int>(node.attributes[0]);
        return is_recurrence(node) ? tensor_kernels::recurrence(x, operand(node, 2), dim)
                                   : tensor_kernels::scan(node.reduction, x, where(node), dim);
    }

    AnyTensor joined(const Node& node) {
        std::vector<AnyTensor> parts;
        for (int i = 0; i < static_cast<int>(node.operands.size()); ++i)
            parts.push_back(operand(node, i).broadcast_to(graph_[node.operands[at(i)]].shape));
        return tensor_kernels::cat(parts, static_cast<int>(node.attributes[0]), node.shape);
    }

    std::vector<AnyTensor> indices(const Node& node, int first) {
        std::vector<AnyTensor> found;
        for (int i = first; i < static_cast<int>(node.operands.size()); ++i)
            found.push_back(operand(node, i));
        return found;
    }

    [[noreturn]] void fail(const Check& check) {
        const AnyTensor elements = tensor_kernels::convert(value(check.elements), DType::boolean);
        std::optional<Shape> place;
        tensor_kernels::walk_index(elements.shape(), [&](const Shape& index) {
            const bool bad =
                tensor_kernels::element<bool>(elements, tensor_kernels::offset_of(index, elements.strides()));
            if (bad && !place) place = index;
        });
        raise_check(graph_, check, place.value_or(Shape()), value_of(check, place.value_or(Shape())));
    }

    /// The value that the sentence of a check names, 0 for a sentence without one.
    std::int64_t value_of(const Check& check, const Shape& place) {
        if (check.value == no_node) return 0;
        const AnyTensor values = read(check.value, DType::int64).broadcast_to(graph_[check.elements].shape);
        return tensor_kernels::element<std::int64_t>(values,
                                                     tensor_kernels::offset_of(place, values.strides()));
    }

    const Graph graph_;
    std::span<const Argument> arguments_;
    ir::ScalarProgram host_;
    std::vector<double> numbers_;
    std::vector<std::optional<AnyTensor>> values_;  // value of each node, once computed
};

/// A step whose values have been computed.
class Interpreted {
public:
    Interpreted(const Graph& graph, std::span<const Argument> arguments)
        : arguments_(arguments.begin(), arguments.end()), interpreter_(graph, arguments_) {
        interpreter_.check_values();
        is_skipped_ = interpreter_.is_skipped();
        if (is_skipped_) return;
        for (const NodeId update : graph.updates)
            if (graph[update].is_tensor_update())
                stores_.emplace_back(arguments_[at(graph[update].symbol)].tensor(),
                                     interpreter_.in_memory(update), interpreter_.written(update));
    }
    void run() {
        if (is_skipped_) return;
        for (const ir::MaskedStore& store : stores_) store.run();
        interpreter_.store_states();
    }

private:
    const std::vector<Argument> arguments_;
    Interpreter interpreter_;
    bool is_skipped_ = false;
    std::vector<ir::MaskedStore> stores_;
};

}  // namespace

kernel_calls::Ready ready_interpreted(const Graph& graph, std::span<const Argument> arguments) {
    kernel_calls::check_call(signature_of(graph), arguments);
    check_sizes(with_shapes(graph, arguments), arguments);
    return kernel_calls::ready_of(std::make_shared<Interpreted>(graph, arguments), true);
}

void interpret(const Graph& graph, std::span<const Argument> arguments) {
    ready_interpreted(graph, arguments).run();
}

void ir::interpret_body(const Graph& graph, std::span<const Argument> arguments) {
    kernel_calls::check_call(signature_of(graph), arguments);
    Interpreted(graph, arguments).run();
}

void interpret(const Graph& graph, std::span<const NamedArgument> arguments) {
    std::vector<Argument> ordered(graph.symbols.size());
    kernel_calls::bind_names(signature_of(graph), arguments, ordered);
    interpret(graph, ordered);
}

void interpret(const Graph& graph, std::initializer_list<NamedArgument> arguments) {
    interpret(graph, std::span(arguments.begin(), arguments.size()));
}

Result strided(Result result) {
    if (!result.listed) return result;
    const AnyMasked made = result.listed->to(Layout::strided);
    return {.values = made.values(), .mask = made.mask()};
}

Result clone(const Result& result) {
    if (result.listed) return {.listed = result.listed->clone()};
    Result made{.values = result.values.clone()};
    if (result.mask) made.mask = result.mask->clone();
    return made;
}

std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments) {
    kernel_calls::check_call(signature_of(graph), arguments);
    check_sizes(with_shapes(graph, arguments), arguments);
    return ir::evaluate_body(graph, arguments);
}

std::vector<Result> ir::evaluate_body(const Graph& graph, std::span<const Argument> arguments) {
    Interpreter interpreter(graph, arguments);
    interpreter.check_values();
    std::vector<Result> results;
    for (const NodeId id : graph.results) results.push_back(interpreter.result(id));
    return results;
}

void report_checks(const Graph& graph, std::span<const Argument> arguments) {
    Interpreter(graph, arguments).check_values();
}

}  // namespace frisket
