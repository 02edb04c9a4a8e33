// SPDX-License-Identifier: MIT
#include "simplify.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <utility>

namespace frisket::ir {

namespace {

/// Number by which index `dim` of the operand grows with index `j` of a view.
std::int64_t& step(Node& view, std::size_t dim, std::size_t j) {
    return view.attributes[dim * view.shape.size() + j];
}
std::int64_t step(const Node& view, std::size_t dim, std::size_t j) {
    return view.attributes[dim * view.shape.size() + j];
}

class Simplifier {
public:
    explicit Simplifier(const Graph& graph) : to_(graph) {
        to_.rule = [this](NodeId old) { return std::optional(simple(to_.copied(old))); };
    }

    Graph run() {
        to_.copy_all();
        return to_.finish();
    }

private:
    NodeId simple(Node node) {
        switch (node.kind) {
            case NodeKind::view: return view(std::move(node));
            case NodeKind::reshape: return reshape(std::move(node));
            case NodeKind::reduce: return reduction(std::move(node));
            case NodeKind::cast:
                return node.dtype == to_[node.operands[0]].dtype ? unless_same(std::move(node))
                                                                 : to_.add(std::move(node));
            case NodeKind::on: return unless_same(std::move(node));
            default: return to_.add(std::move(node));
        }
    }

    /// The operand, if the node is the same tensor under the same mask.
    NodeId unless_same(Node node) {
        const NodeId id = node.operands[0];
        const Node& operand = to_[id];
        const bool is_same = operand.shape == node.shape && operand.mask == node.mask &&
                             operand.is_host_scalar == node.is_host_scalar && operand.dtype == node.dtype;
        return is_same ? id : to_.add(std::move(node));
    }

    NodeId view(Node node) {
        if (const Node& inner = to_[node.operands[0]]; inner.kind == NodeKind::view)
            node = composed(node, inner);
        return shows_all(node) ? unless_same(std::move(node)) : to_.add(std::move(node));
    }

    /// A view of a view's operand.
    static Node composed(const Node& outer, const Node& inner) {
        Node node = outer;
        node.operands = inner.operands;
        const std::size_t rank = outer.shape.size(), between = inner.shape.size();
        const std::size_t dims = between == 0 ? inner.offsets.size() : inner.attributes.size() / between;
        node.attributes.assign(dims * rank, 0);
        for (std::size_t d = 0; d < dims; ++d)
            for (std::size_t i = 0; i < between; ++i)
                for (std::size_t j = 0; j < rank; ++j)
                    step(node, d, j) += step(inner, d, i) * step(outer, i, j);
        if (outer.offsets.empty() && inner.offsets.empty()) return node;
        node.offsets = inner.offsets;
        node.offsets.resize(dims, 0);
        for (std::size_t i = 0; i < outer.offsets.size(); ++i)
            for (std::size_t d = 0; d < dims; ++d) node.offsets[d] += step(inner, d, i) * outer.offsets[i];
        return node;
    }

    /// True of a view of the elements of its operand at their own places.
    bool shows_all(const Node& view) const {
        if (!view.offsets.empty() || to_[view.operands[0]].shape != view.shape) return false;
        const std::size_t rank = view.shape.size();
        for (std::size_t d = 0; d < rank; ++d)
            for (std::size_t j = 0; j < rank; ++j)
                if (step(view, d, j) != (d == j ? 1 : 0)) return false;
        return true;
    }

    NodeId reshape(Node node) {
        if (const Node& inner = to_[node.operands[0]]; inner.kind == NodeKind::reshape)
            node.operands = inner.operands;
        return unless_same(std::move(node));
    }

    /// A reduction of what its operand repeats along kept dimensions is repeated along them.
    NodeId reduction(Node node) {
        const bool is_plain =
            node.mask == no_node && node.operands.size() == 2 && node.operands[1] == no_node;
        if (!is_plain || to_[node.operands[0]].kind != NodeKind::view ||
            to_[node.operands[0]].mask != no_node)
            return to_.add(std::move(node));
        const Node seen = to_[node.operands[0]];
        const std::size_t rank = seen.shape.size(), dims = rank == 0 ? 0 : seen.attributes.size() / rank;
        std::vector<std::size_t> left;  // dimensions of the operand that stay
        std::vector<bool> is_repeated;  // for each dimension of the result
        std::vector<std::int64_t> reduced;
        for (std::size_t j = 0; j < rank; ++j) {
            const bool is_reduced =
                std::ranges::find(node.attributes, static_cast<std::int64_t>(j)) != node.attributes.end();
            bool varies = false;
            for (std::size_t d = 0; d < dims; ++d) varies = varies || step(seen, d, j) != 0;
            if (is_reduced) reduced.push_back(static_cast<std::int64_t>(left.size()));
            if (is_reduced || varies) left.push_back(j);
            if (!is_reduced) is_repeated.push_back(!varies);
        }
        if (left.size() == rank) return to_.add(std::move(node));
        return repeated(std::move(node), reduced_once(node, seen, left, reduced), is_repeated);
    }

    /// The reduction without the dimensions that are repeated.
    NodeId reduced_once(const Node& node, const Node& seen, const std::vector<std::size_t>& left,
                        const std::vector<std::int64_t>& reduced) {
        Node operand = seen;
        operand.shape.clear();
        for (const std::size_t j : left) operand.shape.push_back(seen.shape[j]);
        const std::size_t dims = seen.attributes.size() / seen.shape.size();
        operand.attributes.assign(dims * left.size(), 0);
        for (std::size_t d = 0; d < dims; ++d)
            for (std::size_t j = 0; j < left.size(); ++j) step(operand, d, j) = step(seen, d, left[j]);
        Node once = node;
        once.operands[0] = view(std::move(operand));
        once.attributes = reduced;
        once.shape.clear();
        for (std::size_t j = 0; j < left.size(); ++j)
            if (std::ranges::find(reduced, static_cast<std::int64_t>(j)) == reduced.end())
                once.shape.push_back(seen.shape[left[j]]);
        return to_.add(std::move(once));
    }

    /// A view of `once` with the shape of `node`.
    NodeId repeated(Node node, NodeId once, const std::vector<bool>& is_repeated) {
        const std::size_t dims = to_[once].shape.size(), rank = node.shape.size();
        Node view{.kind = NodeKind::view, .dtype = node.dtype, .operands = {once}, .shape = node.shape};
        view.attributes.assign(dims * rank, 0);
        std::size_t d = 0;
        for (std::size_t j = 0; j < rank; ++j)
            if (!is_repeated[j]) step(view, d++, j) = 1;
        return to_.add(std::move(view));
    }

    Rewriter to_;
};

}  // namespace

Graph simplified(const Graph& graph) { return Simplifier(graph).run(); }

}  // namespace frisket::ir
