// SPDX-License-Identifier: MIT
#include "layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "../limits.hpp"
#include "../support/joined.hpp"
#include "../support/parallel.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/index_span.hpp"
#include "../tensor/result_memory.hpp"
#include "../tensor/sized.hpp"
#include "layout_traits.hpp"

namespace frisket {

using namespace runtime;

namespace {

constexpr auto every = [] {
    std::array<Layout, std::size(layout_table)> layouts{};
    for (std::size_t i = 0; i < layouts.size(); ++i) layouts[i] = static_cast<Layout>(i);
    return layouts;
}();

std::string layout_names() {
    return joined(layout_table, [](const LayoutTraits* row) { return row->name; });
}

}  // namespace

void runtime::refuse_layout(Layout layout) {
    throw LayoutError("layout: number " + std::to_string(static_cast<int>(layout)) +
                      " was cast to a layout and is none: use one of " + layout_names());
}

std::span<const Layout> all_layouts() { return every; }

std::string_view name_of(Layout layout) { return traits_of(layout).name; }

Layout parse_layout(std::string_view name) {
    for (const LayoutTraits* row : layout_table)
        if (row->name == name) return row->layout;
    throw LayoutError("layout: there is no layout " + std::string(name) + ": use one of " + layout_names());
}

std::optional<Layout> runtime::common_layout(std::span<const Layout> layouts) {
    if (layouts.empty()) return Layout::dense;
    const bool is_one = std::ranges::all_of(layouts, [&](Layout other) { return other == layouts[0]; });
    return is_one ? std::optional(layouts[0]) : std::nullopt;
}

void runtime::bits_of(const AnyMasked& masked, std::uint64_t* words) {
    traits_of(masked.layout()).bits(masked, words);
}
void runtime::bytes_of(const AnyMasked& masked, std::uint8_t* mask) {
    traits_of(masked.layout()).bytes(masked, mask);
}
AnyTensor runtime::dense_values(const AnyMasked& masked) {
    return traits_of(masked.layout()).dense_values(masked);
}

Entries runtime::entries_of_bits(const AnyMasked& masked) {
    auto words = zeros_for<std::uint64_t>(masked.shape(), words_for(masked.size()), "words of bits");
    bits_of(masked, words.data());
    const auto word_count = static_cast<std::int64_t>(words.size());
    Entries entries;
    entries.positions.resize(
        static_cast<std::size_t>(count_bits(words.data(), 0, word_count) + position_slack));
    const std::int64_t found = positions_of_bits(words.data(), 0, word_count, entries.positions.data());
    entries.positions.resize(static_cast<std::size_t>(found));
    const AnyTensor values = masked.values().is_contiguous() ? masked.values() : masked.values().clone();
    entries.values = gathered(values, entries.positions);
    return entries;
}

namespace {

template <class Index>
AnyTensor gathered_at(const AnyTensor& values, const Index* offsets, std::int64_t count) {
    AnyTensor result = result_tensor(values.dtype(), {count});
    dispatch_width(values.dtype(), [&]<class U>() {
        const Reader<U> from(values.data());
        U* const to = static_cast<U*>(result.data());
        parallel_ranges(count, limits::task_elements, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) to[i] = from[offsets[i]];
        });
    });
    return result;
}

}  // namespace

AnyTensor runtime::gathered(const AnyTensor& values, std::span<const std::int64_t> offsets) {
    return gathered_at(values, offsets.data(), std::ssize(offsets));
}

AnyTensor runtime::gathered(const AnyTensor& values, const IndexList& offsets) {
    return with_indices(offsets,
                        [&](const auto* first) { return gathered_at(values, first, offsets.size()); });
}

AnyTensor runtime::checked_values_mask(const std::string& where, const AnyTensor& mask, const Shape& stored) {
    mask.check_not_moved(where);
    if (mask.dtype() != DType::boolean)
        throw DTypeError(where + ": values_mask has dtype " + std::string(name_of(mask.dtype())) +
                         ", wanted bool: compare with something, or convert it");
    if (mask.shape() != stored && mask.shape() != Shape{element_count(stored)})
        throw LayoutError(where + ": values_mask has shape " + to_string(mask.shape()) +
                          ", the values have " + to_string(stored) + ": give one truth value for each value");
    return (mask.is_contiguous() ? mask : mask.clone()).reshape(stored);
}

AnyTensor runtime::values_as_stored(const AnyMasked& masked) { return masked.values(); }

AnyTensor runtime::values_over_zeros(const AnyMasked& masked) {
    constexpr std::uint64_t zero = 0;
    return traits_of(masked.layout()).filled(masked, &zero);
}

AnyTensor runtime::blended(const AnyMasked& masked, const void* fill) {
    AnyTensor result = masked.values().clone();
    auto mask = zeros_for<std::uint8_t>(masked.shape(), masked.size(), "bytes of a mask");
    bytes_of(masked, mask.data());
    dispatch_width(masked.dtype(), [&]<class U>() {
        U element;
        std::memcpy(&element, fill, sizeof element);
        U* to = static_cast<U*>(result.data());
        for (std::size_t i = 0; i < mask.size(); ++i) to[i] = mask[i] != 0 ? to[i] : element;
    });
    return result;
}

AnyTensor runtime::filled_with(DType dtype, const Shape& shape, const void* fill) {
    AnyTensor result = result_tensor(dtype, shape);
    dispatch_width(dtype, [&]<class U>() {
        U element;
        std::memcpy(&element, fill, sizeof element);
        U* const to = static_cast<U*>(result.data());
        parallel_ranges(result.size(), limits::task_elements, [&](std::int64_t begin, std::int64_t end) {
            std::fill(to + begin, to + end, element);
        });
    });
    return result;
}

AnyTensor runtime::filled_with_number(DType dtype, const Shape& shape, double number) {
    return AnyTensor(Tensor<double>({}, {number}).broadcast_to(shape)).to(dtype);
}

std::shared_ptr<const IndexList> runtime::share(std::vector<std::int64_t> indices, std::int64_t bound) {
    return std::make_shared<const IndexList>(std::move(indices), bound);
}

std::int64_t runtime::row_length(const Shape& shape) { return element_count(std::span(shape).subspan(1)); }

}  // namespace frisket
