// SPDX-License-Identifier: MIT
#include "stored_reductions.hpp"

#include "../runtime/layouts/row.hpp"
#include "arrays.hpp"
#include "arrays_walk.hpp"
#include "stored_call.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace frisket {

namespace {

using List = std::shared_ptr<const IndexList>;

/// What is listed, put together in slices.
struct Slices {
    Shape shape;                          ///< of the dimensions that stay
    List list;                            ///< row-major positions of the slices
    CoalescePlan entries;                 ///< of each slice
    std::vector<std::int64_t> positions;  ///< of each entry: row-major within the dimensions that go
};

Slices slices_of(std::span<const std::int64_t> places, const Shape& shape,
                 std::span<const std::int64_t> dims) {
    Slices made;
    const auto goes = [&](std::size_t d) {
        return std::ranges::find(dims, static_cast<std::int64_t>(d)) != dims.end();
    };
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!goes(d)) made.shape.push_back(shape[d]);
    std::vector<std::int64_t> kept;
    for (std::int64_t rest : places) {
        std::int64_t slice = 0, slices = 1, position = 0, positions = 1;
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
            std::int64_t& at = goes(d) ? position : slice;
            std::int64_t& step = goes(d) ? positions : slices;
            at += rest % shape[d] * step;
            step *= shape[d];
        }
        kept.push_back(slice);
        made.positions.push_back(position);
    }
    made.list = std::make_shared<const IndexList>(std::move(kept), element_count(made.shape));
    if (!made.list->is_coalesced()) {
        made.entries = made.list->plan();
        made.list = List(made.list, &made.list->unique());
        return made;
    }
    made.entries.order.resize(places.size());
    made.entries.start.resize(places.size() + 1);
    std::iota(made.entries.order.begin(), made.entries.order.end(), std::int64_t{0});
    std::iota(made.entries.start.begin(), made.entries.start.end(), std::int64_t{0});
    return made;
}

/// Some slices of a list.
struct Chosen {
    List list;
    std::vector<std::int64_t> slices;  ///< their numbers among all
};

Chosen all_of(const Slices& slices) {
    Chosen made{.list = slices.list, .slices = {}};
    made.slices.resize(static_cast<std::size_t>(slices.list->size()));
    std::iota(made.slices.begin(), made.slices.end(), std::int64_t{0});
    return made;
}

/// Those for which a bool is true.
Chosen true_of(const Slices& slices, const AnyTensor& values) {
    Chosen made;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < values.size(); ++i) {
        if (!arrays::element<bool>(values, i)) continue;
        made.slices.push_back(i);
        indices.push_back((*slices.list)[i]);
    }
    made.list = std::ssize(indices) == values.size()
                    ? slices.list
                    : std::make_shared<const IndexList>(std::move(indices), slices.list->bound());
    return made;
}

/// The reductions of a graph that are made first.
class Reductions {
public:
    Reductions(const Graph& graph, const StoredNodes& nodes, const Places& places,
               std::span<const Argument> arguments)
        : graph_(graph), nodes_(nodes), places_(places), arguments_(arguments) {}

    /// Evaluates what they read.
    void prepare(const RunGraph& run) {
        Graph wanted = graph_;
        wanted.results.clear();
        wanted.checks.clear();
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
            if (!nodes_.reduces(id)) continue;
            for (const NodeId operand : graph_[id].operands)
                if (operand != no_node && !read_given(operand)) wanted.results.push_back(operand);
        }
        if (wanted.results.empty()) return;
        const std::vector<NodeId> ids = wanted.results;
        const StoredCall call = stored_call(std::move(wanted), nodes_, places_, arguments_);
        const std::vector<Result> found = run(call.graph, call.arguments);
        for (std::size_t i = 0; i < ids.size(); ++i) operands_[ids[i]] = in_line(found[i].values);
    }

    const Slices& slices(NodeId id) {
        const Node& node = graph_[id];
        const Shape& shape = graph_[node.operands[0]].shape;
        auto [at, is_new] = slices_.try_emplace({shape, node.attributes});
        if (is_new) at->second = slices_of(places_.positions(), shape, node.attributes);
        return at->second;
    }

    /// A reduction of each slice.
    AnyTensor values(NodeId id) {
        const Node& node = graph_[id];
        const Slices& slices = this->slices(id);
        std::optional<AnyTensor> mask;
        if (node.operands[1] != no_node) mask = operands_.at(node.operands[1]);
        return arrays::reduce_slices(node.reduction, operands_.at(node.operands[0]), mask, slices.entries,
                                     slices.positions, node.dtype);
    }

private:
    AnyTensor in_line(const AnyTensor& values) const {
        return (values.is_contiguous() ? values : values.clone()).reshape({places_.count()});
    }

    /// What an argument has, or its mask, needs no loops.
    bool read_given(NodeId id) {
        const Node& node = graph_[id];
        const bool is_given = node.kind == NodeKind::mask_of || node.kind == NodeKind::symbol;
        if (operands_.contains(id)) return true;
        if (!is_given || (node.kind == NodeKind::symbol &&
                          graph_.symbols[static_cast<std::size_t>(node.symbol)].dtype != node.dtype))
            return false;
        const auto symbol = static_cast<std::size_t>(node.symbol);
        const AnyMasked given = places_.values_of(symbol, arguments_[symbol], {places_.count()});
        if (node.kind == NodeKind::symbol)
            operands_[id] = given.values();
        else
            operands_[id] = given.mask_tensor();
        return true;
    }

    const Graph& graph_;
    const StoredNodes& nodes_;
    const Places& places_;
    std::span<const Argument> arguments_;
    std::map<NodeId, AnyTensor> operands_;
    std::map<std::pair<Shape, std::vector<std::int64_t>>, Slices> slices_;
};

