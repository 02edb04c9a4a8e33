// SPDX-License-Identifier: MIT
// Lists the traits of layouts.
#pragma once
#include "layout.hpp"
#include "on_device.hpp"

namespace frisket::runtime {

/// Specified elements one by one: strictly ascending row-major positions and their values, [n].
struct Entries {
    std::vector<std::int64_t> positions;
    AnyTensor values;
};

/// How a layout stores which elements are specified.
enum class MaskForm : std::uint8_t {
    none,      ///< all elements are specified
    bytes,     ///< a byte for each element
    bits,      ///< a bit for each element
    elements,  ///< a list of the specified elements
    rows,      ///< a list of the specified rows
    padded,    ///< a list of blocks or slots, with a bool for each stored value
};

/// A row of the table of layouts.  Each is made in the file of its name, which lists the layout's invariants.
struct LayoutTraits {
    Layout layout;
    std::string_view name;
    MaskForm mask;
    void (*bits)(const AnyMasked& masked, std::uint64_t* words);
    void (*bytes)(const AnyMasked& masked, std::uint8_t* mask);
    std::int64_t (*count)(const AnyMasked& masked);  ///< number of specified elements
    AnyTensor (*dense_values)(const AnyMasked& masked);
    /// A new contiguous tensor that holds the element at `fill` where nothing is specified.
    AnyTensor (*filled)(const AnyMasked& masked, const void* fill);
    Entries (*entries)(const AnyMasked& masked);
    AnyMasked (*from)(const AnyMasked& masked);  ///< converts to this layout
    /// Converts to this layout with a block size; null if the layout has no blocks.
    AnyMasked (*from_blocks)(const AnyMasked& masked, Blocksize blocksize) = nullptr;
    /// Converts a masked tensor of a device to this layout there.
    AnyMasked (*on_device)(const AnyMasked& masked, std::optional<Blocksize> blocksize) = nullptr;
    /// The layout that a kernel receives instead; none: its loops walk this one.
    std::optional<Layout> kernel_layout = {};
    /// True for shapes that it can store, provided that the mask suits it; null: all.
    bool (*holds)(const Shape& shape) = nullptr;
    /// Row-major position of each stored value, in the order of the values, 0 for unspecified values; null
    /// without a CompressedIndex.
    std::vector<std::int64_t> (*stored_positions)(const AnyMasked& masked) = nullptr;
    bool by_column = false;  ///< entries of a list are sorted by columns first, not by rows
};

extern const LayoutTraits dense_traits, strided_traits, bitmask_traits, coo_traits, rows_traits, csr_traits,
    csc_traits, bsr_traits, bsc_traits, two_four_traits;

/// THE table of layouts, in the order of the enumeration.
inline constexpr const LayoutTraits* layout_table[] = {
    &dense_traits, &strided_traits, &bitmask_traits, &coo_traits, &rows_traits,
    &csr_traits,   &csc_traits,     &bsr_traits,     &bsc_traits, &two_four_traits};

[[noreturn]] void refuse_layout(Layout layout);
/// The row of a layout.  Errors: LayoutError if a number that is no layout was cast to one.
inline const LayoutTraits& traits_of(Layout layout) {
    const auto number = static_cast<std::size_t>(layout);
    if (number >= std::size(layout_table)) refuse_layout(layout);
    return *layout_table[number];
}
/// The layout that loops meet when a kernel is called with this one.
inline Layout kernel_layout(Layout layout) { return traits_of(layout).kernel_layout.value_or(layout); }
/// True if a tensor of this layout may leave elements out.
constexpr bool has_mask(Layout layout) { return layout != Layout::dense; }
/// The layout that all have, dense for an empty list; nothing if they have several.
std::optional<Layout> common_layout(std::span<const Layout> layouts);
/// True if unspecified elements take no memory; else the values have the tensor's shape.
inline bool is_list(Layout layout) { return traits_of(layout).mask >= MaskForm::elements; }
/// True if the list has one entry for each specified element.
inline bool lists_elements(Layout layout) { return traits_of(layout).mask == MaskForm::elements; }
/// True if the list has one entry for each specified row.
inline bool lists_rows(Layout layout) { return traits_of(layout).mask == MaskForm::rows; }
/// True if entries are elements in row-major order: on a device such a tensor has AnyMasked::ranks().
inline bool has_ranks(Layout layout) { return lists_elements(layout) && !traits_of(layout).by_column; }

/// True if a layout can store tensors of a shape, provided that the mask suits it.
inline bool can_hold(Layout layout, const Shape& shape) {
    const auto holds = traits_of(layout).holds;
    return holds == nullptr || holds(shape);
}

// Functions that several layouts share.

/// Entries of a mask's bits, with values that are stored for every element.
Entries entries_of_bits(const AnyMasked& masked);
AnyTensor values_as_stored(const AnyMasked& masked);
/// The specified values in a tensor of zeros.
AnyTensor values_over_zeros(const AnyMasked& masked);
/// The values where the mask's bytes are 1, the element at `fill` elsewhere.
AnyTensor blended(const AnyMasked& masked, const void* fill);
/// A contiguous tensor whose elements are all the one at `fill`.
AnyTensor filled_with(DType dtype, const Shape& shape, const void* fill);
/// A contiguous tensor whose elements are all `number`, converted to the dtype.
AnyTensor filled_with_number(DType dtype, const Shape& shape, double number);
/// The elements of `values` (contiguous) at these offsets, [offsets].
AnyTensor gathered(const AnyTensor& values, std::span<const std::int64_t> offsets);
AnyTensor gathered(const AnyTensor& values, const IndexList& offsets);
/// A user's mask for values of shape `stored`, contiguous; `where` names the caller in messages.
/// Errors: DTypeError; LayoutError if it has another number of elements.
AnyTensor checked_values_mask(const std::string& where, const AnyTensor& mask, const Shape& stored);
/// Indices for an IndexList, shared.
std::shared_ptr<const IndexList> share(std::vector<std::int64_t> indices, std::int64_t bound);
/// Number of elements of a row: the product of the trailing extents.  Shape: rank 1 or more.
std::int64_t row_length(const Shape& shape);

}  // namespace frisket::runtime
