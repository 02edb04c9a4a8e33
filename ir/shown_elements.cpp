// SPDX-License-Identifier: MIT
#include "shown_elements.hpp"

#include <algorithm>

namespace frisket::ir {

bool Index::reads(std::size_t variable) const {
    return std::ranges::any_of(terms, [&](const auto& term) { return term.first == variable; });
}

void Index::add(const Index& other, std::int64_t factor) {
    if (factor == 0) return;
    start += factor * other.start;
    for (const auto& [variable, step] : other.terms) {
        const auto place =
            std::ranges::lower_bound(terms, variable, {}, [](const auto& term) { return term.first; });
        if (place == terms.end() || place->first != variable)
            terms.emplace(place, variable, factor * step);
        else if ((place->second += factor * step) == 0)
            terms.erase(place);
    }
}

std::vector<Index> all_of(const Shape& shape, std::size_t rank) {
    std::vector<Index> all(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] != 1) all[d].terms = {{d + rank - shape.size(), 1}};
    return all;
}

std::vector<Index> before_view(const std::vector<Index>& indices, const Node& view, const Shape& shape) {
    std::vector<Index> made(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) continue;
        made[d].start = view.offsets.empty() ? 0 : view.offsets[d];
        for (std::size_t j = 0; j < indices.size(); ++j)
            made[d].add(indices[j], view.attributes[d * indices.size() + j]);
    }
    return made;
}

std::optional<std::vector<Index>> before_reshape(const std::vector<Index>& indices, const Node& reshape,
                                                 const Shape& shape) {
    std::vector<Index> made(shape.size());
    std::size_t d = 0;
    const auto skip_ones = [&] {
        while (d < shape.size() && shape[d] == 1) ++d;
    };
    for (std::size_t j = 0; j < indices.size(); ++j) {
        if (reshape.shape[j] == 1) continue;
        skip_ones();
        if (d == shape.size() || shape[d] != reshape.shape[j]) return {};
        made[d++] = indices[j];
    }
    skip_ones();
    return d == shape.size() ? std::optional(made) : std::nullopt;
}

namespace {

/// True for a view that shows a part of a dimension of its operand, which has this shape.
bool shows_part(const Node& view, const Shape& shape) {
    const std::size_t rank = view.shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d) {
        bool is_whole = shape[d] == 1;
        for (std::size_t j = 0; j < rank; ++j)
            is_whole = is_whole || (view.attributes[d * rank + j] == 1 && view.shape[j] == shape[d]);
        if (!is_whole) return true;
    }
    return false;
}

}  // namespace

Node broadcast_view(const Graph& graph, NodeId id, const Shape& shape) {
    const Shape& own = graph[id].shape;
    const std::size_t rank = shape.size(), added = rank - own.size();
    Node view{.kind = NodeKind::view, .dtype = graph[id].dtype, .operands = {id}, .shape = shape};
    view.attributes.assign(own.size() * rank, 0);
    for (std::size_t d = 0; d < own.size(); ++d)
        if (own[d] == shape[d + added]) view.attributes[d * rank + d + added] = 1;
    return view;
}

Node composed(const Node& outer, const Node& inner, const Shape& shape) {
    Node node = outer;
    node.operands = inner.operands;
    const std::size_t dims = shape.size(), rank = outer.shape.size(), between = inner.shape.size();
    node.attributes.assign(dims * rank, 0);
    for (std::size_t d = 0; d < dims; ++d)
        for (std::size_t i = 0; i < between; ++i)
            for (std::size_t j = 0; j < rank; ++j)
                node.attributes[d * rank + j] +=
                    inner.attributes[d * between + i] * outer.attributes[i * rank + j];
    if (outer.offsets.empty() && inner.offsets.empty()) return node;
    node.offsets = inner.offsets;
    node.offsets.resize(dims, 0);
    for (std::size_t i = 0; i < outer.offsets.size(); ++i)
        for (std::size_t d = 0; d < dims; ++d)
            node.offsets[d] += inner.attributes[d * between + i] * outer.offsets[i];
    const bool starts_there = std::ranges::count(node.offsets, 0) == std::ssize(node.offsets);
    if (starts_there && !shows_part(node, shape)) node.offsets.clear();
    return node;
}

bool shows_whole_dims(const Node& view) {
    return view.offsets.empty() &&
           std::ranges::all_of(view.attributes, [](auto step) { return step == 0 || step == 1; });
}

bool shows_all(const Node& view, const Shape& shape) {
    const std::size_t rank = shape.size();
    if (!view.offsets.empty() || view.shape != shape) return false;
    for (std::size_t i = 0; i < view.attributes.size(); ++i)
        if (shape[i % rank] != 1 && view.attributes[i] != (i / rank == i % rank ? 1 : 0)) return false;
    return true;
}

bool varies_along(const Node& view, std::size_t dim) {
    for (std::size_t i = dim; i < view.attributes.size(); i += view.shape.size())
        if (view.attributes[i] != 0) return true;
    return false;
}

bool reduces(const Node& reduction, std::size_t dim) {
    return std::ranges::find(reduction.attributes, static_cast<std::int64_t>(dim)) !=
           reduction.attributes.end();
}

std::vector<std::size_t> kept_dims(const Node& reduction, std::size_t rank) {
    std::vector<std::size_t> kept;
    for (std::size_t d = 0; d < rank; ++d)
        if (!reduces(reduction, d)) kept.push_back(d);
    return kept;
}

}  // namespace frisket::ir
