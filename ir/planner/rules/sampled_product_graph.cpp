// SPDX-License-Identifier: MIT
#include "sampled_product_graph.hpp"
#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "../../shown_elements.hpp"
#include "../plan.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

/// The run of an index: along a dimension of the sampled shape, counted from its last one, or an int64 node.
struct Axis {
    NodeId index = no_node;
    int from_last = 0;
    auto operator<=>(const Axis&) const = default;
};

/// Place at which a node is read: an axis for each of its dimensions, over a shape that ends in the list.
struct IndexTuple {
    Shape shape;
    std::vector<Axis> axes;
    auto operator<=>(const IndexTuple&) const = default;
};

class Sampler {
public:
    Sampler(const Graph& from, const std::vector<int>& same_mask,
            const std::function<bool(std::int64_t)>& is_above)
        : from_(from), same_mask_(same_mask), is_above_(is_above), builder_(from, from.name) {
        builder_.rule = [this](NodeId id) { return symbol_as_it_is(id); };
        const Shape& space = from.symbols[at(same_mask[0])].shape;
        list_.shape = {coordinate_extent};
        for (std::size_t d = 0; d < space.size(); ++d)
            list_.axes.push_back({.index = source("#at" + std::to_string(d), SampleSource::Kind::index,
                                                  static_cast<int>(d), DType::int64)});
        everywhere_ = builder_.add(
            {.kind = NodeKind::cast, .dtype = DType::boolean, .operands = {builder_.constant(true)}});
        zero_ = builder_.add({.kind = NodeKind::cast,
                              .dtype = DType::int64,
                              .operands = {builder_.constant(std::int64_t{0})}});
    }

    SampledGraph run() {
        std::vector<NodeId> results;
        for (const NodeId id : from_.results) {
            Node result{.kind = NodeKind::on, .dtype = from_[id].result_dtype(), .shape = list_.shape};
            result.operands = {spread(read(id, list_), list_)};
            const NodeId mask = read(from_[id].mask, list_);
            if (mask == everywhere_) {
                result.kind = NodeKind::cast;
            } else {
                result.mask = spread(mask, list_);
                result.operands.push_back(result.mask);
            }
            results.push_back(builder_.add(result));
        }
        for (const Check& check : from_.checks)
            builder_.check(check.code, builder_.copy(check.elements), no_node, check.text,
                           builder_.copy(check.value));
        SampledGraph made{.graph = builder_.expression(results), .sources = {}, .spares = spares_};
        for (const Symbol& symbol : made.graph.symbols) made.sources.push_back(sources_.at(symbol.name));
        return made;
    }

private:
    /// A symbol over the list.
    NodeId source(const std::string& name, SampleSource::Kind kind, int which, DType dtype) {
        sources_[name] = {.kind = kind, .which = which};
        return builder_.symbol(name, SymbolKind::in, dtype, list_.shape);
    }

    /// The copy of a symbol, or of its mask, in copies of nodes as they are.
    std::optional<NodeId> symbol_as_it_is(NodeId id) {
        const Node& node = from_[id];
        if (node.symbol < 0) return {};
        const Symbol& symbol = from_.symbols[at(node.symbol)];
        sources_[symbol.name] = {.kind = SampleSource::Kind::given, .which = node.symbol};
        const NodeId made = builder_.symbol(symbol.name, symbol.kind, symbol.dtype, symbol.shape);
        if (node.kind == NodeKind::mask_of) return builder_[made].mask;
        if (node.mask == no_node || from_[node.mask].symbol == node.symbol) return made;
        // A list may store more than is specified.
        Node restricted = builder_[made];
        restricted.mask = builder_.copy(node.mask);
        return builder_.add(std::move(restricted));
    }

    /// A node at a `Place`: with its shape, or of rank 0 and the same everywhere.
    NodeId read(NodeId id, const IndexTuple& place) {
        const Node& node = from_[id];
        if (node.is_host_scalar || node.shape.empty()) return builder_.copy(id);
        const std::pair key{id, place};
        if (const auto known = read_.find(key); known != read_.end()) return known->second;
        const NodeId made = make(id, node, place);
        read_.emplace(key, made);
        return made;
    }

