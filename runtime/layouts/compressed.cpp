// SPDX-License-Identifier: MIT
#include "compressed.hpp"

#include "conversion.hpp"

#include <limits>
#include <utility>

#include "../limits.hpp"
#include "../support/parallel.hpp"
#include "../tensor/index_span.hpp"
#include "../tensor/reach.hpp"
#include "../tensor/result_memory.hpp"
#include "../tensor/sized.hpp"
#include "stored.hpp"

namespace frisket::runtime {

namespace {

/// Pointers that a matrix without elements may have: 1 GiB.
constexpr std::int64_t most_empty_lines = std::int64_t{1} << 27;

std::string text(std::int64_t number) { return std::to_string(number); }

/// The words in which errors speak of a layout's parts.
struct Words {
    std::string where, line, across, of_blocks;  // "csr", "row", "column", "" or " of blocks"
};

Words words_of(const Compression& kind) {
    return {.where = std::string(name_of(kind.layout)),
            .line = kind.by_column ? "column" : "row",
            .across = kind.by_column ? "row" : "column",
            .of_blocks = kind.has_blocks ? " of blocks" : ""};
}

/// Grid of a layout's blocks over a matrix.
struct Grid {
    std::int64_t lines, across;  // blocks along and in a line
};

Grid grid_of(const Compression& kind, const std::string& where, const Shape& shape, Blocksize blocksize) {
    const std::string layout(name_of(kind.layout));
    if (shape.size() != 2)
        throw LayoutError(where + ": shape " + to_string(shape) + " has " + std::to_string(shape.size()) +
                          " dimensions, layout " + layout + " holds matrices: use coo, strided or bitmask");
    const auto [height, width] = blocksize;
    if (height < 1 || width < 1 || shape[0] % height != 0 || shape[1] % width != 0)
        throw LayoutError(where + ": blocks of " + text(height) + " by " + text(width) +
                          " do not divide shape " + to_string(shape) +
                          ": give extents of 1 or more that divide the shape's");
    Grid grid{.lines = shape[0] / height, .across = shape[1] / width};
    if (kind.by_column) std::swap(grid.lines, grid.across);
    const bool is_beyond_memory = grid.lines >= most_bytes / static_cast<std::int64_t>(sizeof(std::int64_t));
    if (is_beyond_memory || (grid.across == 0 && grid.lines > most_empty_lines))
        throw LayoutError(where + ": shape " + to_string(shape) + " has " + text(grid.lines) +
                          (kind.by_column ? " columns" : " rows") + (kind.has_blocks ? " of blocks" : "") +
                          (is_beyond_memory ? "" : " and no elements") + ", layout " + layout +
                          " stores a pointer for each" +
                          (is_beyond_memory ? " and no memory holds them" : "") + ": use coo");
    return grid;
}

void check_pointers(const Words& words, const Grid& grid, const CompressedIndex& index) {
    const auto count = static_cast<std::int64_t>(index.pointers.size());
    const auto stored = static_cast<std::int64_t>(index.indices.size());
    if (count != grid.lines + 1)
        throw LayoutError(words.where + ": " + text(count) + " " + words.line + " pointers for " +
                          text(grid.lines) + " " + words.line + "s" + words.of_blocks + ": give " +
                          text(grid.lines + 1));
    if (index.pointers.front() != 0)
        throw LayoutError(words.where + ": " + words.line + " pointer 0 is " + text(index.pointers.front()) +
                          ": the first is 0");
    for (std::int64_t i = 1; i < count; ++i)
        if (index.pointers[i] < index.pointers[i - 1])
            throw LayoutError(words.where + ": " + words.line + " pointer " + text(i) + " is " +
                              text(index.pointers[i]) + ", the one before is " + text(index.pointers[i - 1]) +
                              ": pointers do not decrease");
    if (index.pointers.back() != stored)
        throw LayoutError(words.where + ": the last " + words.line + " pointer is " +
                          text(index.pointers.back()) + ", there are " + text(stored) + " " + words.across +
                          " indices: the last pointer is their number");
}

void check_indices(const Words& words, const Grid& grid, const CompressedIndex& index) {
    for (std::int64_t line = 0; line < grid.lines; ++line)
        for (std::int64_t i = index.pointers[line]; i < index.pointers[line + 1]; ++i) {
            const std::string here = words.where + ": " + words.across + " " + text(index.indices[i]) +
                                     words.of_blocks + " at position " + text(i);
            if (index.indices[i] < 0 || index.indices[i] >= grid.across)
                throw LayoutError(here + " is out of range for extent " + text(grid.across));
            if (i > index.pointers[line] && index.indices[i] <= index.indices[i - 1])
                throw LayoutError(here + " follows " + text(index.indices[i - 1]) + " in " + words.line +
                                  " " + text(line) + ": indices of one " + words.line +
                                  " ascend, each comes once");
        }
}

Shape stored_shape(const Compression& kind, const CompressedIndex& index) {
    Shape shape{static_cast<std::int64_t>(index.indices.size())};
    if (kind.has_blocks) shape.insert(shape.end(), {index.blocksize.rows, index.blocksize.columns});
    return shape;
}

/// Drops the entries whose values are all masked out.
void drop_unspecified(CompressedIndex& index, AnyTensor& values, AnyTensor& mask) {
    const std::int64_t length = index.blocksize.rows * index.blocksize.columns;
    const auto* is_specified = static_cast<const std::uint8_t*>(mask.data());
    std::vector<std::int64_t> offsets;
    CompressedIndex kept{.pointers = {0}, .indices = {}, .blocksize = index.blocksize};
    for (std::size_t line = 0; line + 1 < index.pointers.size(); ++line) {
        for (std::int64_t i = index.pointers[line]; i < index.pointers[line + 1]; ++i) {
            const auto* block = is_specified + i * length;
            if (std::all_of(block, block + length, [](std::uint8_t byte) { return byte == 0; })) continue;
            kept.indices.push_back(index.indices[i]);
            for (std::int64_t k = 0; k < length; ++k) offsets.push_back(i * length + k);
        }
        kept.pointers.push_back(static_cast<std::int64_t>(kept.indices.size()));
    }
    if (kept.indices.size() == index.indices.size()) return;
    Shape shape = values.shape();
    shape[0] = static_cast<std::int64_t>(kept.indices.size());
    values = gathered(values, offsets).reshape(shape);
    mask = gathered(mask, offsets).reshape(shape);
    index = std::move(kept);
}

/// Pointers and indices of sorted blocks, numbered line by line.
CompressedIndex index_of(const IndexView& blocks, const Grid& grid, const Shape& shape, Blocksize blocksize) {
    CompressedIndex index{.pointers = {}, .indices = {}, .blocksize = blocksize};
    if (grid.lines == std::numeric_limits<std::int64_t>::max()) refuse_size(shape, "2^63 pointers");
    index.pointers = zeros_for<std::int64_t>(shape, grid.lines + 1, "pointers");
    index.indices.reserve(static_cast<std::size_t>(blocks.size()));
    for (std::int64_t i = 0; i < blocks.size(); ++i) {
        ++index.pointers[blocks[i] / grid.across + 1];
        index.indices.push_back(blocks[i] % grid.across);
    }
    for (std::size_t line = 1; line < index.pointers.size(); ++line)
        index.pointers[line] += index.pointers[line - 1];
    return index;
}

/// Places of the entries of a matrix: offsets[e] is the place of entry e among the values of the blocks.
std::vector<std::int64_t> places(const IndexList& blocks, const IndexView& positions, std::int64_t columns,
                                 Blocksize blocksize) {
    const auto [height, width] = blocksize;
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(positions.size()));
    const auto place = [&](std::int64_t entry, std::int64_t block) {
        const std::int64_t row = positions[entry] / columns, column = positions[entry] % columns;
        offsets[entry] = (block * height + row % height) * width + column % width;
    };
    if (blocks.is_coalesced()) {
        for (std::int64_t i = 0; i < blocks.size(); ++i) place(i, i);
        return offsets;
    }
    const CoalescePlan& plan = blocks.plan();
    for (std::size_t block = 0; block + 1 < plan.start.size(); ++block)
        for (std::int64_t i = plan.start[block]; i < plan.start[block + 1]; ++i)
            place(plan.order[i], static_cast<std::int64_t>(block));
    return offsets;
}

/// The blocks that hold the elements at these positions, and the place of each element among their values.
Conversion blocks_of(const Compression& kind, const Grid& grid, const IndexView& positions,
                     const Shape& shape, Blocksize blocksize) {
    const std::int64_t columns = shape[1];
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(positions.size()));
    for (std::int64_t i = 0; i < positions.size(); ++i) {
        const std::int64_t row = positions[i] / columns, column = positions[i] - row * columns;
        const std::int64_t down = row / blocksize.rows, across = column / blocksize.columns;
        blocks[i] = kind.by_column ? across * grid.across + down : down * grid.across + across;
    }
    const IndexList list(std::move(blocks), grid.lines * grid.across);
    CompressedIndex index =
        index_of(IndexView(list.is_coalesced() ? list : list.unique()), grid, shape, blocksize);
    const std::int64_t stored = element_count(stored_shape(kind, index));
    return {.list = nullptr,
            .index = std::make_shared<const CompressedIndex>(std::move(index)),
            .order = share(places(list, positions, columns, blocksize), stored)};
}

