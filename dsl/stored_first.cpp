// SPDX-License-Identifier: MIT
#include "stored_first.hpp"

#include "../runtime/layouts/row.hpp"
#include "arrays.hpp"
#include "stored_moves.hpp"
#include "stored_products.hpp"
#include "stored_reductions.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace frisket {

namespace {

/// What becomes of an instruction.
enum class Way : std::uint8_t { keep, reduce, move, pass, view_dense, product_mask, product };

AnyTensor in_one_line(std::span<const ListedValues> parts) {
    if (parts.size() == 1) return parts[0].values;
    std::int64_t count = 0;
    for (const ListedValues& part : parts) count += part.list->size();
    AnyTensor made(parts[0].values.dtype(), {count});
    auto* to = static_cast<std::byte*>(made.data());
    for (const ListedValues& part : parts) {
        const auto bytes = static_cast<std::size_t>(part.list->size() * bytes_of(made.dtype()));
        if (bytes != 0) std::memcpy(to, part.values.data(), bytes);
        to += bytes;
    }
    return made;
}

class ListsFirst {
public:
    ListsFirst(const Graph& graph, std::span<const Argument> arguments, const Listing& listing)
        : graph_(graph),
          arguments_(arguments),
          operands_(graph, arguments, listing),
          rest_(graph, arguments) {
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
            if (const auto product = list_product(operands_, id)) products_.emplace(graph[id].mask, *product);
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) ways_.push_back(way_of(id));
    }

    bool is_any() const {
        return std::ranges::any_of(ways_, [](Way way) { return way != Way::keep && way != Way::view_dense; });
    }

    std::vector<Result> run(const RunGraph& run) {
        std::vector<NodeId> wanted;
        for (NodeId id = 0; id < static_cast<NodeId>(ways_.size()); ++id)
            for (const NodeId operand : read_by(id))
                if (operand != no_node && is_prepared(id, operand)) wanted.push_back(operand);
        std::ranges::sort(wanted);
        const auto twice = std::ranges::unique(wanted);
        wanted.erase(twice.begin(), twice.end());
        operands_.prepare(wanted, run);
        for (NodeId id = 0; id < static_cast<NodeId>(ways_.size()); ++id) make(id, run);
        return rest_.run(run);
    }

private:
    Way way(NodeId id) const { return ways_[static_cast<std::size_t>(id)]; }
    bool will_be_listed(NodeId id) const {
        return way(id) == Way::reduce || way(id) == Way::move || way(id) == Way::pass;
    }
    /// Whether an operand can be had as a list.
    bool can_list(NodeId id) const {
        return operands_.is_list(id) || will_be_listed(id) || operands_.nodes().lists(id);
    }
    bool is_dense(NodeId id) const { return operands_.reads_no_list(id) && graph_[id].mask == no_node; }
    bool can_read(NodeId matrix) const { return is_dense(matrix) || can_list(matrix); }

    Way way_of(NodeId id) const {
        const Node& node = graph_[id];
        if (const auto product = products_.find(id); product != products_.end())
            if (can_read(product->second.left) && can_read(product->second.right)) return Way::product_mask;
        if (const auto product = products_.find(node.mask); product != products_.end())
            if (product->second.id == id && way(node.mask) == Way::product_mask) return Way::product;
        if (operands_.nodes().reduces(id)) return Way::reduce;
        if (node.kind == NodeKind::cat && node.attributes.size() == 1) {
            const bool is_listed = std::ranges::all_of(node.operands, [&](NodeId x) { return can_list(x); });
            return is_listed ? Way::move : Way::keep;
        }
        if (node.kind != NodeKind::view && node.kind != NodeKind::reshape) return Way::keep;
        const NodeId x = node.operands[0];
        if (keeps_order(graph_, node)) return will_be_listed(x) ? Way::pass : Way::keep;
        if (graph_[x].kind == NodeKind::symbol && graph_[x].mask == no_node && !graph_[x].weak &&
            operands_.reads_no_list(x))
            return Way::view_dense;
        return shows_once(node) && can_list(x) ? Way::move : Way::keep;
    }