    NodeId make(NodeId id, const Node& node, const IndexTuple& place) {
        if (is_elementwise(node.kind))
            return node.symbol >= 0 ? of_symbol(id, node, place) : elementwise(node, place);
        if (node.kind == NodeKind::coordinate)
            return spread(number(place.axes[at(static_cast<int>(node.attributes[0]))], place), place);
        if (node.kind == NodeKind::view)
            return spread(read(node.operands[0], view_index(node, place)), place);
        return node.kind == NodeKind::reduce ? reduce(id, node, place) : taken(id, place);
    }

    NodeId of_symbol(NodeId id, const Node& node, const IndexTuple& place) {
        if (place.axes != list_.axes || std::ranges::find(same_mask_, node.symbol) == same_mask_.end())
            return taken(id, place);
        if (node.kind == NodeKind::mask_of) return everywhere_;
        const Symbol& symbol = from_.symbols[at(node.symbol)];
        const NodeId listed =
            source("#" + symbol.name, SampleSource::Kind::listed, node.symbol, symbol.dtype);
        if (place.shape == list_.shape) return listed;
        Node made{.kind = NodeKind::gather, .dtype = builder_[listed].dtype, .operands = {listed}};
        made.attributes = {static_cast<std::int64_t>(place.shape.size()) - 1};
        made.shape = place.shape;
        return builder_.add(made);
    }

    NodeId elementwise(const Node& node, const IndexTuple& place) {
        const auto read_from = [&](NodeId operand) {
            return operand == no_node ? no_node : read(operand, broadcast_index(operand, node.shape, place));
        };
        Node made = node;
        ir::for_each_id(made, [&](NodeId& operand) { operand = read_from(operand); });
        made.shape = place.shape;
        if (node.kind == NodeKind::to_dense && builder_[made.operands[0]].mask == no_node) {
            // Read at the list, an operand may have lost its mask.
            made.kind = NodeKind::op;
            made.op = op_id<op::Where>;
            made.operands.insert(made.operands.begin(), read_from(from_[node.operands[0]].mask));
        }
        if (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>) {
            if (made.operands[0] == everywhere_) return made.operands[1];
            if (made.operands[1] == everywhere_) return made.operands[0];
        }
        return builder_.add(made);
    }

    /// Reduced dimensions come before the list, in their order.
    NodeId reduce(NodeId id, const Node& node, const IndexTuple& place) {
        const NodeId x = node.operands[0], where = node.operands[1];
        const Shape shape = reduced_shape(from_, node);
        if (!can_be_sampled(from_, node) || !has_less_than(element_count(node.shape), place))
            return taken(id, place);
        spares_ = true;
        IndexTuple inner{.shape = {}, .axes = {}};
        for (const std::int64_t dim : node.attributes)
            inner.shape.push_back(shape[at(static_cast<int>(dim))]);
        inner.shape.insert(inner.shape.end(), place.shape.begin(), place.shape.end());
        int reduced = static_cast<int>(inner.shape.size());
        auto kept = place.axes.begin();
        for (std::size_t d = 0; d < shape.size(); ++d)
            inner.axes.push_back(ir::reduces(node, d) ? Axis{.from_last = --reduced} : *kept++);
        Node made = node;
        const auto factor = [&](NodeId one) {
            return spread(read(one, broadcast_index(one, shape, inner)), inner);
        };
        made.operands[0] = factor(x);
        if (is_product(node)) made.operands[2] = factor(node.operands[2]);
        if (where != no_node) made.operands[1] = read(where, broadcast_index(where, shape, inner));
        if (node.mask != no_node) made.mask = read(node.mask, broadcast_index(node.mask, node.shape, place));
        for (std::size_t i = 0; i < made.attributes.size(); ++i)
            made.attributes[i] = static_cast<std::int64_t>(i);
        made.shape = place.shape;
        return builder_.add(made);
    }

    /// True if a `Place` has less elements than `count`.
    bool has_less_than(std::int64_t count, const IndexTuple& place) const {
        if (count == 0) return false;
        const std::int64_t of_each = element_count(std::span(place.shape).first(place.shape.size() - 1));
        return of_each == 0 || !is_above_((count - 1) / of_each);
    }

