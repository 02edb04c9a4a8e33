// SPDX-License-Identifier: MIT
#include "interpret.hpp"

#include "../runtime/call/check.hpp"
#include "host_numbers.hpp"
#include "interpret_cell.hpp"

namespace frisket {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A tensor seen with the shape of the loop.
struct View {
    AnyTensor tensor;
    Strides strides;
    std::int64_t offset(std::span<const std::int64_t> index) const {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
        return offset;
    }
    Cell load(std::span<const std::int64_t> index) const {
        return frisket::load(tensor.data(), offset(index), tensor.dtype());
    }
};

/// A tensor argument: its values, and its mask unless everything is specified.
struct Source {
    View values;
    View mask;
    bool is_masked = false;
};

View view_of(const AnyTensor& tensor, const Shape& shape) {
    if (!broadcasts_to(tensor.shape(), shape)) return {tensor, {}};  // a tensor that no update reads
    return {tensor, broadcast_strides(tensor.shape(), tensor.strides(), shape)};
}

Source source_of(const Argument& argument, const Shape& shape) {
    if (argument.kind() == Argument::Kind::tensor)
        return {.values = view_of(argument.tensor(), shape), .mask = {}};
    const AnyMasked& masked = argument.masked();
    if (masked.layout() == Layout::dense) return {.values = view_of(masked.values(), shape), .mask = {}};
    return {.values = view_of(masked.to_dense(0), shape),
            .mask = view_of(masked.mask_tensor(), shape),
            .is_masked = true};
}

/// One step, one call.
class Interpreter {
public:
    Interpreter(const Graph& graph, std::span<const Argument> arguments, const Shape& shape)
        : graph_(graph), host_(HostNumbers::of(graph)), numbers_(host_.size()) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const bool is_tensor = arguments[i].kind() == Argument::Kind::tensor ||
                                   arguments[i].kind() == Argument::Kind::masked;
            sources_.push_back(is_tensor ? source_of(arguments[i], shape) : Source{});
        }
        host_.evaluate(arguments, numbers_.data());
        cells_.resize(graph.nodes.size());
    }

    /// Computes and writes one element.
    void run_at(std::span<const std::int64_t> index) {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            if (!graph_.nodes[i].weak) cells_[i] = value(graph_.nodes[i], index);
        }
        for (const Update& update : graph_.updates) {
            if (graph_.symbols[at(update.symbol)].kind != SymbolKind::in_out || !is_true(update.mask))
                continue;
            const View& target = sources_[at(update.symbol)].values;
            store(target.tensor.data(), target.offset(index), target.tensor.dtype(), update_value(update));
        }
    }

    void store_states(std::span<const Argument> arguments) const {
        host_.store_states(arguments, numbers_.data());
    }

private:
    bool is_true(NodeId mask) const { return mask == no_node || cells_[at(mask)].as<bool>(); }

    /// The value of a node in a dtype.
    Cell read(NodeId id, DType dtype) const {
        const Node& node = graph_[id];
        if (node.weak) return from_double(numbers_[at(host_.slot(id, dtype))], dtype);
        return convert(cells_[at(id)], node.dtype, dtype);
    }
    Cell operand(const Node& node, int i) const {
        return read(node.operands[at(i)], operand_dtype(graph_, node, i));
    }

    Cell update_value(const Update& update) const {
        return read(update.value, graph_.symbols[at(update.symbol)].dtype);
    }

    /// What a symbol holds after so many updates.
    Cell current(int symbol, int version, std::span<const std::int64_t> index) const {
        for (; version > 0; --version) {
            const Update& update = update_of(graph_, symbol, version);
            if (is_true(update.mask)) return update_value(update);
        }
        return sources_[at(symbol)].values.load(index);
    }

    Cell value(const Node& node, std::span<const std::int64_t> index) const {
        switch (node.kind) {
            case NodeKind::symbol: return current(node.symbol, node.version, index);
            case NodeKind::mask_of: {
                const Source& source = sources_[at(node.symbol)];
                return source.is_masked ? source.mask.load(index) : Cell::of(true);
            }
            case NodeKind::to_dense: return operand(node, is_true(graph_[node.operands[0]].mask) ? 0 : 1);
            case NodeKind::on: return operand(node, 0);
            case NodeKind::op: return operation(node);
            case NodeKind::constant: break;
        }
        throw Bug(graph_.name + ": a constant among the elements");
    }

    Cell operation(const Node& node) const {
        std::array<Cell, 3> operands;
        const int arity = info(node.op).arity;
        for (int i = 0; i < arity; ++i) operands[at(i)] = operand(node, i);
        return cell_op(node.op, operand_dtype(graph_, node, arity - 1))(operands.data());
    }

    const Graph& graph_;
    HostNumbers host_;
    std::vector<double> numbers_;
    std::vector<Source> sources_;
    std::vector<Cell> cells_;  // of each node, at the current element
};

/// The index after `index` in row-major order.
void advance(Shape& index, const Shape& shape) {
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (++index[i] < shape[i]) return;
        index[i] = 0;
    }
}

}  // namespace

void interpret(const Graph& graph, std::span<const Argument> arguments) {
    const Shape& shape = check_call(signature_of(graph), arguments);
    Interpreter interpreter(graph, arguments, shape);
    Shape index(shape.size(), 0);
    for (std::int64_t i = 0, count = element_count(shape); i < count; ++i) {
        interpreter.run_at(index);
        advance(index, shape);
    }
    interpreter.store_states(arguments);
}

void interpret(const Graph& graph, std::span<const NamedArgument> arguments) {
    std::vector<Argument> ordered(graph.symbols.size());
    bind_names(signature_of(graph), arguments, ordered);
    interpret(graph, ordered);
}

void interpret(const Graph& graph, std::initializer_list<NamedArgument> arguments) {
    interpret(graph, std::span(arguments.begin(), arguments.size()));
}

}  // namespace frisket
