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

}  // namespace frisket::ir
