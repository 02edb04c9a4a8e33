// SPDX-License-Identifier: MIT
#include "batch_slices.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <cstddef>

namespace frisket::planning {

namespace {

using ir::at;

/// Finds from the results on which values have the batch as their dimension 0.
class BatchSearch {
public:
    explicit BatchSearch(const Graph& graph) : graph_(graph), found_(graph.nodes.size()) {}

    std::optional<BatchSlices> run() {
        for (const NodeId id : graph_.results) {
            const Shape& shape = graph_[id].shape;
            if (shape.empty() || (extent_ != 0 && shape[0] != extent_)) return {};
            extent_ = shape[0];
            mark(id, true);
        }
        for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) visit(id);
        if (extent_ < 2 || is_mixed_) return {};
        BatchSlices slices{extent_, std::vector<bool>(graph_.symbols.size()), {}};
        for (std::size_t i = 0; i < found_.size(); ++i) {
            slices.is_batched.push_back(found_[i] == Found::batched);
            const int symbol = graph_.nodes[i].symbol;
            if (symbol >= 0 && found_[i] == Found::batched) slices.is_sliced[at(symbol)] = true;
        }
        return has_symbols_of(slices) ? std::optional(std::move(slices)) : std::nullopt;
    }

private:
    enum class Found : std::uint8_t { unread, whole, batched };

    /// True if a symbol is sliced for all nodes that read it, or for none.
    bool has_symbols_of(const BatchSlices& slices) const {
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const int symbol = graph_.nodes[i].symbol;
            if (symbol >= 0 && found_[i] == Found::whole && slices.is_sliced[at(symbol)]) return false;
        }
        return true;
    }

    void mark(NodeId id, bool is_batched) {
        if (id == no_node) return;
        Found& found = found_[at(id)];
        const Found wanted = is_batched ? Found::batched : Found::whole;
        is_mixed_ = is_mixed_ || (found != Found::unread && found != wanted);
        found = wanted;
        if (is_batched) is_mixed_ = is_mixed_ || graph_[id].shape.empty() || graph_[id].shape[0] != extent_;
    }

    /// Marks nodes that broadcast to `shape`, whose dimension 0 is the batch.
    void mark_broadcast(NodeId id, const Shape& shape) {
        if (id == no_node) return;
        const Shape& own = graph_[id].shape;
        mark(id, own.size() == shape.size() && own[0] != 1);
    }

    void visit(NodeId id) {
        const Node& node = graph_[id];
        if (found_[at(id)] == Found::unread) return;
        if (found_[at(id)] == Found::whole) {
            is_mixed_ = is_mixed_ || is_product(node);  // each slice would compute it
            ir::for_each_id(node, [&](NodeId operand) { mark(operand, false); });
            return;
        }
        mark_broadcast(node.mask, node.shape);
        if (node.kind == NodeKind::view) return visit_view(node);
        const NodeKindInfo& info = info_of(node.kind);
        const bool has_dims = info.attributes_are_dims, is_reshape = node.kind == NodeKind::reshape;
        if (!info.is_elementwise && !has_dims && !is_reshape) is_mixed_ = true;
        if (has_dims && std::ranges::find(node.attributes, 0) != node.attributes.end()) is_mixed_ = true;
        const Shape shape = is_along_dims(node.kind) ? reduced_shape(graph_, node) : node.shape;
        for (const NodeId operand : node.operands)
            if (is_reshape || node.kind == NodeKind::cat)
                mark(operand, true);
            else
                mark_broadcast(operand, shape);
    }

    /// The operand's dimension 0 is the view's, or no dimension of it is.
    void visit_view(const Node& view) {
        const std::size_t rank = view.shape.size(), dims = view.attributes.size() / rank;
        const auto factor = [&](std::size_t dim, std::size_t of) { return view.attributes[dim * rank + of]; };
        const bool has_batch = dims > 0 && factor(0, 0) == 1;
        for (std::size_t dim = has_batch ? 1 : 0; dim < dims; ++dim)
            is_mixed_ = is_mixed_ || factor(dim, 0) != 0;
        for (std::size_t of = 1; has_batch && of < rank; ++of) is_mixed_ = is_mixed_ || factor(0, of) != 0;
        if (has_batch && !view.offsets.empty()) is_mixed_ = is_mixed_ || view.offsets[0] != 0;
        mark(view.operands[0], has_batch);
    }

    const Graph& graph_;
    std::vector<Found> found_;
    std::int64_t extent_ = 0;
    bool is_mixed_ = false;
};

}  // namespace

std::optional<BatchSlices> batch_slices(const Graph& graph) { return BatchSearch(graph).run(); }

Graph with_items(Graph graph, const BatchSlices& slices, std::int64_t items) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        if (slices.is_batched[i]) graph.nodes[i].shape[0] = items;
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        if (slices.is_sliced[i]) graph.symbols[i].shape[0] = items;
    return graph;
}

}  // namespace frisket::planning
