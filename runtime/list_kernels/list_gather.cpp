// SPDX-License-Identifier: MIT
#include "list_gather.hpp"

#include "../limits.hpp"
#include "../support/parallel.hpp"
#include "../tensor/index_span.hpp"
#include "segmented_reduce.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace frisket::list_kernels {

namespace {

/// The dimensions of a gather.
struct GatherDims {
    Shape space;                        // shape of the result, with extents of 1 for dimensions that stay
    std::vector<std::int64_t> indexed;  // dimensions of the operand whose indices the space decides
    std::vector<std::int64_t> kept;     // other dimensions: each is one of the result
};

GatherDims dims_of(const ElementGather& gather) {
    const std::size_t rank = gather.shape.size();
    GatherDims dims{.space = gather.shape, .indexed = {}, .kept = {}};
    std::vector<bool> is_kept(rank);
    for (std::size_t j = 0; j < rank; ++j) {
        const bool varies = std::ranges::any_of(gather.indices, [&](const Shape& index) {
            const std::size_t added = rank - index.size();
            return j >= added && index[j - added] != 1;
        });
        is_kept[j] = !varies && std::ranges::count(gather.attributes, static_cast<std::int64_t>(j)) == 1;
        if (is_kept[j]) dims.space[j] = 1;
    }
    for (std::size_t d = 0; d < gather.from.size(); ++d) {
        const std::int64_t along = gather.attributes[d];
        const bool stays = along >= 0 && is_kept[static_cast<std::size_t>(along)];
        (stays ? dims.kept : dims.indexed).push_back(static_cast<std::int64_t>(d));
    }
    return dims;
}

/// Calls body(line, first) for each element of the space: the row-major position along the indexed
/// dimensions, and the position of the line's first element in the result.
template <class Body>
void each_line(const ElementGather& gather, const GatherDims& dims, std::span<const AnyTensor> indices,
               Body&& body) {
    const std::int64_t count = element_count(dims.space);
    std::vector<AnyTensor> whole;
    for (const AnyTensor& index : indices) {
        const AnyTensor seen = index.broadcast_to(dims.space);
        whole.push_back(seen.is_contiguous() ? seen : seen.clone());
    }
    const auto index_of = [&](std::int64_t d, const Shape& at, std::int64_t i) {
        const std::int64_t along = gather.attributes[static_cast<std::size_t>(d)];
        if (along >= 0) return at[static_cast<std::size_t>(along)];
        return static_cast<const std::int64_t*>(whole[static_cast<std::size_t>(-1 - along)].data())[i];
    };
    const Strides strides = contiguous_strides(gather.shape);
    Shape at(gather.shape.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t line = 0;
        for (const std::int64_t d : dims.indexed) {
            const std::int64_t extent = gather.from[static_cast<std::size_t>(d)], index = index_of(d, at, i);
            if (index < 0 || index >= extent || line < 0)
                line = -1;
            else
                line = line * extent + index;
        }
        if (line >= 0) body(line, std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
        for (std::size_t j = at.size(); j-- > 0 && ++at[j] == dims.space[j];) at[j] = 0;
    }
}

/// Elements of a line, if lines follow each other in the operand; else 0.
std::int64_t line_length(const ElementGather& gather, const GatherDims& dims) {
    std::int64_t length = 1, first = std::ssize(gather.from);
    for (const std::int64_t d : dims.kept) {
        const std::int64_t extent = gather.from[static_cast<std::size_t>(d)];
        length *= extent;
        if (extent != 1) first = std::min(first, d);
    }
    const bool is_last = std::ranges::all_of(dims.indexed, [&](std::int64_t d) {
        return d < first || gather.from[static_cast<std::size_t>(d)] == 1;
    });
    return is_last ? length : 0;
}

/// The distance in the result from the first element of a line to the one at a position within the operand's
/// line; -1 if the result has none.
std::int64_t distance_of(std::int64_t position, const ElementGather& gather, const GatherDims& dims,
                         const Strides& strides) {
    std::int64_t distance = 0;
    for (std::size_t k = dims.kept.size(); k-- > 0;) {
        const auto d = static_cast<std::size_t>(dims.kept[k]);
        const auto j = static_cast<std::size_t>(gather.attributes[d]);
        const std::int64_t index = k == 0 ? position : position % gather.from[d];
        if (index >= gather.shape[j]) return -1;
        if (k > 0) position /= gather.from[d];
        distance += index * strides[j];
    }
    return distance;
}

/// A line that a gather selects, and where it goes in the result.
struct SelectedLine {
    std::int64_t begin, end;  // its entries
    std::int64_t before;      // entries of the lines before it
    std::int64_t position;    // its first element in the operand
    std::int64_t first;       // its first element in the result
};

/// The lines that a gather selects of a list, where lines of this length follow each other.  `rows`: null, or
/// where they begin.
std::vector<SelectedLine> selected_lines(const IndexList& list, std::int64_t length,
                                         const ElementGather& gather, const GatherDims& dims,
                                         std::span<const AnyTensor> indices, const CompressedIndex* rows) {
    std::vector<SelectedLine> lines;
    lines.reserve(static_cast<std::size_t>(element_count(dims.space)));
    std::int64_t before = 0;
    runtime::with_indices(list, [&](const auto* at) {
        const auto* const last = at + list.size();
        each_line(gather, dims, indices, [&](std::int64_t line, std::int64_t first) {
            const std::int64_t position = line * length;
            std::int64_t begin = 0, end = 0;
            if (rows != nullptr) {
                begin = rows->pointers[static_cast<std::size_t>(line)];
                end = rows->pointers[static_cast<std::size_t>(line) + 1];
            } else {
                const auto* const entry = std::lower_bound(at, last, position);
                begin = entry - at;
                end = std::lower_bound(entry, entry + std::min(length, last - entry), position + length) - at;
            }
            if (begin == end) return;
            lines.push_back({begin, end, before, position, first});
            before += end - begin;
        });
    });
    return lines;
}

/// True if the result has all elements of a line, in the operand's order.
bool keeps_lines(const ElementGather& gather, const GatherDims& dims, const Strides& strides) {
    std::int64_t step = 1;
    for (std::size_t k = dims.kept.size(); k-- > 0;) {
        const auto d = static_cast<std::size_t>(dims.kept[k]);
        const auto j = static_cast<std::size_t>(gather.attributes[d]);
        if (gather.from[d] != gather.shape[j] || strides[j] != step) return false;
        step *= gather.from[d];
    }
    return true;
}

/// The entries of lines that are the same in the result as in the operand.
Permutation whole_lines(const IndexList& list, std::span<const SelectedLine> lines, const Shape& shape) {
    const std::int64_t count =
        lines.empty() ? 0 : lines.back().before + lines.back().end - lines.back().begin;
    const std::int64_t part = std::max<std::int64_t>(
        std::ssize(lines) * limits::task_elements / std::max<std::int64_t>(count, 1), 1);
    const auto each = [&](const auto& body) {
        runtime::parallel_ranges(std::ssize(lines), part, [&](std::int64_t first, std::int64_t last) {
            for (const SelectedLine& line :
                 lines.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)))
                body(line);
        });
    };
    auto positions = IndexList::written(count, element_count(shape), [&]<class Index>(Index* to) {
        runtime::with_indices(list, [&](const auto* at) {
            each([&](const SelectedLine& line) {
                Index* made = to + line.before;
                for (std::int64_t i = line.begin; i < line.end; ++i)
                    *made++ = static_cast<Index>(at[i] - line.position + line.first);
            });
        });
    });
    auto entries = IndexList::written(count, list.size(), [&](auto* to) {
        each([&](const SelectedLine& line) {
            std::iota(to + line.before, to + line.before + (line.end - line.begin), line.begin);
        });
    });
    return {.list = std::move(positions), .entries = std::move(entries)};
}

