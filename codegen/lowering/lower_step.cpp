// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "lower_step.hpp"

#include <array>
#include <map>
#include <optional>

#include "../../ir/ops/meanings.hpp"

namespace frisket {

using lowering::Value;

namespace {

/// The meaning of one operation in Values.
template <class Op>
Value apply(std::span<const Value> operands) {
    if constexpr (Op::info.arity == 1)
        return op::Meaning<Op>::eval(operands[0]);
    else if constexpr (Op::info.arity == 2)
        return op::Meaning<Op>::eval(operands[0], operands[1]);
    else
        return op::Meaning<Op>::eval(operands[0], operands[1], operands[2]);
}

using Lowering = Value (*)(std::span<const Value>);

template <class... Op>
constexpr std::array<Lowering, sizeof...(Op)> lowerings_of(OpList<Op...>) {
    return {&apply<Op>...};
}

constexpr auto lowerings = lowerings_of(Ops{});

class Lowerer {
public:
    Lowerer(const Graph& graph, const Access& access)
        : graph_(graph),
          access_(access),
          values_(graph.nodes.size()),
          versions_(graph.symbols.size()),
          where_(graph.symbols.size()) {}

    std::vector<Store> run() {
        for (const Update& update : graph_.updates)
            if (graph_.symbols[update.symbol].kind == SymbolKind::in_out) apply_update(update);
        std::vector<Store> stores;
        for (int symbol = 0; symbol < static_cast<int>(graph_.symbols.size()); ++symbol)
            if (!versions_[symbol].empty())
                stores.push_back({symbol, versions_[symbol].back(), where_[symbol]});
        return stores;
    }

private:
    // Version k of a symbol is what its k-th update leaves, rounded when it is read; 0 is what memory holds.
    Value version(int symbol, int version) {
        if (version > 0)
            return lowering::convert(versions_[symbol][version - 1], graph_.symbols[symbol].dtype);
        auto [at, is_new] = loaded_.try_emplace(symbol);
        if (is_new) at->second = access_.load(symbol);
        return at->second;
    }

    void apply_update(const Update& update) {
        const DType dtype = graph_.symbols[update.symbol].dtype;
        auto& versions = versions_[update.symbol];
        const Value value = read(update.value, rounded_from(graph_, update));
        Value after = update.seed == no_node ? lowering::for_memory(value, dtype)
                                             : rounded_at_random(value, update, versions.size());
        if (update.mask != no_node && !access_.inside_domain) {
            const Value& mask = this->value(update.mask);
            after = lowering::select(mask, after, version(update.symbol, static_cast<int>(versions.size())));
            auto& where = where_[update.symbol];
            if (lowering::changes_bytes(dtype))
                where = versions.empty() ? mask : where ? *where || mask : where;
        } else {
            where_[update.symbol].reset();
        }
        versions.push_back(after);
    }

    Value rounded_at_random(const Value& exact, const Update& update, std::size_t rounding) const {
        const lowering::RandomBits random{.place = access_.position(),
                                          .seed = access_.number(update.seed, DType::int64),
                                          .step = access_.number(update.step, DType::int64),
                                          .rounding = static_cast<int>(rounding)};
        return lowering::round_stochastically(exact, graph_.symbols[update.symbol].dtype, random);
    }

    /// A node's value in the dtype of what reads it.
    Value read(NodeId id, DType dtype) {
        const Node& node = graph_[id];
        if (!node.is_host_scalar) return lowering::convert(value(id), dtype);
        return node.kind == NodeKind::constant ? read_constant(node, dtype) : access_.number(id, dtype);
    }

    static Value read_constant(const Node& node, DType dtype) {
        return node.dtype == DType::int64 ? lowering::constant(node.integer, dtype)
                                          : lowering::constant(node.constant, dtype);
    }

    const Value& value(NodeId id) {
        auto& slot = values_[id];
        if (!slot) slot = make(graph_[id]);
        return *slot;
    }

    Value make(const Node& node) {
        switch (node.kind) {
            case NodeKind::symbol: return version(node.symbol, node.version);
            case NodeKind::mask_of: return access_.specified(node.symbol);
            case NodeKind::on: return read(node.operands[0], node.dtype);
            case NodeKind::to_dense:
                return lowering::select(value(graph_[node.operands[0]].mask),
                                        read(node.operands[0], node.dtype),
                                        read(node.operands[1], node.dtype));
            case NodeKind::constant: return read_constant(node, node.dtype);
            case NodeKind::cast:
                return lowering::convert(read(node.operands[0], operand_dtype(graph_, node, 0)), node.dtype);
            case NodeKind::op: break;
            default: throw Bug(graph_.name + ": an instruction that moves elements in an elementwise loop");
        }
        std::vector<Value> operands;
        operands.reserve(static_cast<std::size_t>(info(node.op).arity));
        for (int i = 0; i < info(node.op).arity; ++i)
            operands.push_back(read(node.operands[i], operand_dtype(graph_, node, i)));
        return apply_op(node.op, operands);
    }

    const Graph& graph_;
    const Access& access_;
    std::vector<std::optional<Value>> values_;
    std::vector<std::vector<Value>> versions_;
    std::vector<std::optional<Value>> where_;
    std::map<int, Value> loaded_;
};

}  // namespace

void check_on_device(const Graph& graph, std::string_view target) {
    for (const Update& update : graph.updates)
        if (update.seed != no_node)
            throw TargetError(graph.name + ": stochastic rounding of " +
                              graph.symbols[static_cast<std::size_t>(update.symbol)].name +
                              " has no loops for target " + std::string(target) + ": choose target cpu");
    for (const Node& node : graph.nodes) {
        if (node.kind != NodeKind::op || node.is_host_scalar) continue;
        const OpInfo& row = info(node.op);
        const DType dtype = operand_dtype(graph, node, row.arity - 1);
        if (on_device(row, dtype)) continue;
        throw TargetError(graph.name + ": " + std::string(row.name) + " of " + std::string(name_of(dtype)) +
                          " has no loops for target " + std::string(target) +
                          ": choose target cpu, or write it with other operations");
    }
}

Value apply_op(OpId op, std::span<const Value> operands) {
    info(op);  // refuses what is no operation
    return lowerings[static_cast<std::size_t>(op)](operands);
}

std::vector<Store> lower(const Graph& graph, const Access& access) { return Lowerer(graph, access).run(); }

}  // namespace frisket