    /// All of a node, read at a `Place`.
    NodeId taken(NodeId id, const IndexTuple& place) {
        const Node& node = from_[id];
        Node made{.kind = NodeKind::gather, .dtype = node.result_dtype(), .operands = {builder_.copy(id)}};
        for (const Axis& axis : place.axes) {
            if (axis.index == no_node) {
                made.attributes.push_back(static_cast<std::int64_t>(place.shape.size()) - 1 - axis.from_last);
                continue;
            }
            made.attributes.push_back(-static_cast<std::int64_t>(made.operands.size()));
            made.operands.push_back(axis.index);
        }
        if (node.mask != no_node) made.mask = read(node.mask, broadcast_index(node.mask, node.shape, place));
        made.shape = place.shape;
        return builder_.add(made);
    }

    /// A value that is constant, broadcast to the shape of a `Place`.
    NodeId spread(NodeId id, const IndexTuple& place) {
        if (builder_[id].shape == place.shape) return id;
        Node made{.kind = NodeKind::view, .dtype = builder_[id].result_dtype(), .operands = {id}};
        const std::size_t rank = builder_[id].shape.size(), missing = place.shape.size() - rank;
        made.attributes.assign(rank * place.shape.size(), 0);
        for (std::size_t d = 0; d < rank; ++d) made.attributes[d * place.shape.size() + missing + d] = 1;
        made.shape = place.shape;
        return builder_.add(made);
    }

    /// Place at which an elementwise node of this shape reads an operand that it broadcasts.
    IndexTuple broadcast_index(NodeId operand, const Shape& shape, const IndexTuple& place) const {
        const Shape& own = from_[operand].shape;
        const std::size_t added = shape.size() - own.size();
        IndexTuple seen{.shape = place.shape, .axes = {}};
        for (std::size_t d = 0; d < own.size(); ++d) {
            const bool repeated = own[d] == 1 && shape[d + added] != 1;
            seen.axes.push_back(repeated ? Axis{.index = zero_} : place.axes[d + added]);
        }
        return seen;
    }

    IndexTuple view_index(const Node& view, const IndexTuple& place) {
        const std::size_t rank = view.shape.size();
        IndexTuple seen{.shape = place.shape, .axes = {}};
        for (std::size_t d = 0; d < from_[view.operands[0]].shape.size(); ++d) {
            const std::int64_t offset = view.offsets.empty() ? 0 : view.offsets[d];
            std::optional<Axis> sum;
            if (offset != 0) sum = Axis{.index = offset_of(offset)};
            for (std::size_t j = 0; j < rank; ++j) {
                const std::int64_t step = view.attributes[d * rank + j];
                if (step == 0) continue;
                Axis term = place.axes[j];
                if (step != 1)
                    term.index = builder_.apply<op::Mul>({number(term, place), builder_.constant(step)});
                if (sum) term.index = builder_.apply<op::Add>({sum->index, number(term, place)});
                sum = term;
            }
            seen.axes.push_back(sum.value_or(Axis{.index = zero_}));
        }
        return seen;
    }

    /// A number of the call, no part of the loops.
    NodeId offset_of(std::int64_t offset) {
        return builder_.add(
            {.kind = NodeKind::size, .dtype = DType::int64, .offsets = {offset}, .shape = {}});
    }

    NodeId number(const Axis& axis, const IndexTuple& place) {
        if (axis.index != no_node) return axis.index;
        Node made{.kind = NodeKind::coordinate, .dtype = DType::int64};
        made.attributes = {static_cast<std::int64_t>(place.shape.size()) - 1 - axis.from_last};
        made.shape = place.shape;
        return builder_.add(made);
    }

    const Graph& from_;
    const std::vector<int>& same_mask_;
    const std::function<bool(std::int64_t)>& is_above_;
    ir::Rewriter builder_;
    IndexTuple list_;
    NodeId everywhere_ = no_node, zero_ = no_node;
    bool spares_ = false;
    std::map<std::string, SampleSource> sources_;
    std::map<std::pair<NodeId, IndexTuple>, NodeId> read_;
};

}  // namespace

bool can_be_sampled(const Graph& graph, const Node& node) {
    if (node.kind != NodeKind::reduce) return false;
    return !ir::reduces(node, reduced_shape(graph, node).size() - 1);
}

SampledGraph sampled_graph(const Graph& graph, const std::vector<int>& same_mask,
                           const std::function<bool(std::int64_t)>& is_above) {
    return Sampler(graph, same_mask, is_above).run();
}

}  // namespace frisket::planning
