// SPDX-License-Identifier: MIT
#include "stored.hpp"

#include "../runtime/layouts/layout.hpp"
#include "../runtime/layouts/row.hpp"
#include "../runtime/layouts/stored.hpp"
#include "stored_graph.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

namespace frisket {

namespace {

bool is_list(const Argument& argument) {
    return argument.kind() == Argument::Kind::masked && is_listed_layout(argument.masked().layout());
}

/// Whether two masked tensors are stored alike: the same layout and the same places in the same order.
bool has_same_places(const AnyMasked& a, const AnyMasked& b) {
    if (a.layout() != b.layout() || a.shape() != b.shape()) return false;
    if (a.index()) return a.index() == b.index() || same_mask(a, b);
    const bool is_same_index =
        a.compressed_index() == b.compressed_index() || *a.compressed_index() == *b.compressed_index();
    return is_same_index && same_mask(a, b);
}

/// The rows of these numbers.
AnyTensor gathered_rows(const AnyTensor& tensor, std::span<const std::int64_t> rows) {
    Shape shape = tensor.shape();
    shape[0] = 1;
    Shape all = shape;
    all[0] = static_cast<std::int64_t>(rows.size());
    AnyTensor result(tensor.dtype(), std::move(all));
    const std::int64_t bytes = element_count(shape) * bytes_of(tensor.dtype());
    const bool lies_together =
        is_contiguous(std::span(shape).subspan(1), std::span(tensor.strides()).subspan(1));
    if (bytes == 0) return result;
    const auto* from = static_cast<const std::byte*>(tensor.data());
    const std::int64_t step = tensor.strides()[0] * bytes_of(tensor.dtype());
    auto* to = static_cast<std::byte*>(result.data());
    for (const std::int64_t row : rows) {
        const AnyTensor copy = lies_together ? AnyTensor() : tensor.slice(0, row, row + 1).clone();
        std::memcpy(to, lies_together ? from + row * step : copy.data(), static_cast<std::size_t>(bytes));
        to += bytes;
    }
    return result;
}

/// The elements at row-major positions.
AnyTensor gathered_elements(const AnyTensor& tensor, std::span<const std::int64_t> positions) {
    if (tensor.is_contiguous()) return gathered(tensor, positions);
    std::vector<std::int64_t> offsets;
    offsets.reserve(positions.size());
    for (std::int64_t position : positions) {
        std::int64_t offset = 0;
        for (std::size_t d = tensor.shape().size(); d-- > 0; position /= tensor.shape()[d])
            offset += position % tensor.shape()[d] * tensor.strides()[d];
        offsets.push_back(offset);
    }
    return gathered(tensor, offsets);
}

/// Whether results, checks and what they are made from can be had at the places alone.
bool is_enough(const Graph& graph, const StoredNodes& nodes) {
    const auto is_good = [&](NodeId id) {
        const NodeId mask = graph[id].mask;
        if (!nodes.works(id) || (mask != no_node && !nodes.works(mask))) return false;
        return !nodes.is_listed(id) || (mask != no_node && nodes.is_its_mask(mask));
    };
    return std::ranges::all_of(graph.results, is_good) &&
           std::ranges::all_of(graph.checks, [&](const Check& check) { return nodes.works(check.bad); });
}

/// An expression over lists as one over what they store.
class OverStored {
public:
    static std::optional<OverStored> of(const Graph& graph, std::span<const Argument> arguments);

    const Graph& graph() const { return graph_; }
    std::span<const Argument> arguments() const { return arguments_; }
    std::vector<Result> placed(std::vector<Result> stored) const;

private:
    bool find_places(const Graph& graph, std::span<const Argument> arguments);
    void bind(const Graph& graph, std::span<const Argument> arguments);
    AnyTensor gathered(const AnyTensor& tensor) const;
    AnyMasked values_of(const AnyMasked& masked, const Shape& shape) const;