/// A tensor of zeros in memory of the pool.
AnyTensor zeros_in_pool(DType dtype, const Shape& shape) {
    AnyTensor made = result_tensor(dtype, shape);
    auto* const bytes = static_cast<std::byte*>(made.data());
    parallel_ranges(made.size() * frisket::bytes_of(dtype), limits::most_in_part,
                    [&](std::int64_t begin, std::int64_t end) {
                        std::memset(bytes + begin, 0, static_cast<std::size_t>(end - begin));
                    });
    return made;
}

/// Values of a shape that holds the elements at their offsets; the mask marks these elements.
std::pair<AnyTensor, AnyTensor> scattered(const AnyTensor& elements, const IndexList& offsets,
                                          const Shape& shape) {
    std::pair<AnyTensor, AnyTensor> result(zeros_in_pool(elements.dtype(), shape),
                                           zeros_in_pool(DType::boolean, shape));
    auto* is_specified = static_cast<std::uint8_t*>(result.second.data());
    dispatch_width(elements.dtype(), [&]<class U>() {
        const Reader<U> from(elements.data());
        U* to = static_cast<U*>(result.first.data());
        with_indices(offsets, [&](const auto* offset) {
            for (std::int64_t i = 0; i < offsets.size(); ++i) {
                to[offset[i]] = from[i];
                is_specified[offset[i]] = 1;
            }
        });
    });
    return result;
}

}  // namespace

