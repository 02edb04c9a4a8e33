// SPDX-License-Identifier: MIT
/// rows: numbers of stored rows (dimension 0) in any order, and values [stored, trailing dimensions…] of any
/// strides; a stored row is specified whole; duplicates add.
#include <algorithm>
#include <cstring>
#include <ranges>

#include "../limits.hpp"
#include "../support/parallel.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/result_memory.hpp"
#include "layout_traits.hpp"
#include "listed_indices.hpp"

namespace frisket {

using namespace runtime;

namespace {

void bits(const AnyMasked& masked, std::uint64_t* words) {
    std::fill_n(words, words_for(masked.size()), 0);
    const std::int64_t length = row_length(masked.shape());
    const IndexView rows(*masked.index());
    for (std::int64_t i = 0; i < rows.size(); ++i) set_bits(words, rows[i] * length, (rows[i] + 1) * length);
}

/// Calls listed(first, end, i) for the rows that follow each other in a list, of which the first is entry i,
/// and others(first, end) for the rows between them: in parts, side by side.
/// Shape: `rows` is ascending, without duplicates.
template <class Listed, class Others>
void each_run(const IndexView& rows, const Shape& shape, Listed&& listed, Others&& others) {
    const std::int64_t length = std::max<std::int64_t>(row_length(shape), 1);
    const std::int64_t part = std::max<std::int64_t>(limits::task_elements / length, 1);
    parallel_ranges(shape[0], part, [&](std::int64_t begin, std::int64_t end) {
        const auto entries = std::views::iota(std::int64_t{0}, rows.size());
        std::int64_t i =
            std::ranges::partition_point(entries, [&](std::int64_t e) { return rows[e] < begin; }) -
            entries.begin();
        for (std::int64_t row = begin; row < end;) {
            const std::int64_t next = i < rows.size() ? std::min(rows[i], end) : end;
            if (row < next) others(row, next);
            const std::int64_t first = i;
            for (row = next; row < end && i < rows.size() && rows[i] == row; ++row) ++i;
            if (next < row) listed(next, row, first);
        }
    });
}

void bytes(const AnyMasked& masked, std::uint8_t* mask) {
    const std::int64_t length = row_length(masked.shape());
    const IndexList& index = *masked.index();
    const auto fill = [&](std::int64_t first, std::int64_t end, std::uint8_t byte) {
        std::fill(mask + first * length, mask + end * length, byte);
    };
    each_run(
        IndexView(index.is_coalesced() ? index : index.unique()), masked.shape(),
        [&](std::int64_t first, std::int64_t end, std::int64_t) { fill(first, end, 1); },
        [&](std::int64_t first, std::int64_t end) { fill(first, end, 0); });
}

std::int64_t count(const AnyMasked& masked) {
    const IndexList& index = *masked.index();
    return (index.is_coalesced() ? index.size() : index.unique().size()) * row_length(masked.shape());
}

AnyTensor filled(const AnyMasked& masked, const void* fill) {
    AnyTensor result = result_tensor(masked.dtype(), masked.shape());
    const auto [rows, values, made] = coordinates_of(masked);
    const std::int64_t length = row_length(masked.shape());
    if (result.size() == 0) return result;
    dispatch_width(masked.dtype(), [&]<class U>() {
        U element;
        std::memcpy(&element, fill, sizeof element);
        const auto* const from = static_cast<const std::byte*>(values.data());
        U* const to = static_cast<U*>(result.data());
        each_run(
            rows, masked.shape(),
            [&](std::int64_t first, std::int64_t end, std::int64_t i) {
                std::memcpy(to + first * length, from + i * length * std::int64_t{sizeof(U)},
                            static_cast<std::size_t>((end - first) * length) * sizeof(U));
            },
            [&](std::int64_t first, std::int64_t end) {
                std::fill(to + first * length, to + end * length, element);
            });
    });
    return result;
}

Entries entries(const AnyMasked& masked) {
    const auto [rows, values, made] = coordinates_of(masked);
    const std::int64_t length = row_length(masked.shape());
    Entries result{.positions = {}, .values = values.reshape({rows.size() * length})};
    result.positions.reserve(static_cast<std::size_t>(rows.size() * length));
    for (std::int64_t i = 0; i < rows.size(); ++i)
        for (std::int64_t j = 0; j < length; ++j) result.positions.push_back(rows[i] * length + j);
    return result;
}

[[noreturn]] void refuse_part(std::int64_t row) {
    throw LayoutError("to: row " + std::to_string(row) +
                      " is specified in part, layout rows holds whole rows: use coo, strided or bitmask");
}

/// Rows that ascending positions fill; all of them must be whole.
std::vector<std::int64_t> whole_rows(const std::vector<std::int64_t>& positions, std::int64_t length) {
    std::vector<std::int64_t> rows;
    const auto stored = static_cast<std::int64_t>(positions.size());
    for (std::int64_t i = 0; i < stored; i += length) {
        const std::int64_t row = positions[i] / length, last = i + length - 1;
        if (last >= stored || positions[i] != row * length || positions[last] != row * length + length - 1)
            refuse_part(row);
        rows.push_back(row);
    }
    return rows;
}

AnyMasked from(const AnyMasked& masked) {
    check_rows(masked.shape(), "to");
    Entries entries = traits_of(masked.layout()).entries(masked);
    std::vector<std::int64_t> rows = whole_rows(entries.positions, row_length(masked.shape()));
    Shape values = masked.shape();
    values[0] = static_cast<std::int64_t>(rows.size());
    return AnyMasked::indexed(Layout::rows, masked.shape(), share(std::move(rows), masked.shape()[0]),
                              entries.values.reshape(std::move(values)));
}

AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize>) {
    check_rows(masked.shape(), "to");
    const std::int64_t length = row_length(masked.shape());
    const AnyTensor bytes = on_device::mask_bytes(masked);
    const AnyTensor parts = positions_of(on_device::rows_with(bytes, length, 1, length - 1));
    if (parts.size() > 0) refuse_part(Tensor<std::int32_t>(parts.slice(0, 0, 1)).item());
    const AnyTensor list = positions_of(on_device::rows_with(bytes, length, length, length));
    Shape values = masked.shape();
    values[0] = list.size();
    return AnyMasked::placed(Layout::rows, masked.shape(),
                             gathered_rows(on_device::dense_values(masked), list, length, std::move(values)),
                             list);
}

}  // namespace

