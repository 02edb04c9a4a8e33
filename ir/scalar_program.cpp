// SPDX-License-Identifier: MIT
#include "scalar_program.hpp"

#include "scalar_value.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace frisket::ir {

/// Turns the host scalars of a graph into instructions.
class ScalarProgram::Compiler {
public:
    Compiler(const Graph& graph, ScalarProgram& numbers) : graph_(graph), numbers_(numbers) {}

    void compile() {
        find_slots();
        find_states();
        next_ = static_cast<int>(numbers_.slots_.size() + numbers_.states_.size());
        for (std::size_t i = 0; i < numbers_.slots_.size(); ++i) {
            const auto [node, dtype] = numbers_.slots_[i];
            store(node, dtype, static_cast<int>(i), must_fit_[i]);
        }
        for (std::size_t i = 0; i < states_.size(); ++i)
            store(states_[i], DType::float64, numbers_.states_[i].number);
        numbers_.size_ = static_cast<std::size_t>(next_);
    }

private:
    void need(NodeId node, DType dtype, bool must_fit) {
        const HostSlot slot{.node = node, .dtype = dtype};
        const auto known = std::ranges::find(numbers_.slots_, slot) - numbers_.slots_.begin();
        if (known == std::ssize(numbers_.slots_)) {
            numbers_.slots_.push_back(slot);
            must_fit_.push_back(false);
        }
        if (must_fit) must_fit_[static_cast<std::size_t>(known)] = true;
    }

    /// True if elements of int32 meet a number: a cast is made on purpose.
    bool must_fit(const Node& node, NodeId number, DType dtype) const {
        return node.kind != NodeKind::cast && dtype == DType::int32 && graph_[number].dtype == DType::int64;
    }

    void find_slots() {
        for (const NodeId result : graph_.results)
            if (graph_[result].is_host_scalar)
                need(result, compute_dtype(graph_[result].result_dtype()), false);
        for (const Node& node : graph_.nodes) {
            if (node.is_host_scalar) continue;
            for (std::size_t i = 0; i < node.operands.size(); ++i) {
                const NodeId operand = node.operands[i];
                if (operand == no_node || !graph_[operand].is_host_scalar) continue;
                const DType dtype = operand_dtype(graph_, node, static_cast<int>(i));
                need(operand, dtype, must_fit(node, operand, dtype));
            }
        }
    }

    void find_states() {
        for (const NodeId update : graph_.updates)
            if (graph_[update].is_host_scalar) states_.push_back(update);
        std::ranges::sort(states_, {}, [this](NodeId update) { return graph_[update].symbol; });
        for (const NodeId update : states_) {
            const std::size_t number = numbers_.slots_.size() + numbers_.states_.size();
            numbers_.states_.push_back(
                {.argument = graph_[update].symbol, .number = static_cast<int>(number)});
        }
    }

    int emit(Instruction instruction) {
        numbers_.instructions_.push_back(instruction);
        return instruction.result;
    }

    /// Puts the value of a host scalar into `result`, in another dtype.
    void store(NodeId id, DType dtype, int result, bool must_fit = false) {
        emit({.kind = Kind::convert,
              .dtype = dtype,
              .from = graph_[id].dtype,
              .eval = must_fit ? host::fitting_conversion : host::conversion(graph_[id].dtype, dtype),
              .operands = {value(id), must_fit ? 0 : -1, -1},
              .result = result});
    }

    /// The number that holds the value of a host scalar in a dtype.
    int read(NodeId id, DType dtype) {
        if (graph_[id].dtype == dtype) return value(id);
        const auto [known, is_new] = conversions_.try_emplace({id, dtype}, 0);
        if (is_new) {
            value(id);
            known->second = next_++;
            store(id, dtype, known->second);
        }
        return known->second;
    }

    /// The number that holds the value of a host scalar.
    int value(NodeId id) {
        if (const auto known = values_.find(id); known != values_.end()) return known->second;
        const int number = compute(id, graph_[id]);
        values_.emplace(id, number);
        return number;
    }

    int compute(NodeId id, const Node& node) {
        if (node.kind == NodeKind::op) return operation(node);
        if (node.kind == NodeKind::on) return value(node.operands[0]);
        if (node.kind == NodeKind::updated) return read(node.operands[update_operand::value], node.dtype);
        if (node.kind == NodeKind::constant)
            return emit({.kind = Kind::constant,
                         .dtype = node.dtype,
                         .operands = {id, -1, -1},
                         .result = next_++,
                         .constant = held(node)});
        if (node.kind == NodeKind::symbol)
            return emit({.kind = Kind::argument,
                         .dtype = node.dtype,
                         .operands = {node.symbol, -1, -1},
                         .result = next_++});
        throw Bug(graph_.name + ": a number of the host is made from elements");
    }

    int operation(const Node& node) {
        const int arity = info_of(node.op).arity;
        Instruction instruction{.kind = Kind::op, .op = node.op};
        instruction.dtype = operand_dtype(graph_, node, arity - 1);
        instruction.eval = host::operation(node.op, instruction.dtype);
        for (int i = 0; i < arity; ++i) {
            const auto at = static_cast<std::size_t>(i);
            instruction.operands[at] = read(node.operands[at], operand_dtype(graph_, node, i));
        }
        instruction.result = next_++;
        return emit(instruction);
    }

    const Graph& graph_;
    ScalarProgram& numbers_;
    std::vector<bool> must_fit_;  // slots whose number int32 must hold
    std::vector<NodeId> states_;  // the last update of each
    std::map<NodeId, int> values_;
    std::map<std::pair<NodeId, DType>, int> conversions_;
    int next_ = 0;
};

ScalarProgram ScalarProgram::of(const Graph& graph) {
    ScalarProgram numbers;
    Compiler(graph, numbers).compile();
    return numbers;
}

int ScalarProgram::slot(NodeId node, DType dtype) const {
    const auto found = std::ranges::find(slots_, HostSlot{.node = node, .dtype = dtype});
    if (found == slots_.end())
        throw Bug("a number of the host has no slot of " + std::string(name_of(dtype)));
    return static_cast<int>(found - slots_.begin());
}

std::vector<aot::NumberRow> ScalarProgram::instructions() const {
    std::vector<aot::NumberRow> rows;
    for (const Instruction& instruction : instructions_) {
        aot::NumberRow& row = rows.emplace_back();
        row.kind = instruction.kind;
        row.result = instruction.result;
        row.dtype = name_of(instruction.dtype).data();
        if (row.kind == Kind::constant)
            row.bits = std::bit_cast<std::uint64_t>(instruction.constant);
        else
            std::ranges::copy(instruction.operands, row.operands);
        if (row.kind == Kind::op) row.name = info_of(instruction.op).name.data();
        if (row.kind == Kind::convert) row.name = name_of(instruction.from).data();
    }
    return rows;
}

}  // namespace frisket::ir
