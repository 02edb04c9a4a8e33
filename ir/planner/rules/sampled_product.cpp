// SPDX-License-Identifier: MIT
#include "sampled_product.hpp"

#include "../../at.hpp"
#include "sampled_product_graph.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frisket {

namespace {

/// The Masked symbols of this shape without which a mask is true nowhere.
void add_needed(const Graph& graph, NodeId mask, const Shape& shape, std::vector<int>& symbols) {
    const Node& node = graph[mask];
    if (node.kind == NodeKind::mask_of && node.shape == shape) symbols.push_back(node.symbol);
    if (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>)
        for (const NodeId operand : node.operands) add_needed(graph, operand, shape, symbols);
}

/// Those that every result needs.
std::vector<int> needed_by_all(const Graph& graph) {
    std::optional<std::vector<int>> common;
    for (const NodeId id : graph.results) {
        const Node& result = graph[id];
        if (result.mask == no_node || result.shape.empty()) return {};
        std::vector<int> symbols;
        add_needed(graph, result.mask, result.shape, symbols);
        if (!common) common = symbols;
        std::erase_if(*common, [&](int one) { return std::ranges::find(symbols, one) == symbols.end(); });
    }
    return common.value_or(std::vector<int>());
}

/// A symbol, and those whose masks a call has found to be equal to its own.
std::vector<int> with_same_mask(const Graph& graph, int symbol) {
    std::vector<int> found{symbol};
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const auto& [a, b] : graph.equal_masks)
            for (const auto& [one, other] :
                 {std::pair(graph[a].symbol, graph[b].symbol), std::pair(graph[b].symbol, graph[a].symbol)})
                if (one == found[i] && std::ranges::find(found, other) == found.end()) found.push_back(other);
    return found;
}

/// Whether a reduction has more elements than that.
bool has_reduction_above(const Graph& graph, std::int64_t count) {
    return std::ranges::any_of(graph.nodes, [&](const Node& node) {
        return node.kind == NodeKind::reduce && element_count(node.shape) > count;
    });
}

/// The index along each dimension, of row-major positions.
std::vector<Tensor<std::int64_t>> indices_of(const IndexView& positions, const Shape& shape) {
    std::vector<Tensor<std::int64_t>> indices;
    for (std::size_t d = 0; d < shape.size(); ++d) indices.emplace_back(Shape{positions.size()});
    for (std::int64_t i = 0; i < positions.size(); ++i) {
        std::int64_t rest = positions[i];
        for (std::size_t d = shape.size(); d-- > 0;) {
            indices[d].data()[i] = rest % shape[d];
            rest /= shape[d];
        }
    }
    return indices;
}

/// The positions at which a bool is true, and those values.
std::pair<std::vector<std::int64_t>, AnyTensor> chosen(const IndexView& positions, const Result& listed) {
    std::vector<std::int64_t> kept;
    const AnyTensor values = listed.values.is_contiguous() ? listed.values : listed.values.clone();
    if (!listed.mask) {
        for (std::int64_t i = 0; i < positions.size(); ++i) kept.push_back(positions[i]);
        return {kept, values};
    }
    const AnyTensor mask = listed.mask->clone();
    const auto* specified = static_cast<const unsigned char*>(mask.data());
    std::vector<std::int64_t> from;
    for (std::int64_t i = 0; i < positions.size(); ++i) {
        if (specified[i] == 0) continue;
        kept.push_back(positions[i]);
        from.push_back(i);
    }
    AnyTensor some(values.dtype(), {static_cast<std::int64_t>(from.size())});
    const auto bytes = static_cast<std::size_t>(bytes_of(values.dtype()));
    for (std::size_t i = 0; i < from.size(); ++i)
        std::memcpy(static_cast<std::byte*>(some.data()) + i * bytes,
                    static_cast<const std::byte*>(values.data()) + static_cast<std::size_t>(from[i]) * bytes,
                    bytes);
    return {kept, some};
}

}  // namespace

SampledProduct::SampledProduct(const AnyMasked& domain) : domain_(domain) {}

/// The expression as it is, with its domain as values and mask.
void SampledProduct::be_whole(const Graph& graph, std::span<const Argument> arguments, int domain) {
    graph_ = graph;
    arguments_.assign(arguments.begin(), arguments.end());
    strided_.push_back(AnyMasked::strided(dense_values(domain_), domain_.mask_tensor()));
    arguments_[at(domain)] = Argument(strided_.back());
}