/// Calls it for lines that are slices.
template <class Body>
void each_in_slices(const ListSlices& slices, const ElementGather& gather, const GatherDims& dims,
                    std::span<const AnyTensor> indices, Body&& body) {
    const CoalescePlan& plan = slices.entries;
    runtime::with_indices(*slices.list, [&](const auto* at) {
        const auto* const last = at + slices.list->size();
        each_line(gather, dims, indices, [&](std::int64_t line, std::int64_t first) {
            const auto* const found = std::lower_bound(at, last, line);
            if (found == last || *found != line) return;
            const auto slice = static_cast<std::size_t>(found - at);
            for (std::int64_t i = plan.start[slice]; i < plan.start[slice + 1]; ++i) {
                const std::int64_t entry = plan.order.empty() ? i : plan.order[static_cast<std::size_t>(i)];
                body(entry, slices.positions[static_cast<std::size_t>(entry)], first);
            }
        });
    });
}

}  // namespace

bool selects_lines(const ElementGather& gather) {
    Shape space = dims_of(gather).space;
    std::erase(space, 1);
    return space.empty() || std::ranges::any_of(gather.indices, [&](Shape index) {
               std::erase(index, 1);
               return index == space;
           });
}

Permutation selected(const IndexList& list, const ElementGather& gather, std::span<const AnyTensor> indices,
                     const CompressedIndex* rows) {
    std::vector<std::int64_t> positions, entries;
    const GatherDims dims = dims_of(gather);
    const Strides strides = contiguous_strides(gather.shape);
    const auto add = [&](std::int64_t entry, std::int64_t position, std::int64_t first) {
        const std::int64_t distance = distance_of(position, gather, dims, strides);
        if (distance < 0) return;
        positions.push_back(first + distance);
        entries.push_back(entry);
    };
    const std::int64_t length = line_length(gather, dims);
    const bool is_empty = list.size() == 0 || element_count(gather.shape) == 0;
    if (!is_empty && length > 0) {
        const bool are_rows = rows != nullptr && length == gather.from[1];
        const std::vector<SelectedLine> lines =
            selected_lines(list, length, gather, dims, indices, are_rows ? rows : nullptr);
        if (keeps_lines(gather, dims, strides)) return whole_lines(list, lines, gather.shape);
        for (const SelectedLine& line : lines)
            for (std::int64_t i = line.begin; i < line.end; ++i) add(i, list[i] - line.position, line.first);
    } else if (!is_empty) {
        each_in_slices(*slices_of(list, gather.from, dims.kept, true), gather, dims, indices, add);
    }
    return sorted_permutation(std::move(positions), std::move(entries), gather.shape, list.size());
}

}  // namespace frisket::list_kernels