/// An expression some of whose instructions are made already: they are read as Masked symbols.
class Rest {
public:
    struct Made {
        Chosen where;
        AnyTensor values;
    };

    Rest(const Graph& graph, std::span<const Argument> arguments)
        : from_(graph), rest_(graph), arguments_(arguments.begin(), arguments.end()) {
        rest_.nodes.clear();
        rest_.equal_masks.clear();  // they have been compared
    }

    const Made* made(NodeId id) const {
        const auto found = made_.find(id);
        return found == made_.end() ? nullptr : &found->second;
    }

    /// A name that no symbol has: some of a graph that was made so before have been dropped.
    std::string new_name() const {
        std::string name;
        for (std::size_t i = rest_.symbols.size(); name.empty() || has_symbol(name); ++i)
            name = "#" + std::to_string(i);
        return name;
    }
    bool has_symbol(std::string_view name) const {
        return std::ranges::find(rest_.symbols, name, &Symbol::name) != rest_.symbols.end();
    }

    /// The next instruction as it is.
    void add() {
        Node node = from_[next()];
        for (NodeId& operand : node.operands) operand = now(operand);
        node.mask = now(node.mask);
        now_.push_back(push(std::move(node)));
    }

    /// The next instruction, of which values are made: without a mask it is 0, or false, elsewhere.
    void add(const Made& made) {
        const Node& node = from_[next()];
        made_.emplace(next(), made);
        const auto symbol = static_cast<int>(rest_.symbols.size());
        rest_.symbols.push_back(
            {.name = new_name(), .kind = SymbolKind::masked, .dtype = node.dtype, .shape = node.shape});
        arguments_.emplace_back(
            kept_.emplace_back(AnyMasked::indexed(Layout::coo, node.shape, made.where.list, made.values)));
        Node mask{.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = symbol, .shape = node.shape};
        Node value{.kind = NodeKind::symbol, .dtype = node.dtype, .symbol = symbol, .shape = node.shape};
        value.mask = node.mask == no_node ? push(std::move(mask)) : now(node.mask);
        if (node.mask == no_node && node.dtype == DType::boolean) return now_.push_back(value.mask);
        const NodeId listed = push(std::move(value));
        now_.push_back(node.mask == no_node ? push(with_zeros(node, listed)) : listed);
    }

    std::vector<Result> run(const RunGraph& run) {
        for (NodeId& result : rest_.results) result = now(result);
        for (Check& check : rest_.checks) {
            check.bad = now(check.bad);
            check.elements = now(check.elements);
        }
        prune(rest_);
        std::vector<Argument> arguments;
        for (const int before : prune_symbols(rest_))
            arguments.push_back(arguments_[static_cast<std::size_t>(before)]);
        return run(rest_, arguments);
    }

private:
    NodeId next() const { return static_cast<NodeId>(now_.size()); }
    NodeId now(NodeId id) const { return id == no_node ? no_node : now_[static_cast<std::size_t>(id)]; }
    NodeId push(Node node) {
        rest_.nodes.push_back(std::move(node));
        return static_cast<NodeId>(rest_.nodes.size()) - 1;
    }
    Node with_zeros(const Node& node, NodeId listed) {
        const NodeId zero = push({.kind = NodeKind::constant, .dtype = DType::int64, .weak = true});
        return {
            .kind = NodeKind::to_dense, .dtype = node.dtype, .operands = {listed, zero}, .shape = node.shape};
    }

    const Graph& from_;
    Graph rest_;
    std::vector<Argument> arguments_;
    std::deque<AnyMasked> kept_;  // that arguments refer to
    std::vector<NodeId> now_;     // of each instruction so far: its number in the rest
    std::map<NodeId, Made> made_;
};

/// The slices of which a reduction gives something.
Chosen slices_given(const Node& node, const Slices& slices, const AnyTensor& values, const Rest& rest) {
    if (const Rest::Made* const mask = rest.made(node.mask)) return mask->where;
    const bool is_mask = node.mask == no_node && node.dtype == DType::boolean;
    return is_mask ? true_of(slices, values) : all_of(slices);
}

}  // namespace

std::optional<std::vector<Result>> run_reductions_first(const Graph& graph,
                                                        std::span<const Argument> arguments,
                                                        const Listing& listing, const RunGraph& run) {
    const StoredNodes nodes(graph, listing);
    const auto count = static_cast<NodeId>(graph.nodes.size());
    NodeId first = 0;
    while (first < count && !nodes.reduces(first)) ++first;
    if (first == count) return {};
    const Places places = Places::together(listing, arguments);
    Reductions reductions(graph, nodes, places, arguments);
    reductions.prepare(run);
    Rest rest(graph, arguments);
    for (NodeId id = 0; id < count; ++id) {
        const Node& node = graph[id];
        if (nodes.reduces(id)) {
            const AnyTensor values = reductions.values(id);
            const Chosen where = slices_given(node, reductions.slices(id), values, rest);
            rest.add({.where = where, .values = gathered(values, where.slices)});
            continue;
        }
        const bool is_view = node.kind == NodeKind::view || node.kind == NodeKind::reshape;
        const Rest::Made* const seen = is_view ? rest.made(node.operands[0]) : nullptr;
        if (seen != nullptr && keeps_order(graph, node))
            rest.add(Rest::Made(*seen));
        else
            rest.add();
    }
    return rest.run(run);
}

}  // namespace frisket