std::optional<SampledProduct> SampledProduct::of(const Graph& graph, std::span<const Argument> arguments) {
    if (!has_reduction_above(graph, 0)) return {};
    for (const int symbol : needed_by_all(graph)) {
        const Argument& argument = arguments[at(symbol)];
        if (argument.kind() != Argument::Kind::masked || argument.masked().layout() == Layout::dense)
            continue;
        const std::int64_t count = argument.masked().specified_count();
        if (!has_reduction_above(graph, count)) continue;
        SampledGraph sampled = sampled_graph(graph, with_same_mask(graph, symbol), count);
        if (!sampled.spares) continue;
        const AnyMasked& domain = argument.masked();
        const bool is_whole = !has_reduction_above(graph, list_cost * count);
        if (is_whole && domain.layout() == Layout::strided) continue;
        SampledProduct made(domain);
        for (const NodeId id : sampled.graph.results)
            made.has_own_mask_.push_back(sampled.graph[id].mask != no_node);
        if (is_whole) {
            made.be_whole(graph, arguments, symbol);
            return made;
        }
        made.graph_ = std::move(sampled.graph);
        made.list_ = domain.layout() == Layout::rows ? domain.to(Layout::coo) : domain;
        made.places_ = coordinates_of(made.list_);
        const auto indices = indices_of(made.places_.positions, domain.shape());
        for (const SampleSource& source : sampled.sources) {
            if (source.kind == SampleSource::Kind::given) {
                made.arguments_.push_back(arguments[at(source.which)]);
                continue;
            }
            made.arguments_.emplace_back(made.kept_.emplace_back(
                source.kind == SampleSource::Kind::index
                    ? AnyTensor(indices[at(source.which)])
                    : coordinates_of(arguments[at(source.which)].masked().to(Layout::coo)).values));
        }
        return made;
    }
    return {};
}

Result SampledProduct::placed(const Result& result, bool has_own_mask) const {
    if (is_whole()) {
        const Result whole = strided(result);
        return in_its_layout(AnyMasked::strided(whole.values, *whole.mask), has_own_mask);
    }
    auto [positions, values] = chosen(places_.positions, result);
    const auto list = std::make_shared<const IndexList>(std::move(positions), domain_.size());
    return in_its_layout(AnyMasked::indexed(Layout::coo, domain_.shape(), list, values), has_own_mask);
}

/// With a mask of its own a row may be specified in part.
Result SampledProduct::in_its_layout(const AnyMasked& made, bool has_own_mask) const {
    switch (domain_.layout()) {
        case Layout::strided:
            return {.values = dense_values(made),
                    .mask = has_own_mask ? AnyTensor(made.mask_tensor()) : domain_.mask()};
        case Layout::rows: return {.listed = made.to(has_own_mask ? Layout::coo : Layout::rows)};
        case Layout::bsr:
        case Layout::bsc: return {.listed = made.to(domain_.layout(), domain_.compressed_index()->blocksize)};
        default: return {.listed = made.to(domain_.layout())};
    }
}

Executor::Within SampledProduct::stage() const {
    const std::int64_t count = domain_.specified_count();
    const std::string share = std::to_string(count) + " of " + std::to_string(domain_.size()) +
                              " elements are specified, an element of a list costs " +
                              std::to_string(list_cost) + " of a whole product";
    const std::string layout(name_of(domain_.layout()));
    if (is_whole())
        return {{.rule = Rule::sampled_whole,
                 .space = "all elements of " + to_string(domain_.shape()),
                 .why = share},
                std::vector<std::string>(has_own_mask_.size(), layout + ", specified elements of the whole")};
    return {{.rule = Rule::sampled_product,
             .space = count_text(count, "position", "positions") + " of the mask",
             .why = share},
            std::vector<std::string>(has_own_mask_.size(), layout + " values at the positions")};
}

std::vector<Result> SampledProduct::run(const Executor& executor) const {
    return placed(executor.within([&] { return stage(); }).run(graph_, arguments_));
}

std::optional<std::vector<Result>>
run_sampled_product(const Graph& graph, std::span<const Argument> arguments, const Executor& executor) {
    const auto sampled = SampledProduct::of(graph, arguments);
    if (!sampled) return {};
    return sampled->run(executor);
}

std::vector<Result> SampledProduct::placed(std::vector<Result> made) const {
    std::vector<Result> results;
    for (std::size_t i = 0; i < made.size(); ++i) results.push_back(placed(made[i], has_own_mask_[i]));
    return results;
}

}  // namespace frisket
