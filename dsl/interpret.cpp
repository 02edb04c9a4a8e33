// SPDX-License-Identifier: MIT
#include "interpret.hpp"

#include "../runtime/call/check.hpp"
#include "../runtime/call/ready.hpp"
#include "arrays.hpp"
#include "arrays_walk.hpp"
#include "host_numbers.hpp"
#include "phase_masks.hpp"
#include "phases.hpp"
#include "sample.hpp"
#include "stochastic_rounding.hpp"
#include "stored.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace frisket {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The nodes of a step with the shapes that the arguments of a call give them.
Graph with_shapes(Graph graph, std::span<const Argument> arguments) {
    if (graph.shaped) return graph;
    for (Node& node : graph.nodes) {
        if (node.symbol >= 0 && !node.weak) node.shape = arguments[at(node.symbol)].shape();
        for (const NodeId operand : node.operands)
            if (operand != no_node) node.shape = broadcast(node.shape, graph[operand].shape);
    }
    graph.shaped = true;
    return graph;
}

/// One graph, one call: the values of nodes as whole tensors, each computed when it is first asked for.
class Interpreter {
public:
    Interpreter(const Graph& graph, std::span<const Argument> arguments)
        : graph_(with_shapes(graph, arguments)),
          arguments_(arguments),
          host_(HostNumbers::of(graph)),
          numbers_(host_.size()),
          values_(graph.nodes.size()) {
        host_.evaluate(arguments, numbers_.data());
    }

    const AnyTensor& value(NodeId id) {
        auto& slot = values_[at(id)];
        if (!slot) slot = compute(graph_[id]);
        return *slot;
    }

    void check_values() {
        for (const Check& check : graph_.checks)
            if (arrays::element<bool>(value(check.bad), 0)) fail(check);
    }

    Result result(NodeId id) {
        const Node& node = graph_[id];
        Result result{.values = read(id, node.result_dtype()).broadcast_to(node.shape)};
        if (node.mask != no_node) result.mask = value(node.mask).broadcast_to(node.shape);
        return result;
    }

    /// What an argument that is written holds at the end.
    AnyTensor final_value(int symbol) {
        const auto versions = std::ranges::count(graph_.updates, symbol, &Update::symbol);
        return version(symbol, static_cast<int>(versions));
    }

    void store_states() const { host_.store_states(arguments_, numbers_.data()); }

private:
    /// The value of a node in a dtype.
    AnyTensor read(NodeId id, DType dtype) {
        const Node& node = graph_[id];
        if (node.weak) return arrays::number(numbers_[at(host_.slot(id, dtype))], dtype);
        return arrays::convert(value(id), dtype);
    }
    AnyTensor operand(const Node& node, int i) {
        return read(node.operands[at(i)], operand_dtype(graph_, node, i));
    }
    /// The value of a node as it is stored in a dtype.
    AnyTensor rounded(NodeId id, DType dtype) {
        return arrays::convert(read(id, rounded_from(graph_, id, dtype)), dtype);
    }
    std::optional<AnyTensor> where(const Node& node) {
        if (node.operands[1] == no_node) return {};
        return value(node.operands[1]);
    }

    /// What a symbol holds after so many updates, in its own dtype.
    AnyTensor version(int symbol, int version) {
        const Argument& argument = arguments_[at(symbol)];
        if (version == 0)
            return argument.kind() == Argument::Kind::masked           ? argument.masked().to_dense(0)
                   : graph_.symbols[at(symbol)].kind == SymbolKind::in ? argument.tensor()
                                                                       : argument.tensor().clone();
        const Update& update = update_of(graph_, symbol, version);
        const AnyTensor after = stored(update, version);
        if (update.mask == no_node) return after;
        return arrays::choose(value(update.mask), after, this->version(symbol, version - 1),
                              argument.shape());
    }

    /// What an update leaves where it takes place.
    AnyTensor stored(const Update& update, int version) {
        const DType dtype = graph_.symbols[at(update.symbol)].dtype;
        if (update.seed == no_node) return rounded(update.value, dtype);
        const auto number = [&](NodeId id) {
            return arrays::element<std::int64_t>(read(id, DType::int64), 0);
        };
        const RandomBits random{
            .seed = number(update.seed), .step = number(update.step), .rounding = version - 1};
        const AnyTensor value = read(update.value, rounded_from(graph_, update));
        return arrays::convert(
            round_stochastically(value, dtype, random, arguments_[at(update.symbol)].shape()), dtype);
    }

    AnyTensor mask(const Argument& argument) const {
        if (argument.kind() == Argument::Kind::masked) return argument.masked().mask_tensor();
        return arrays::scalar(1, DType::boolean).broadcast_to(argument.shape());
    }