void runtime::check_rows(const Shape& shape, const char* where) {
    if (shape.empty())
        throw LayoutError(std::string(where) + ": a tensor of shape [] has no rows: use another layout");
}

AnyMasked AnyMasked::rows(Shape shape, const std::vector<std::int64_t>& row_numbers, AnyTensor values) {
    values.check_not_moved("rows");
    return rows_of(std::move(shape), row_numbers.data(), std::ssize(row_numbers), std::move(values));
}

AnyMasked runtime::rows_of(Shape shape, const IndexMemory& row_numbers, std::int64_t stored,
                           AnyTensor values) {
    element_count(shape);  // refuses invalid shapes
    check_rows(shape, "rows");
    auto index = row_major_positions({&row_numbers, 1}, stored, {shape[0]}, "rows: row number");
    return AnyMasked::indexed(Layout::rows, std::move(shape), std::move(index), std::move(values));
}

constinit const LayoutTraits runtime::rows_traits{
    .layout = Layout::rows,
    .name = "rows",
    .mask = MaskForm::rows,
    .bits = bits,
    .bytes = bytes,
    .count = count,
    .dense_values = values_over_zeros,
    .filled = filled,
    .entries = entries,
    .from = from,
    .on_device = from_on_device,
    .holds = [](const Shape& shape) { return !shape.empty(); },
};

}  // namespace frisket
