// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "lower_step.hpp"

#include <algorithm>
#include <optional>

#include "elementwise.hpp"

namespace frisket::codegen {

using lowering::Value;

namespace {

/// Values of an element that the updates of a step store.
class StoredUpdates {
public:
    StoredUpdates(const Graph& graph, const Access& access)
        : graph_(graph), access_(access), values_(graph.nodes.size()), stores_(graph.nodes.size()) {}

    std::vector<Store> run() {
        // In their order, so that no update waits for another.
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id)
            if (graph_[id].is_tensor_update()) stores_[id] = store_of(graph_[id]);
        std::vector<Store> stores;
        for (const NodeId update : graph_.updates)
            if (stores_[update]) stores.push_back(*stores_[update]);
        std::ranges::sort(stores, {}, &Store::symbol);
        return stores;
    }

private:
    /// The value that memory takes for an update: rounded when it is read.
    Store store_of(const Node& update) {
        const DType dtype = graph_.symbols[update.symbol].dtype;
        const Value value = read(update.operands[update_operand::value],
                                 operand_dtype(graph_, update, update_operand::value));
        Store store{.symbol = update.symbol,
                    .value = update.operands[update_operand::seed] == no_node
                                 ? lowering::for_memory(value, dtype)
                                 : rounded_at_random(value, update)};
        const NodeId where = update.operands[update_operand::where],
                     before = update.operands[update_operand::before];
        if (where == no_node || access_.inside_domain) return store;
        const Value& mask = this->value(where);
        store.value = lowering::select(mask, store.value, this->value(before));
        if (!lowering::changes_bytes(dtype)) return store;
        const auto& earlier = stores_[before];
        store.where = !earlier ? mask : earlier->where ? *earlier->where || mask : earlier->where;
        return store;
    }

    Value rounded_at_random(const Value& exact, const Node& update) const {
        const lowering::RandomBits random{
            .place = access_.position(),
            .seed = access_.number(update.operands[update_operand::seed], DType::int64),
            .step = access_.number(update.operands[update_operand::step], DType::int64),
            .first = access_.number(update.operands[update_operand::first], DType::int64),
            .rounding = static_cast<int>(update.integer)};
        return lowering::round_stochastically(exact, graph_.symbols[update.symbol].dtype, random);
    }

    /// A node's value in the dtype of its reader.
    Value read(NodeId id, DType dtype) {
        const Node& node = graph_[id];
        if (!node.is_host_scalar) return lowering::convert(value(id), dtype);
        return node.kind == NodeKind::constant ? constant_of(node, dtype) : access_.number(id, dtype);
    }

    const Value& value(NodeId id) {
        auto& slot = values_[id];
        if (!slot) slot = make(id);
        return *slot;
    }

    Value make(NodeId id) {
        const Node& node = graph_[id];
        if (node.kind == NodeKind::symbol) return access_.load(node.symbol);
        if (node.kind == NodeKind::mask_of) return access_.specified(node.symbol);
        if (node.kind == NodeKind::updated)
            return lowering::convert(stores_[id]->value, graph_.symbols[node.symbol].dtype);
        if (node.kind == NodeKind::constant) return constant_of(node, node.dtype);
        if (!is_elementwise(node.kind))
            throw Bug(graph_.name + ": an instruction that moves elements in an elementwise loop");
        return lower_elementwise(
            graph_, node, [&](int i) { return read(node.operands[i], operand_dtype(graph_, node, i)); },
            [&](NodeId mask) { return value(mask); });
    }

    const Graph& graph_;
    const Access& access_;
    std::vector<std::optional<Value>> values_;
    std::vector<std::optional<Store>> stores_;  // stores of each update
};

}  // namespace

std::vector<Store> stored_updates(const Graph& graph, const Access& access) {
    return StoredUpdates(graph, access).run();
}

}  // namespace frisket::codegen
