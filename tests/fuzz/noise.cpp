// SPDX-License-Identifier: MIT
#include "noise.hpp"

#include "../../ir/rewrite.hpp"
#include "../support/random.hpp"

#include <algorithm>
#include <limits>

namespace fuzz {

namespace {

double epsilon_of(DType dtype) { return dtype == DType::float64 ? 0x1p-52 : 0x1p-23; }

/// Copies a graph and adds noise behind inexact operations.  The noise comes in symbols of its own.
class Disturbed {
public:
    Disturbed(const Graph& graph, const Noise& noise)
        : from_(graph), noise_(noise), random_(noise.seed), to_(graph) {
        to_.rule = [this](NodeId id) { return copy_of(id); };
        to_.copy_all();
    }

    const Graph& graph() const { return to_.graph(); }
    std::vector<Argument> with(std::span<const Argument> given) const {
        std::vector<Argument> arguments(given.begin(), given.end());
        arguments.insert(arguments.end(), tensors_.begin(), tensors_.end());
        return arguments;
    }

private:
    NodeId op(OpId id, std::vector<NodeId> operands, const Node& like) {
        return to_.add({.kind = NodeKind::op,
                        .op = id,
                        .dtype = like.dtype,
                        .operands = std::move(operands),
                        .mask = to_.copy(like.mask),
                        .shape = like.shape});
    }

    NodeId copy_of(NodeId id) {
        const Node& old = from_[id];
        const Node node = to_.copied(id);
        const bool is_float = info_of(node.dtype).is_float && !node.is_host_scalar;
        const bool adds = node.reduction == Reduction::sum, multiplies = node.reduction == Reduction::prod;
        if (node.kind == NodeKind::reduce && is_float && (adds || multiplies)) return reduced(node, old);
        return to_.add(node);
    }

    NodeId reduced(Node node, const Node& old) {
        const Node& x = from_[old.operands[0]];
        const auto terms = static_cast<double>(element_count(x.shape));
        if (noise_.backwards) {
            node.operands[0] = flipped(node.operands[0], x, node);
            if (node.operands[1] != no_node)
                node.operands[1] = flipped(node.operands[1], from_[old.operands[1]], node);
        }
        const NodeId total = to_.add(node);
        const double rounding = epsilon_of(old.dtype) + terms * 0x1p-53;
        const NodeId moved = scaled(total, old, rounding);
        if (node.reduction == Reduction::prod) return saturated(moved, node, old);
        Node size = node;
        size.operands[0] = to_.add({.kind = NodeKind::op,
                                    .op = op_id<op::Abs>,
                                    .dtype = x.dtype,
                                    .operands = {node.operands[0]},
                                    .shape = x.shape});
        size.mask = no_node;
        const NodeId sizes = to_.add(size);
        const NodeId error =
            op(op_id<op::Mul>, {sizes, symbol(old, 0, std::max(terms * 0x1p-52, 0x1p-52))}, old);
        return op(op_id<op::Add>, {moved, error}, old);
    }

    /// A product, or NaN where some of its terms overflow and some underflow: then its value depends on the
    /// order of its terms.
    NodeId saturated(NodeId product, const Node& node, const Node& old) {
        const Node& x = from_[old.operands[0]];
        const auto beyond_one = [&](std::string_view extremum) {
            Node bare = x;
            bare.mask = no_node;
            const NodeId size = op(op_id<op::Abs>, {node.operands[0]}, bare);
            Node terms = node;
            terms.mask = no_node;
            terms.operands[0] = op(find_op(extremum), {size, symbol(bare, 1, 0)}, bare);
            return to_.add(terms);
        };
        Node like = old;
        like.mask = no_node;
        const NodeId both = op(op_id<op::Mul>, {beyond_one("maximum"), beyond_one("minimum")}, like);
        Node condition = like;
        condition.dtype = DType::boolean;
        const NodeId is_unknown = op(find_op("isnan"), {both}, condition);
        return op(find_op("where"), {is_unknown, both, product}, old);
    }

    /// The dimensions that `reduce` drops, backwards.
    NodeId flipped(NodeId id, const Node& like, const Node& reduce) {
        const std::size_t rank = like.shape.size();
        Node view{.kind = NodeKind::view, .dtype = like.dtype, .operands = {id}};
        view.shape = like.shape;
        view.attributes.assign(rank * rank, 0);
        view.offsets.assign(rank, 0);
        for (std::size_t d = 0; d < rank; ++d) view.attributes[d * rank + d] = 1;
        for (const std::int64_t dim : reduce.attributes) {
            const auto d = static_cast<std::size_t>(dim);
            view.attributes[d * rank + d] = -1;
            view.offsets[d] = std::max<std::int64_t>(like.shape[d] - 1, 0);
        }
        return to_.add(view);
    }

    /// A node times 1 plus or minus an error.
    NodeId scaled(NodeId id, const Node& old, double error) {
        return op(op_id<op::Mul>, {id, symbol(old, 1, error)}, old);
    }

    /// A symbol of values around `center`.
    NodeId symbol(const Node& like, double center, double error) {
        AnyTensor values(DType::float64, like.shape);
        auto* to = static_cast<double*>(values.data());
        for (std::int64_t i = 0; i < values.size(); ++i) {
            const bool up =
                noise_.sign == Noise::Sign::random ? random_.below(2) == 1 : noise_.sign == Noise::Sign::up;
            to[i] = center + (up ? error : -error) * noise_.size;
        }
        tensors_.push_back(values.to(like.dtype));
        Node node{.kind = NodeKind::symbol, .dtype = like.dtype};
        node.symbol = static_cast<int>(to_.graph().symbols.size());
        node.shape = like.shape;
        to_.graph().symbols.push_back({.name = "noise" + std::to_string(tensors_.size()),
                                       .kind = SymbolKind::in,
                                       .dtype = like.dtype,
                                       .shape = like.shape});
        return to_.add(node);
    }

    const Graph& from_;
    Noise noise_;
    testing::Random random_;
    ir::Rewriter to_;
    std::deque<AnyTensor> tensors_;
};

}  // namespace

Engine noisy(const Noise& noise) {
    return {.evaluate =
                [noise](const Graph& graph, std::span<const Argument> arguments) {
                    const Disturbed disturbed(graph, noise);
                    return frisket::evaluate(disturbed.graph(), disturbed.with(arguments));
                },
            .run =
                [noise](const Graph& graph, std::span<const Argument> arguments, const Program& /*program*/) {
                    const Disturbed disturbed(graph, noise);
                    frisket::interpret(disturbed.graph(), disturbed.with(arguments));
                }};
}

}  // namespace fuzz
