// SPDX-License-Identifier: MIT
#include "host_numbers.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace frisket {

namespace {

using Eval = double (*)(const double*);

template <class Op>
double eval_double(const double* x) {
    if constexpr (Op::info.arity == 1) return static_cast<double>(Op::eval(x[0]));
    if constexpr (Op::info.arity == 2) return static_cast<double>(Op::eval(x[0], x[1]));
    if constexpr (Op::info.arity == 3) return static_cast<double>(Op::eval(x[0] != 0, x[1], x[2]));
}

template <class... Op>
constexpr auto evals_of(OpList<Op...>) {
    return std::array<Eval, sizeof...(Op)>{&eval_double<Op>...};
}

constexpr auto evals = evals_of(Ops{});

double converted(double x, DType dtype) {
    if (dtype == DType::float32) return static_cast<double>(static_cast<float>(x));
    return dtype == DType::boolean ? static_cast<double>(x != 0) : x;
}

}  // namespace

/// Turns the weak nodes of a graph into instructions.
class HostNumbers::Compiler {
public:
    Compiler(const Graph& graph, HostNumbers& numbers) : graph_(graph), numbers_(numbers) {}

    void compile() {
        find_slots();
        find_states();
        next_ = static_cast<int>(numbers_.slots_.size() + numbers_.states_.size());
        for (std::size_t i = 0; i < numbers_.slots_.size(); ++i) {
            const auto [node, dtype] = numbers_.slots_[i];
            convert(value(node), dtype, static_cast<int>(i));
        }
        for (const State& state : numbers_.states_) {
            const auto last = std::ranges::count(graph_.updates, state.argument, &Update::symbol);
            const Update& update = update_of(graph_, state.argument, static_cast<int>(last));
            convert(value(update.value), DType::float64, state.number);
        }
        numbers_.size_ = static_cast<std::size_t>(next_);
    }

private:
    const Symbol& symbol(int index) const { return graph_.symbols[static_cast<std::size_t>(index)]; }

    void need(NodeId node, DType dtype) {
        const HostSlot slot{.node = node, .dtype = dtype};
        if (std::ranges::find(numbers_.slots_, slot) == numbers_.slots_.end())
            numbers_.slots_.push_back(slot);
    }

    void find_slots() {
        for (const Node& node : graph_.nodes) {
            if (node.weak) continue;
            for (std::size_t i = 0; i < node.operands.size(); ++i) {
                const NodeId operand = node.operands[i];
                if (operand != no_node && graph_[operand].weak)
                    need(operand, operand_dtype(graph_, node, static_cast<int>(i)));
            }
        }
        for (const Update& update : graph_.updates) {
            if (symbol(update.symbol).kind == SymbolKind::in_out && graph_[update.value].weak) {
                need(update.value, symbol(update.symbol).dtype);
            }
        }
    }

    void find_states() {
        for (std::size_t i = 0; i < graph_.symbols.size(); ++i) {
            const int argument = static_cast<int>(i);
            if (symbol(argument).kind != SymbolKind::scalar_state) continue;
            if (std::ranges::find(graph_.updates, argument, &Update::symbol) == graph_.updates.end())
                continue;
            const std::size_t number = numbers_.slots_.size() + numbers_.states_.size();
            numbers_.states_.push_back({.argument = argument, .number = static_cast<int>(number)});
        }
    }

    int emit(Instruction instruction) {
        numbers_.instructions_.push_back(instruction);
        return instruction.result;
    }

    int convert(int number, DType dtype, int result) {
        return emit({.kind = Kind::convert, .dtype = dtype, .operands = {number, -1, -1}, .result = result});
    }

    /// The number that holds a weak node's value.
    int value(NodeId id) {
        if (const auto known = values_.find(id); known != values_.end()) return known->second;
        const int number = compute(graph_[id]);
        values_.emplace(id, number);
        return number;
    }

    int compute(const Node& node) {
        switch (node.kind) {
            case NodeKind::constant:
                return emit({.kind = Kind::constant, .result = next_++, .constant = node.constant});
            case NodeKind::on: return value(node.operands[0]);
            case NodeKind::symbol:
                if (node.version > 0) return value(update_of(graph_, node.symbol, node.version).value);
                return emit({.kind = Kind::argument, .operands = {node.symbol, -1, -1}, .result = next_++});
            case NodeKind::op: return operation(node);
            default: break;
        }
        throw Bug(graph_.name + ": a number of the host is made from elements");
    }

    int operation(const Node& node) {
        Instruction instruction{.kind = Kind::op, .op = node.op};
        instruction.eval = evals[static_cast<std::size_t>(node.op)];
        for (std::size_t i = 0; i < static_cast<std::size_t>(info(node.op).arity); ++i) {
            const NodeId operand = node.operands[i];
            instruction.operands[i] = value(operand);
            const bool to_bool = operand_dtype(graph_, node, static_cast<int>(i)) == DType::boolean;
            if (to_bool && graph_[operand].dtype != DType::boolean) {
                instruction.operands[i] = convert(instruction.operands[i], DType::boolean, next_++);
            }
        }
        instruction.result = next_++;
        return emit(instruction);
    }

    const Graph& graph_;
    HostNumbers& numbers_;
    std::map<NodeId, int> values_;
    int next_ = 0;
};

HostNumbers HostNumbers::of(const Graph& graph) {
    HostNumbers numbers;
    Compiler(graph, numbers).compile();
    return numbers;
}

int HostNumbers::slot(NodeId node, DType dtype) const {
    const auto found = std::ranges::find(slots_, HostSlot{.node = node, .dtype = dtype});
    if (found == slots_.end())
        throw Bug("a number of the host has no slot of " + std::string(name_of(dtype)));
    return static_cast<int>(found - slots_.begin());
}

void HostNumbers::evaluate(std::span<const Argument> arguments, double* numbers) const noexcept {
    for (const Instruction& instruction : instructions_) {
        double& result = numbers[instruction.result];
        const int first = instruction.operands[0];
        switch (instruction.kind) {
            case Kind::constant: result = instruction.constant; break;
            case Kind::argument: result = arguments[static_cast<std::size_t>(first)].number(); break;
            case Kind::convert: result = converted(numbers[first], instruction.dtype); break;
            case Kind::op: {
                double operands[3] = {};
                for (int i = 0; i < 3; ++i) {
                    const int operand = instruction.operands[static_cast<std::size_t>(i)];
                    if (operand >= 0) operands[i] = numbers[operand];
                }
                result = instruction.eval(operands);
            }
        }
    }
}

void HostNumbers::store_states(std::span<const Argument> arguments, const double* numbers) const noexcept {
    for (const State& state : states_) {
        *arguments[static_cast<std::size_t>(state.argument)].state_slot() = numbers[state.number];
    }
}

}  // namespace frisket