Entries sorted_entries(std::vector<std::int64_t> positions, std::vector<std::int64_t> offsets,
                       const AnyTensor& values, std::int64_t size) {
    const IndexList list(std::move(positions), size);
    const IndexView sorted(list.is_coalesced() ? list : list.unique());
    if (!list.is_coalesced()) {
        std::vector<std::int64_t> reordered;
        reordered.reserve(offsets.size());
        for (const std::int64_t entry : list.plan().order) reordered.push_back(offsets[entry]);
        offsets = std::move(reordered);
    }
    Entries entries{.positions = {}, .values = gathered(values, offsets)};
    entries.positions.reserve(offsets.size());
    for (std::int64_t i = 0; i < sorted.size(); ++i) entries.positions.push_back(sorted[i]);
    return entries;
}

AnyMasked Compression::made(Shape shape, CompressedIndex index, AnyTensor values,
                            const std::optional<AnyTensor>& values_mask) const {
    const Words words = words_of(*this);
    values.check_not_moved(words.where);
    element_count(shape);  // refuses invalid shapes
    const Grid grid = grid_of(*this, words.where, shape, index.blocksize);
    check_pointers(words, grid, index);
    check_indices(words, grid, index);
    const Shape stored = stored_shape(*this, index);
    if (values.shape() != stored && values.shape() != Shape{element_count(stored)})
        throw LayoutError(
            words.where + ": the values have shape " + to_string(values.shape()) + ", " + text(stored[0]) +
            " " + words.across + " indices want " + to_string(stored) +
            (has_blocks ? ": give each block's values, row-major" : ": give one value for each"));
    values = (values.is_contiguous() ? values : values.clone()).reshape(stored);
    AnyTensor mask;
    if (values_mask) {
        mask = checked_values_mask(words.where, *values_mask, stored);
        drop_unspecified(index, values, mask);
    } else if (has_blocks) {
        mask = full<bool>(stored, true);
    }
    if (!has_blocks) mask = {};
    return {layout,          std::move(shape), std::move(values),
            std::move(mask), nullptr,          std::make_shared<const CompressedIndex>(std::move(index))};
}

void Compression::check(const Shape& shape, Blocksize blocksize) const {
    grid_of(*this, "to", shape, blocksize);
}

AnyMasked Compression::with_values(const AnyMasked& like, AnyTensor values) {
    return {like.layout_, like.shape_, std::move(values), like.mask_, nullptr, like.compressed_};
}

AnyMasked Compression::with_index(Layout layout, Shape shape, std::shared_ptr<const CompressedIndex> index,
                                  AnyTensor values) {
    return {layout, std::move(shape), std::move(values), {}, nullptr, std::move(index)};
}

AnyMasked Compression::from(const AnyMasked& masked, Blocksize blocksize) const {
    const Grid grid = grid_of(*this, "to", masked.shape(), blocksize);
    if (!has_blocks) {
        const AnyMasked elements =
            lists_elements(masked.layout()) ? masked.coalesce() : masked.to(Layout::coo);
        return moved_elements(elements, layout);
    }
    const AnyMasked coo = as_list(masked);
    const KeptStructures::Key key{static_cast<std::int64_t>(layout), masked.shape()[0], masked.shape()[1],
                                  blocksize.rows, blocksize.columns};
    const auto blocks = coo.index()->kept().get<Conversion>(KeptStructures::Kind::conversion, key, [&] {
        return blocks_of(*this, grid, IndexView(*coo.index()), masked.shape(), blocksize);
    });
    auto [values, mask] = scattered(coo.values(), *blocks->order, stored_shape(*this, *blocks->index));
    return {layout, masked.shape(), std::move(values), std::move(mask), nullptr, blocks->index};
}

Blocksize usual_blocksize(const AnyMasked& masked) {
    if (masked.compressed_index() && traits_of(masked.layout()).from_blocks)
        return masked.compressed_index()->blocksize;
    const auto extent = [&](std::size_t d) -> std::int64_t {
        if (masked.rank() != 2) return 1;  // refused later
        return masked.shape()[d] % 4 == 0 ? 4 : masked.shape()[d] % 2 == 0 ? 2 : 1;
    };
    return {.rows = extent(0), .columns = extent(1)};
}

}  // namespace frisket::runtime
