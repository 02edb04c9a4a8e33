// SPDX-License-Identifier: MIT
// Defines the parts that csr, csc, bsr and bsc share.
#pragma once
#include "scattered.hpp"

/// Parts common to csr, csc, bsr and bsc: each consists of lines of blocks; a block of csr or csc is one
/// element.
namespace frisket::runtime {

/// One of the four: its lines are rows or columns (of blocks).
struct Compression {
    Layout layout;
    bool by_column;
    bool has_blocks;

    /// A masked tensor from its parts.  Errors: LayoutError, DTypeError (masked_tensor.hpp).
    AnyMasked made(Shape shape, CompressedIndex index, AnyTensor values,
                   const std::optional<AnyTensor>& values_mask) const;
    /// Converts a masked tensor to this layout.  Errors: LayoutError.
    AnyMasked from(const AnyMasked& masked, Blocksize blocksize) const;
    /// Refuses shapes that it does not hold, in the words of a conversion.  Errors: LayoutError.
    void check(const Shape& shape, Blocksize blocksize) const;
    /// A masked tensor with the index of `like` (one of the four, or two_four) and other values of the same
    /// shape.
    static AnyMasked with_values(const AnyMasked& like, AnyTensor values);
    /// Layout csr or csc from an index that is made already.
    static AnyMasked with_index(Layout layout, Shape shape, std::shared_ptr<const CompressedIndex> index,
                                AnyTensor values);
};

inline constexpr Compression csr_compression{.layout = Layout::csr, .by_column = false, .has_blocks = false};
inline constexpr Compression csc_compression{.layout = Layout::csc, .by_column = true, .has_blocks = false};
inline constexpr Compression bsr_compression{.layout = Layout::bsr, .by_column = false, .has_blocks = true};
inline constexpr Compression bsc_compression{.layout = Layout::bsc, .by_column = true, .has_blocks = true};

/// The blocks that a tensor has, or else of 4, 2 and 1 the largest extents that divide the shape's extents.
Blocksize usual_blocksize(const AnyMasked& masked);

/// Row of the table, and the conversions, of one of the four.
template <const Compression& kind>
struct CompressedRow {
    /// Row-major ascending if the lines are rows.
    template <class Body>
    static void each(const AnyMasked& masked, Body&& body) {
        const CompressedIndex& index = *masked.compressed_index();
        const auto* is_specified = static_cast<const std::uint8_t*>(masked.mask().data());
        const std::int64_t columns = masked.shape()[1];
        const auto [height, width] = index.blocksize;
        const auto lines = static_cast<std::int64_t>(index.pointers.size()) - 1;
        for (std::int64_t line = 0; line < lines; ++line) {
            if (index.pointers[line] == index.pointers[line + 1]) continue;  // blocks may have 2^62 rows
            for (std::int64_t r = 0; r < height; ++r)
                for (std::int64_t entry = index.pointers[line]; entry < index.pointers[line + 1]; ++entry) {
                    const std::int64_t across = index.indices[entry];
                    const std::int64_t row = (kind.by_column ? across : line) * height + r;
                    const std::int64_t column = (kind.by_column ? line : across) * width;
                    const std::int64_t position = row * columns + column;
                    const std::int64_t offset = (entry * height + r) * width;
                    if (kind.has_blocks && width == 4 && !has_any(is_specified + offset)) continue;
                    for (std::int64_t c = 0; c < width; ++c)
                        if (!kind.has_blocks || is_specified[offset + c] != 0) body(position + c, offset + c);
                }
        }
    }
    /// True if any of four bytes is not 0.
    static bool has_any(const std::uint8_t* bytes) {
        std::uint32_t four = 0;
        std::memcpy(&four, bytes, sizeof four);
        return four != 0;
    }
    /// Entries of lines that are rows, which come in their order already.
    static Entries entries(const AnyMasked& masked) {
        if (kind.by_column) return Scattered<CompressedRow>::entries(masked);
        std::vector<std::int64_t> positions, offsets;
        each(masked, [&](std::int64_t position, std::int64_t offset) {
            positions.push_back(position);
            offsets.push_back(offset);
        });
        return {.positions = std::move(positions), .values = gathered(masked.values(), offsets)};
    }
    static std::vector<std::int64_t> stored_positions(const AnyMasked& masked) {
        std::vector<std::int64_t> positions(static_cast<std::size_t>(masked.values().size()), 0);
        each(masked, [&](std::int64_t position, std::int64_t offset) {
            positions[static_cast<std::size_t>(offset)] = position;
        });
        return positions;
    }
    static AnyMasked from(const AnyMasked& masked) {
        return kind.from(masked, kind.has_blocks ? usual_blocksize(masked) : Blocksize{});
    }
    static AnyMasked from_blocks(const AnyMasked& masked, Blocksize blocksize) {
        return kind.from(masked, blocksize);
    }
    static AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize> blocksize) {
        const Blocksize size =
            kind.has_blocks ? blocksize.value_or(on_device::blocksize_of(masked)) : Blocksize{};
        kind.check(masked.shape(), size);
        return kind.has_blocks ? on_device::blocks(masked, kind.layout, size)
                               : on_device::elements(masked, kind.layout);
    }
    static constexpr LayoutTraits row(std::string_view name) {
        const MaskForm mask = kind.has_blocks ? MaskForm::padded : MaskForm::elements;
        LayoutTraits row = Scattered<CompressedRow>::row(kind.layout, name, mask, from);
        if (kind.has_blocks) row.from_blocks = from_blocks;
        row.entries = entries;
        row.on_device = from_on_device;
        row.kernel_layout = Layout::coo;
        row.holds = [](const Shape& shape) { return shape.size() == 2; };
        row.stored_positions = stored_positions;
        row.by_column = kind.by_column;
        return row;
    }
};

}  // namespace frisket::runtime