    AnyMasked places_;  // a masked argument without duplicates
    Listing listing_;
    std::vector<std::int64_t> positions_;  // of its stored values; of rows: their numbers
    Graph graph_;
    std::vector<Argument> arguments_;
    std::deque<AnyMasked> kept_;          // that arguments refer to
    std::vector<bool> is_bound_by_list_;  // of each symbol
    std::vector<bool> is_listed_;         // of each result
};

bool OverStored::find_places(const Graph& graph, std::span<const Argument> arguments) {
    const auto first = std::ranges::find_if(arguments, is_list);
    if (first == arguments.end()) return false;
    places_ = first->masked().coalesce();
    listing_ = {.shape = places_.shape(), .by_rows = places_.layout() == Layout::rows};
    // Where everything is one element, being listed cannot be told from being repeated.
    if (places_.shape().empty() || element_count(places_.shape()) <= 1 ||
        (listing_.by_rows && places_.shape()[0] == 1))
        return false;
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) {
        const Argument& argument = arguments[i];
        const bool is_masked =
            argument.kind() == Argument::Kind::masked && argument.masked().layout() != Layout::dense;
        if (is_masked && (!is_list(argument) || !has_same_places(argument.masked(), first->masked())))
            return false;
        listing_.has_mask.push_back(is_masked);
    }
    return true;
}

AnyTensor OverStored::gathered(const AnyTensor& tensor) const {
    if (listing_.by_rows) return gathered_rows(tensor, positions_);
    return gathered_elements(tensor.broadcast_to(listing_.shape), positions_);
}

/// What a masked argument stores, in the order of the places; a block may specify a part of itself.
AnyMasked OverStored::values_of(const AnyMasked& masked, const Shape& shape) const {
    const AnyMasked once = masked.coalesce();
    const auto shaped = [&](const AnyTensor& tensor) {
        return (tensor.is_contiguous() ? tensor : tensor.clone()).reshape(shape);
    };
    if (once.mask().data() == nullptr) return AnyMasked::dense(shaped(once.values()));
    return AnyMasked::strided(shaped(once.values()), shaped(once.mask()));
}

void OverStored::bind(const Graph& graph, std::span<const Argument> arguments) {
    if (listing_.by_rows) {
        positions_.resize(static_cast<std::size_t>(places_.index()->size()));
        for (std::size_t i = 0; i < positions_.size(); ++i)
            positions_[i] = (*places_.index())[static_cast<std::int64_t>(i)];
    } else {
        positions_ = stored_positions(places_);
    }
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) {
        const Shape& shape = graph_.symbols[i].shape;
        if (!is_bound_by_list_[i]) {
            arguments_.push_back(arguments[i]);
            continue;
        }
        kept_.push_back(listing_.has_mask[i]
                            ? values_of(arguments[i].masked(), shape)
                            : AnyMasked::dense(gathered(arguments[i].as_masked().values()).reshape(shape)));
        if (graph.symbols[i].kind == SymbolKind::masked)
            arguments_.emplace_back(kept_.back());
        else
            arguments_.emplace_back(kept_.back().values());
    }
}

std::optional<OverStored> OverStored::of(const Graph& graph, std::span<const Argument> arguments) {
    OverStored made;
    if (!made.find_places(graph, arguments)) return {};
    const StoredNodes nodes(graph, made.listing_);
    if (!is_enough(graph, nodes)) return {};
    const std::int64_t count =
        made.listing_.by_rows ? made.places_.index()->size() : made.places_.values().size();
    made.graph_ = graph;
    made.is_bound_by_list_.assign(graph.symbols.size(), false);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!nodes.is_listed(id)) continue;
        Node& node = made.graph_.nodes[static_cast<std::size_t>(id)];
        node.shape = nodes.shape(id, count);
        if (node.symbol < 0) continue;
        made.graph_.symbols[static_cast<std::size_t>(node.symbol)].shape = node.shape;
        made.is_bound_by_list_[static_cast<std::size_t>(node.symbol)] = true;
    }
    for (const NodeId id : graph.results) made.is_listed_.push_back(nodes.is_listed(id));
    made.bind(graph, arguments);
    return made;
}

std::vector<Result> OverStored::placed(std::vector<Result> stored) const {
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (!is_listed_[i]) continue;
        AnyTensor values = std::move(stored[i].values);
        const bool is_alone = values.is_contiguous() && values.owner().use_count() == 1;
        if (!is_alone) values = values.clone();
        if (!listing_.by_rows) values = values.reshape(places_.values().shape());
        stored[i] = {.listed = with_values(places_, std::move(values))};
    }
    return stored;
}

}  // namespace

std::optional<std::vector<Result>> run_stored(const Graph& graph, std::span<const Argument> arguments,
                                              const RunGraph& run) {
    const std::optional<OverStored> stored = OverStored::of(graph, arguments);
    if (!stored) return {};
    try {
        return stored->placed(run(stored->graph(), stored->arguments()));
    } catch (const Error&) {
        report_checks(graph, arguments);  // which names the place in the whole
        throw;
    }
}

}  // namespace frisket
