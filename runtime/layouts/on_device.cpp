// SPDX-License-Identifier: MIT
#include "on_device.hpp"

#include <cstring>

#include "../device/device_kernels.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "compressed.hpp"
#include "conversion.hpp"
#include "layout_traits.hpp"

namespace frisket::runtime::on_device {

namespace {

AnyTensor empty_like(DType dtype, const AnyMasked& masked) {
    return empty(dtype, masked.shape(), masked.device());
}

/// The bits of an element as kernels take it.
struct ElementBits {
    std::int64_t low, high;
    ElementBits(DType dtype, const void* element) {
        std::int32_t halves[2] = {};
        std::memcpy(halves, element, static_cast<std::size_t>(bytes_of(dtype)));
        low = halves[0];
        high = halves[1];
    }
};

void fill_with(bool value, const AnyTensor& bytes) { run(DeviceKernel::fill, {value ? 1 : 0, 0}, {}, bytes); }

/// Elements per listed position: a row, or one.
std::int64_t length_of(const AnyMasked& masked) {
    return lists_rows(masked.layout()) ? row_length(masked.shape()) : 1;
}

/// Scatters the stored elements of a list to their positions.
void scatter(const AnyMasked& list, const AnyTensor& elements, const AnyTensor& to) {
    if (elements.size() > 0)
        run(DeviceKernel::scatter, {length_of(list)}, {list.places(), flat(elements)}, to);
}

/// Bits of the elements of an ascending list.
AnyTensor list_words(const AnyMasked& list) {
    AnyTensor made = empty(DType::int64, {words_for(list.size())}, list.device());
    const AnyTensor& places = list.places();
    if (places.size() == 0)
        run(DeviceKernel::fill, {0, 0}, {}, made);
    else
        run(DeviceKernel::pack_list, {length_of(list), rounds_of(places.size())}, {places}, made);
    return made;
}

/// Entries of a list by columns, or by rows.
AnyMasked sorted_elements(const AnyMasked& list, Layout layout) {
    const Shape& shape = list.shape();
    const bool by_column = traits_of(layout).by_column;
    const LineOrder order = by_column ? LineOrder{.lines = shape[0], .length = shape[1]} : LineOrder{};
    const AnyTensor keys = sorted_keys(list.places(), order),
                    entries = empty(DType::int32, {keys.size()}, keys.device());
    run(DeviceKernel::key_entries, {}, {keys}, entries);
    return AnyMasked::placed(layout, shape, gathered_rows(list.values(), entries, 1, {keys.size()}),
                             gathered_rows(list.places(), entries, 1, {keys.size()}));
}

/// The elements of a matrix block after block, with dimensions (line of blocks, block, row, column).
AnyTensor by_blocks(const AnyTensor& matrix, Blocksize size, bool by_column) {
    const Shape& shape = matrix.shape();
    const AnyTensor split =
        matrix.reshape({shape[0] / size.rows, size.rows, shape[1] / size.columns, size.columns});
    const AnyTensor blocks = split.transpose(1, 2);
    return flat(by_column ? blocks.transpose(0, 1) : blocks);
}

/// True if the list is in row-major order and specifies all its entries.
bool is_ascending(Layout layout) { return has_ranks(layout) || lists_rows(layout); }

}  // namespace

AnyTensor ranks_of(const AnyMasked& list) {
    AnyTensor made = empty(DType::int64, {(list.size() + 31) / 32}, list.device());
    const AnyTensor& places = list.places();
    if (places.size() == 0)
        run(DeviceKernel::fill, {0, 0}, {}, made);
    else
        run(DeviceKernel::rank_list, {rounds_of(places.size())}, {places}, made);
    return made;
}

AnyTensor readable_values(const AnyMasked& list) {
    return list.values().size() > 0 ? list.values() : empty(list.dtype(), {1}, list.device());
}

AnyTensor mask_bytes(const AnyMasked& masked) {
    const AnyTensor made = empty_like(DType::boolean, masked);
    if (made.size() == 0) return made;
    const Layout layout = masked.layout();
    if (!has_mask(layout)) {
        fill_with(true, made);
    } else if (!is_list(layout) || is_ascending(layout)) {
        run(DeviceKernel::unpack_bits, {}, {words(masked)}, made);
    } else {
        fill_with(false, made);
        AnyTensor stored = masked.mask();
        if (stored.size() == 0) {
            stored = empty(DType::boolean, masked.values().shape(), masked.device());
            fill_with(true, stored);
        }
        scatter(masked, stored, made);
    }
    return made;
}

AnyTensor true_places(const AnyTensor& condition, const std::optional<AnyTensor>& mask) {
    AnyTensor is_true = flat(condition);
    if (mask && is_true.size() > 0) {
        const AnyTensor both = empty(DType::boolean, is_true.shape(), is_true.device());
        run(DeviceKernel::blend, {0, 0}, {is_true, flat(*mask)}, both);
        is_true = both;
    }
    return positions_of(packed_bits(is_true));
}

AnyTensor dense_values(const AnyMasked& masked) {
    const AnyTensor& values = masked.values();
    if (!is_list(masked.layout())) return values.is_contiguous() ? values : values.clone();
    const AnyTensor made = empty_like(masked.dtype(), masked);
    scatter(masked, values, made);
    return made;
}

AnyTensor words(const AnyMasked& masked) {
    if (masked.layout() == Layout::bitmask) return masked.mask();
    if (is_ascending(masked.layout())) return list_words(masked);
    return packed_words(flat(masked.layout() == Layout::strided ? masked.mask() : mask_bytes(masked)));
}

bool are_equal(const AnyTensor& a, const AnyTensor& b) {
    if (a.size() == 0) return true;
    const AnyTensor is_other = empty(DType::boolean, {a.size()}, a.device());
    run(DeviceKernel::find_unequal, {}, {a, b}, is_other);
    return packed_bits(is_other).count == 0;
}

bool have_same_mask(const AnyMasked& a, const AnyMasked& b) {
    if (a.size() == 0) return true;
    const bool are_lists = a.layout() == b.layout() && is_list(a.layout()) && a.mask().size() == 0;
    return are_lists ? a.has_same_places(b) : are_equal(flat(mask_bytes(a)), flat(mask_bytes(b)));
}

std::int64_t count(const AnyMasked& masked) {
    if (!has_mask(masked.layout()) || masked.size() == 0) return masked.size();
    if (!is_list(masked.layout())) return counted_bits(words(masked), masked.size()).count;
    return masked.mask().size() > 0 ? packed_bits(flat(masked.mask())).count : masked.values().size();
}

AnyTensor filled(const AnyMasked& masked, const void* fill) {
    AnyTensor made = empty_like(masked.dtype(), masked);
    const ElementBits bits(masked.dtype(), fill);
    if (made.size() > 0)
        run(DeviceKernel::blend, {bits.low, bits.high}, {dense_values(masked), mask_bytes(masked)}, made);
    return made;
}

AnyMasked elements(const AnyMasked& masked, Layout layout) {
    const Layout from = masked.layout();
    if (lists_elements(from)) {
        if (!has_ranks(from) || !has_ranks(layout)) return sorted_elements(masked, layout);
        return AnyMasked::placed(layout, masked.shape(), masked.values().clone(), masked.places());
    }
    const AnyTensor places = positions_of(counted_bits(words(masked), masked.size()));
    const bool by_column = traits_of(layout).by_column;
    AnyMasked made =
        AnyMasked::placed(by_column ? Layout::coo : layout, masked.shape(),
                          gathered_rows(dense_values(masked), places, 1, {places.size()}), places);
    return by_column ? sorted_elements(made, layout) : made;
}

AnyMasked blocks(const AnyMasked& masked, Layout layout, Blocksize size) {
    const bool by_column = traits_of(layout).by_column;
    const AnyTensor bytes = by_blocks(mask_bytes(masked), size, by_column);
    const std::int64_t length = size.rows * size.columns;
    const AnyTensor list = positions_of(rows_with(bytes, length, 1, length));
    const auto kept = [&](const AnyTensor& all) {
        return gathered_rows(all, list, length, {list.size(), size.rows, size.columns});
    };
    const AnyTensor numbers = counted_on(masked.device(), masked.size()).reshape(masked.shape());
    return AnyMasked::placed(layout, masked.shape(), kept(by_blocks(dense_values(masked), size, by_column)),
                             flat(kept(by_blocks(numbers, size, by_column))), kept(bytes));
}

Blocksize blocksize_of(const AnyMasked& masked) {
    const Shape& stored = masked.values().shape();
    if (traits_of(masked.layout()).from_blocks) return {.rows = stored[1], .columns = stored[2]};
    return usual_blocksize(masked);
}

DeviceBits rows_with(const AnyTensor& bytes, std::int64_t length, std::int64_t least, std::int64_t most) {
    const AnyTensor flags = empty(DType::boolean, {length == 0 ? 0 : bytes.size() / length}, bytes.device());
    run(DeviceKernel::row_flags, {length, least, most}, {flat(bytes)}, flags);
    return packed_bits(flags);
}

AnyMasked on_processor(const AnyMasked& masked, AnyTensor values) {
    const AnyTensor narrow = masked.places().to(Device());
    const auto* const at = static_cast<const std::int32_t*>(narrow.data());
    std::vector<std::int64_t> places(at, at + narrow.size());
    const bool by_rows = lists_rows(masked.layout());
    const std::int64_t bound = by_rows ? masked.shape()[0] : masked.size();
    for (const std::int64_t place : places)
        if (place < 0 || place >= bound)
            throw TargetError("device " + std::string(masked.device().name()) +
                              ": a list that it made names place " + std::to_string(place) + " of " +
                              std::to_string(bound) + ": its driver computes something else than it should");
    if (by_rows)
        return AnyMasked::indexed(masked.layout(), masked.shape(), share(std::move(places), bound),
                                  std::move(values));
    std::optional<Blocksize> blocksize;
    if (traits_of(masked.layout()).from_blocks) blocksize = blocksize_of(masked);
    // All stored elements are specified for a moment, to be sorted; then the mask marks the specified
    // elements.
    AnyTensor entries = values.reshape({values.size()});
    if (masked.mask().size() > 0) {
        const AnyTensor mask = masked.mask().to(Device());
        const auto* const is_specified = static_cast<const std::uint8_t*>(mask.data());
        std::vector<std::int64_t> kept, offsets;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (is_specified[i] == 0) continue;
            kept.push_back(places[i]);
            offsets.push_back(static_cast<std::int64_t>(i));
        }
        entries = gathered(entries, offsets);
        places = std::move(kept);
    }
    return AnyMasked::indexed(Layout::coo, masked.shape(), share(std::move(places), masked.size()),
                              std::move(entries))
        .to(masked.layout(), blocksize);
}

}  // namespace frisket::runtime::on_device