    AnyTensor compute(const Node& node) {
        switch (node.kind) {
            case NodeKind::symbol: return arrays::convert(version(node.symbol, node.version), node.dtype);
            case NodeKind::mask_of: return mask(arguments_[at(node.symbol)]);
            case NodeKind::to_dense: {
                const NodeId specified = graph_[node.operands[0]].mask;
                return arrays::choose(value(specified), operand(node, 0), operand(node, 1), node.shape);
            }
            case NodeKind::on: return operand(node, 0).broadcast_to(node.shape);
            case NodeKind::cast: return rounded(node.operands[0], node.dtype);
            case NodeKind::op: {
                std::vector<AnyTensor> operands;
                for (int i = 0; i < info(node.op).arity; ++i) operands.push_back(operand(node, i));
                return arrays::map(node.op, operands, node.dtype, node.shape);
            }
            case NodeKind::constant: throw Bug(graph_.name + ": a constant among the elements");
            default: return structure(node);
        }
    }

    AnyTensor structure(const Node& node) {
        if (node.kind == NodeKind::size) return arrays::scalar(node.offsets[0]);
        if (node.kind == NodeKind::coordinate)
            return arrays::coordinate(node.shape, static_cast<int>(node.attributes[0]));
        if (node.kind == NodeKind::cat) return joined(node);
        const Shape& shape = graph_[node.operands[0]].shape;
        const AnyTensor x = operand(node, 0).broadcast_to(shape);
        switch (node.kind) {
            case NodeKind::reduce:
                return arrays::reduce(node.reduction, x, where(node), node.attributes, node.dtype);
            case NodeKind::scan:
                return arrays::scan(node.reduction, x, where(node), static_cast<int>(node.attributes[0]));
            case NodeKind::view: return arrays::view(x, node.attributes, node.offsets, node.shape);
            case NodeKind::reshape: return x.reshape(node.shape);
            case NodeKind::take: return arrays::take(x, indices(node, 1), node.attributes, node.shape);
            case NodeKind::scatter:
                return arrays::scatter(node.reduction, x, where(node), indices(node, 2), node.attributes,
                                       node.shape);
            case NodeKind::unview:
                return arrays::unview(node.reduction, x, where(node), node.attributes, node.offsets,
                                      node.shape);
            default: throw Bug(graph_.name + ": an instruction that nobody carries out");
        }
    }

    AnyTensor joined(const Node& node) {
        std::vector<AnyTensor> parts;
        for (int i = 0; i < static_cast<int>(node.operands.size()); ++i)
            parts.push_back(operand(node, i).broadcast_to(graph_[node.operands[at(i)]].shape));
        return arrays::cat(parts, static_cast<int>(node.attributes[0]), node.shape);
    }

    std::vector<AnyTensor> indices(const Node& node, int first) {
        std::vector<AnyTensor> found;
        for (int i = first; i < static_cast<int>(node.operands.size()); ++i)
            found.push_back(operand(node, i));
        return found;
    }

    [[noreturn]] void fail(const Check& check) {
        const AnyTensor elements = arrays::convert(value(check.elements), DType::boolean);
        std::optional<Shape> place;
        arrays::walk_index(elements.shape(), [&](const Shape& index) {
            const bool bad = arrays::element<bool>(elements, arrays::offset_of(index, elements.strides()));
            if (bad && !place) place = index;
        });
        raise_check(graph_, check, place.value_or(Shape()));
    }

    const Graph graph_;
    std::span<const Argument> arguments_;
    HostNumbers host_;
    std::vector<double> numbers_;
    std::vector<std::optional<AnyTensor>> values_;  // of each node
};

/// New elements of a target, to be stored where an update reaches, so that no other byte changes.
class Store {
public:
    Store(const AnyTensor& target, const AnyTensor& value, const AnyTensor& written)
        : target_(target),
          value_(value),
          written_(written),
          strides_{target.strides(), arrays::seen_as(value, target.shape()),
                   arrays::seen_as(written, target.shape())} {}

    void run() const noexcept {
        if (target_.size() > 0) store(0, {});
    }

private:
    using Offsets = std::array<std::int64_t, 3>;

    void store(std::size_t dim, Offsets at) const noexcept {
        const Shape& shape = target_.shape();
        if (dim == shape.size()) return store(at);
        for (std::int64_t i = 0; i < shape[dim]; ++i) {
            store(dim + 1, at);
            for (std::size_t k = 0; k < at.size(); ++k) at[k] += strides_[k][dim];
        }
    }
    void store(const Offsets& at) const noexcept {
        if (!arrays::element<bool>(written_, at[2])) return;
        const int bytes = bytes_of(target_.dtype());
        std::copy_n(static_cast<const std::byte*>(value_.data()) + at[1] * bytes, bytes,
                    static_cast<std::byte*>(target_.data()) + at[0] * bytes);
    }

