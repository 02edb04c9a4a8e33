// SPDX-License-Identifier: MIT
#include "permutation.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../interpreter/tensor_kernels_walk.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace frisket::plan {

namespace {

/// Along which dimension of a view an index of its operand runs.
struct Along {
    std::optional<std::size_t> dim = {};
    std::int64_t step = 0, offset = 0;
};

/// A line for each dimension of the operand; nothing if one runs along several.
std::optional<std::vector<Along>> lines_of(const Node& view) {
    const std::size_t rank = view.shape.size();
    std::vector<Along> lines(rank == 0 ? view.offsets.size() : view.attributes.size() / rank);
    for (std::size_t d = 0; d < lines.size(); ++d) {
        if (!view.offsets.empty()) lines[d].offset = view.offsets[d];
        for (std::size_t j = 0; j < rank; ++j) {
            const std::int64_t step = view.attributes[d * rank + j];
            if (step == 0 || view.shape[j] == 1) continue;
            if (lines[d].dim) return {};
            lines[d].dim = j;
            lines[d].step = step;
        }
    }
    return lines;
}

/// The index of a view's element that shows this one; false if none does.
bool find_shown(std::span<const Along> lines, std::int64_t position, const Shape& shape, const Node& view,
                Shape& index) {
    std::ranges::fill(index, -1);
    for (std::size_t d = lines.size(); d-- > 0; position /= shape[d]) {
        const std::int64_t distance = position % shape[d] - lines[d].offset;
        if (!lines[d].dim) {
            if (distance != 0) return false;
            continue;
        }
        const std::size_t j = *lines[d].dim;
        const std::int64_t i = distance / lines[d].step;
        if (i * lines[d].step != distance || i < 0 || i >= view.shape[j]) return false;
        if (index[j] >= 0 && index[j] != i) return false;  // a diagonal
        index[j] = i;
    }
    return true;
}

std::int64_t position_of(const Shape& index, const Shape& shape) {
    std::int64_t position = 0;
    for (std::size_t j = 0; j < shape.size(); ++j)
        position = position * shape[j] + std::max(index[j], std::int64_t{0});
    return position;
}

Permutation sorted(std::vector<std::int64_t> positions, std::vector<std::int64_t> entries,
                   const Shape& shape) {
    auto list = std::make_shared<const IndexList>(std::move(positions), element_count(shape));
    if (list->is_coalesced()) return {.list = std::move(list), .entries = std::move(entries)};
    std::vector<std::int64_t> order;
    for (const std::int64_t i : list->plan().order) order.push_back(entries[static_cast<std::size_t>(i)]);
    const IndexList* const unique = &list->unique();
    return {.list = {std::move(list), unique}, .entries = std::move(order)};
}

}  // namespace

bool shows_once(const Node& view) {
    const auto lines = lines_of(view);
    if (!lines) return false;
    for (std::size_t j = 0; j < view.shape.size(); ++j)
        if (view.shape[j] > 1 && std::ranges::none_of(*lines, [&](const Along& one) { return one.dim == j; }))
            return false;
    return true;
}

Permutation viewed(const IndexList& list, const Shape& shape, const Node& view) {
    std::vector<Along> lines = *lines_of(view);
    lines.resize(shape.size());
    std::vector<std::int64_t> positions, entries;
    Shape index(view.shape.size());
    const std::int64_t count = element_count(view.shape) == 0 ? 0 : list.size();
    for (std::int64_t entry = 0; entry < count; ++entry) {
        if (!find_shown(lines, list[entry], shape, view, index)) continue;
        positions.push_back(position_of(index, view.shape));
        entries.push_back(entry);
    }
    return sorted(std::move(positions), std::move(entries), view.shape);
}

Permutation joined(std::span<const std::shared_ptr<const IndexList>> lists, std::span<const Shape> shapes,
                   int dim) {
    const auto along = static_cast<std::size_t>(dim);
    Shape shape = shapes[0];
    shape[along] = 0;
    for (const Shape& part : shapes) shape[along] += part[along];
    const auto inner = [&](const Shape& part) { return element_count(std::span(part).subspan(along)); };
    std::vector<std::int64_t> positions;
    std::int64_t before = 0;  // elements of the parts so far, of each outer index
    for (std::size_t k = 0; k < lists.size(); before += inner(shapes[k++]))
        for (std::int64_t i = 0; i < lists[k]->size(); ++i) {
            const std::int64_t position = (*lists[k])[i], own = inner(shapes[k]);
            positions.push_back(position / own * inner(shape) + before + position % own);
        }
    std::vector<std::int64_t> entries(positions.size());
    std::iota(entries.begin(), entries.end(), std::int64_t{0});
    return sorted(std::move(positions), std::move(entries), shape);
}

SparseVector restricted(const SparseVector& from, const std::shared_ptr<const IndexList>& list) {
    if (from.list == list || from.list->size() == list->size()) return {.list = list, .values = from.values};
    std::vector<std::int64_t> entries;
    std::int64_t entry = 0;
    for (std::int64_t i = 0; i < list->size(); ++i) {
        while ((*from.list)[entry] < (*list)[i]) ++entry;
        entries.push_back(entry);
    }
    return {.list = list, .values = runtime::gathered(from.values, entries)};
}

SparseVector true_of(const SparseVector& from) {
    std::vector<std::int64_t> positions, entries;
    for (std::int64_t i = 0; i < from.list->size(); ++i) {
        if (!tensor_kernels::element<bool>(from.values, i)) continue;
        positions.push_back((*from.list)[i]);
        entries.push_back(i);
    }
    if (std::ssize(entries) == from.list->size()) return from;
    return {.list = std::make_shared<const IndexList>(std::move(positions), from.list->bound()),
            .values = runtime::gathered(from.values, entries)};
}

}  // namespace frisket::plan
