// SPDX-License-Identifier: MIT
/// coo: row-major positions of stored elements in any order, and values [stored] of any strides;
/// duplicates add.
#include <algorithm>

#include "../tensor/bitmask_ops.hpp"
#include "../tensor/elements.hpp"
#include "conversion.hpp"
#include "layout_traits.hpp"
#include "listed_indices.hpp"

namespace frisket {

using namespace runtime;

namespace {

void bits(const AnyMasked& masked, std::uint64_t* words) {
    std::fill_n(words, words_for(masked.size()), 0);
    const IndexView positions(*masked.index());
    for (std::int64_t i = 0; i < positions.size(); ++i)
        words[positions[i] / 64] |= std::uint64_t{1} << (positions[i] % 64);
}

void bytes(const AnyMasked& masked, std::uint8_t* mask) {
    std::fill_n(mask, masked.size(), 0);
    const IndexView positions(*masked.index());
    for (std::int64_t i = 0; i < positions.size(); ++i) mask[positions[i]] = 1;
}

std::int64_t count(const AnyMasked& masked) {
    const IndexList& index = *masked.index();
    return index.is_coalesced() ? index.size() : index.unique().size();
}

AnyTensor filled(const AnyMasked& masked, const void* fill) {
    AnyTensor result = filled_with(masked.dtype(), masked.shape(), fill);
    const Coordinates stored = coordinates_of(masked);
    dispatch_width(masked.dtype(), [&]<class U>() {
        const Reader<U> from(stored.values.data());
        U* to = static_cast<U*>(result.data());
        for (std::int64_t i = 0; i < stored.positions.size(); ++i) to[stored.positions[i]] = from[i];
    });
    return result;
}

Entries entries(const AnyMasked& masked) {
    const Coordinates coordinates = coordinates_of(masked);
    Entries result{.positions = {}, .values = coordinates.values};
    result.positions.resize(static_cast<std::size_t>(coordinates.positions.size()));
    for (std::size_t i = 0; i < result.positions.size(); ++i)
        result.positions[i] = coordinates.positions[static_cast<std::int64_t>(i)];
    return result;
}

AnyMasked from(const AnyMasked& masked) {
    if (lists_elements(masked.layout())) return moved_elements(masked, Layout::coo);
    Entries entries = traits_of(masked.layout()).entries(masked);
    return AnyMasked::indexed(Layout::coo, masked.shape(), share(std::move(entries.positions), masked.size()),
                              std::move(entries.values));
}

AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize>) {
    return on_device::elements(masked, Layout::coo);
}

void check_lists(const Shape& shape, const std::vector<std::vector<std::int64_t>>& indices) {
    if (indices.size() != shape.size())
        throw LayoutError("coo: " + std::to_string(indices.size()) + " lists of indices for shape " +
                          to_string(shape) + ": give one list for each of its " +
                          std::to_string(shape.size()) + " dimensions");
    for (std::size_t d = 1; d < indices.size(); ++d)
        if (indices[d].size() != indices[0].size())
            throw LayoutError("coo: list " + std::to_string(d) + " has " + std::to_string(indices[d].size()) +
                              " indices, list 0 has " + std::to_string(indices[0].size()) +
                              ": give one index in each list for each stored element");
}

/// Keeps the entries that the mask specifies.
void filter(const AnyTensor& mask, std::shared_ptr<const IndexList>& positions, AnyTensor& values) {
    const auto* is_specified = static_cast<const std::uint8_t*>(mask.data());
    std::vector<std::int64_t> kept, offsets;
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (is_specified[i] == 0) continue;
        kept.push_back((*positions)[i]);
        offsets.push_back(i);
    }
    if (std::ssize(kept) == positions->size()) return;
    values = gathered(values.is_contiguous() ? values : values.clone(), offsets);
    positions = share(std::move(kept), positions->bound());
}

}  // namespace

AnyMasked AnyMasked::coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices, AnyTensor values,
                         std::optional<AnyTensor> values_mask) {
    values.check_not_moved("coo");
    check_lists(shape, indices);
    const std::int64_t stored = indices.empty() ? values.size() : std::ssize(indices[0]);
    std::vector<IndexMemory> lists;
    for (const std::vector<std::int64_t>& list : indices) lists.emplace_back(list.data());
    return coo_of(std::move(shape), lists, stored, std::move(values), values_mask);
}

AnyMasked runtime::coo_of(Shape shape, std::span<const IndexMemory> lists, std::int64_t stored,
                          AnyTensor values, const std::optional<AnyTensor>& values_mask) {
    element_count(shape);  // refuses invalid shapes
    if (values.shape() != Shape{stored})
        throw LayoutError("coo: the values have shape " + to_string(values.shape()) + ", the lists have " +
                          std::to_string(stored) + " indices: give values of shape " +
                          to_string(Shape{stored}));
    std::shared_ptr<const IndexList> positions = row_major_positions(lists, stored, shape, "coo: index");
    if (values_mask) filter(checked_values_mask("coo", *values_mask, {stored}), positions, values);
    return AnyMasked::indexed(Layout::coo, std::move(shape), std::move(positions), std::move(values));
}

constinit const LayoutTraits runtime::coo_traits{
    .layout = Layout::coo,
    .name = "coo",
    .mask = MaskForm::elements,
    .bits = bits,
    .bytes = bytes,
    .count = count,
    .dense_values = values_over_zeros,
    .filled = filled,
    .entries = entries,
    .from = from,
    .on_device = from_on_device,
};

}  // namespace frisket