    AnyTensor target_, value_, written_;
    std::array<Strides, 3> strides_;
};

/// Whether a step reads products where a Masked symbol is specified, and nowhere else.
bool has_products_under_masks(const Graph& graph) {
    return graph.shaped &&
           std::ranges::any_of(products_under_masks(graph), [](NodeId mask) { return mask != no_node; });
}

/// A step whose values have been computed.
class Interpreted final : public Ready {
public:
    Interpreted(const Graph& graph, std::span<const Argument> arguments)
        : arguments_(arguments.begin(), arguments.end()), interpreter_(graph, arguments_) {
        interpreter_.check_values();
        for (const int target : signature_of(graph).outputs) {
            const AnyTensor value = interpreter_.final_value(target);
            AnyTensor reached = arrays::scalar(0, DType::boolean);
            for (const Update& update : graph.updates) {
                if (update.symbol != target) continue;
                const AnyTensor all = arrays::scalar(1, DType::boolean);
                const AnyTensor here = update.mask == no_node ? all : interpreter_.value(update.mask);
                reached = arrays::choose(here, all, reached, arguments_[at(target)].shape());
            }
            stores_.emplace_back(arguments_[at(target)].tensor(), value, reached);
        }
    }
    void run() override {
        for (const Store& store : stores_) store.run();
        interpreter_.store_states();
    }
    bool has_read() const override { return true; }

private:
    const std::vector<Argument> arguments_;
    Interpreter interpreter_;
    std::vector<Store> stores_;
};

/// Products first, for what is specified alone; then what is elementwise, on copies of what it writes.
class InterpretedPhases final : public Ready {
public:
    InterpretedPhases(const Graph& graph, std::span<const Argument> arguments)
        : arguments_(arguments.begin(), arguments.end()) {
        const Phases phases = split(graph);
        for (const int target : signature_of(graph).outputs) {
            Argument& argument = arguments_[at(target)];
            const AnyTensor& copy = copies_.emplace_back(argument.tensor().clone());
            stores_.emplace_back(argument.tensor(), copy, arrays::scalar(1, DType::boolean));
            argument = copy;
        }
        for (Argument& argument : arguments_)
            if (argument.kind() == Argument::Kind::state) {
                states_.emplace_back(argument.state_slot(), argument.number());
                argument = Argument::state(states_.back().second);
            }
        const std::vector<Result> values =
            evaluate(phases.values.graph, PhaseArguments(phases.values, arguments_, {}, false));
        for (const Phase& phase : phases.steps)
            interpret(phase.graph, PhaseArguments(phase, arguments_, values, &phase == &phases.steps.back()));
    }
    void run() override {
        for (const Store& store : stores_) store.run();
        for (const auto& [state, value] : states_) *state = value;
    }
    bool has_read() const override { return true; }

private:
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> copies_;
    std::vector<Store> stores_;
    std::deque<std::pair<double*, double>> states_;
};

}  // namespace

std::unique_ptr<Ready> ready_interpreted(const Graph& graph, std::span<const Argument> arguments) {
    check_call(signature_of(graph), arguments);
    if (has_products_under_masks(graph)) return std::make_unique<InterpretedPhases>(graph, arguments);
    return std::make_unique<Interpreted>(graph, arguments);
}

void interpret(const Graph& graph, std::span<const Argument> arguments) {
    ready_interpreted(graph, arguments)->run();
}

void interpret(const Graph& graph, std::span<const NamedArgument> arguments) {
    std::vector<Argument> ordered(graph.symbols.size());
    bind_names(signature_of(graph), arguments, ordered);
    interpret(graph, ordered);
}

void interpret(const Graph& graph, std::initializer_list<NamedArgument> arguments) {
    interpret(graph, std::span(arguments.begin(), arguments.size()));
}

Result strided(Result result) {
    if (!result.listed) return result;
    return {.values = dense_values(*result.listed), .mask = result.listed->mask_tensor()};
}

std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments) {
    check_call(signature_of(graph), arguments);
    if (auto results = run_stored(graph, arguments, evaluate)) return std::move(*results);
    if (const auto sampled = Sampled::of(graph, arguments))
        return sampled->placed(evaluate(sampled->graph(), sampled->arguments()));
    Interpreter interpreter(graph, arguments);
    interpreter.check_values();
    std::vector<Result> results;
    for (const NodeId id : graph.results) results.push_back(interpreter.result(id));
    return results;
}

void raise_check(const Graph& graph, const Check& check, const Shape& place) {
    std::string text = check.text;
    if (const auto hole = text.find("{}"); hole != std::string::npos) text.replace(hole, 2, to_string(place));
    raise(check.code, graph.name + ": " + text);
}

void report_checks(const Graph& graph, std::span<const Argument> arguments) {
    Interpreter(graph, arguments).check_values();
}

}  // namespace frisket