    std::vector<NodeId> read_by(NodeId id) const {
        switch (way(id)) {
            case Way::reduce:
            case Way::move: return graph_[id].operands;
            case Way::product_mask: return read_by(products_.at(id));
            default: return {};
        }
    }
    std::vector<NodeId> read_by(const ListProduct& product) const {
        return {product.left, graph_[product.left].mask, product.right, graph_[product.right].mask};
    }
    /// Whether an operand is evaluated at the places.
    bool is_prepared(NodeId id, NodeId operand) const {
        if (way(id) == Way::reduce) return true;
        return !operands_.is_list(operand) && !will_be_listed(operand) && !operands_.reads_no_list(operand);
    }

    ListedValues listed(NodeId id) const {
        const ListedValues* const made = rest_.made(id);
        return made != nullptr ? *made : operands_.listed(id);
    }

    void make(NodeId id, const RunGraph& run) {
        const Node& node = graph_[id];
        switch (way(id)) {
            case Way::keep: return rest_.keep();
            case Way::reduce: return rest_.take(reductions_.made(id, rest_));
            case Way::move: return rest_.take(moved(id));
            case Way::pass: return rest_.take(ListedValues(*rest_.made(node.operands[0])));
            case Way::view_dense: return rest_.take(view_of_dense(node));
            case Way::product_mask: return rest_.take_mask_of(product(products_.at(id), run));
            case Way::product: return rest_.take_values();
        }
    }

    AnyTensor view_of_dense(const Node& node) const {
        const auto symbol = static_cast<std::size_t>(graph_[node.operands[0]].symbol);
        return arrays::view(arguments_[symbol].as_masked().values(), node.attributes, node.offsets,
                            node.shape);
    }

    ListedValues moved(NodeId id) {
        const Node& node = graph_[id];
        std::vector<ListedValues> parts;
        for (const NodeId operand : node.operands) parts.push_back(listed(operand));
        const Moved& moved = where(node, parts);
        const ListedValues made{.list = moved.list, .values = gathered(in_one_line(parts), moved.entries)};
        const ListedValues* const mask = rest_.made(node.mask);
        return mask != nullptr ? restricted(made, mask->list) : made;
    }

    /// Values and mask go the same way: they share their list.
    const Moved& where(const Node& node, std::span<const ListedValues> parts) {
        std::vector<std::shared_ptr<const IndexList>> lists;
        std::vector<Shape> shapes;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            lists.push_back(parts[i].list);
            shapes.push_back(graph_[node.operands[i]].shape);
        }
        auto [at, is_new] = moved_.try_emplace({lists, node.shape, node.attributes, node.offsets});
        if (is_new)
            at->second = node.kind == NodeKind::cat
                             ? joined(lists, shapes, static_cast<int>(node.attributes[0]))
                             : viewed(*lists[0], shapes[0], node);
        return at->second;
    }

    AnyMasked product(const ListProduct& product, const RunGraph& run) const {
        const DType dtype = graph_[product.id].dtype;
        const auto factor = [&](NodeId id) {
            ListedValues made;
            if (is_dense(id))
                made.values = operands_.dense(id, run);
            else
                made = specified(id);
            if (!made.values.is_contiguous()) made.values = made.values.clone();
            made.values = arrays::convert(made.values, dtype);
            return made;
        };
        const Shape& terms = graph_[graph_[product.id].operands[0]].shape;
        return multiplied({.left = factor(product.left),
                           .right = factor(product.right),
                           .rows = terms[0],
                           .inner = terms[1],
                           .columns = terms[2]});
    }
    /// What is listed of a masked matrix, as its mask says.
    ListedValues specified(NodeId id) const {
        const ListedValues made = listed(id);
        const NodeId mask = graph_[id].mask;
        return mask == no_node || operands_.is_list(id) ? made : restricted(made, listed(mask).list);
    }

    const Graph& graph_;
    std::span<const Argument> arguments_;
    StoredOperands operands_;
    Rest rest_;
    ListReductions reductions_{operands_};
    std::vector<Way> ways_;                   // of each instruction
    std::map<NodeId, ListProduct> products_;  // by their masks
    std::map<std::tuple<std::vector<std::shared_ptr<const IndexList>>, Shape, std::vector<std::int64_t>,
                        std::vector<std::int64_t>>,
             Moved>
        moved_;
};

}  // namespace

std::optional<std::vector<Result>> run_lists_first(const Graph& graph, std::span<const Argument> arguments,
                                                   const Listing& listing, const RunGraph& run) {
    ListsFirst lists(graph, arguments, listing);
    if (!lists.is_any()) return {};
    return lists.run(run);
}

}  // namespace frisket
