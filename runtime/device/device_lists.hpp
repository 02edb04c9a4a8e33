// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../tensor/masked_tensor.hpp"

/// Lists of indices that are made on a device.  Only the number of entries, which shapes need, comes to the
/// processor.  Errors of all: TargetError, ShapeError if memory runs out.
namespace frisket::runtime {

/// The elements in their order, without gaps: a vector.
AnyTensor flat(const AnyTensor& tensor);

/// Rounds of a binary search among the given number of entries, with the outcome that none matches.
int rounds_of(std::int64_t count);

/// Set bits of a mask.
struct DeviceBits {
    AnyTensor words;         ///< int64: 64 elements each
    AnyTensor sums;          ///< int32: set bits of all words up to each
    std::int64_t count = 0;  ///< number of set bits
};
/// Counts the bits of the given number of elements.
DeviceBits counted_bits(AnyTensor words, std::int64_t elements);
/// Words of a vector of bytes, any of which but 0 is true.
AnyTensor packed_words(const AnyTensor& bytes);
/// Packs and counts such bytes.
DeviceBits packed_bits(const AnyTensor& bytes);
/// Places of the set bits, ascending: int32.
AnyTensor positions_of(const DeviceBits& bits);

/// Extents of a matrix whose entries are to be sorted by columns; the usual extents leave positions as they
/// are.
struct LineOrder { std::int64_t lines = 1, length = 1; };
/// Keys (IndexList::Key) of the entries at these positions, ascending.
AnyTensor sorted_keys(const AnyTensor& places, LineOrder order = {});

/// Entries, each position once: entries with equal positions are summed in their order.
struct PlacedEntries {
    AnyTensor places;  ///< int32, ascending
    AnyTensor values;  ///< rows of the same length as before
};
/// Precisions of sums: the elements' precision, or float64, rounded once.
enum class SumIn : std::uint8_t { dtype, float64 };
/// Shape: values has a row for each position; for SumIn::float64 of float32 or float64.
PlacedEntries coalesced(const AnyTensor& places, const AnyTensor& values, SumIn precision = SumIn::dtype);

/// The numbers from 0 on, int32.  They are stored for the next call.
AnyTensor counted_on(const Device& device, std::int64_t count);

/// Rows of a tensor, `list` of them; `length`: their elements.
AnyTensor gathered_rows(const AnyTensor& tensor, const AnyTensor& list, std::int64_t length, Shape shape);

/// Places of entries from lists of indices, one for each dimension of a shape: int32.
/// Shape: the indices are in range.
AnyTensor places_of(std::span<const AnyTensor> indices, const Shape& shape);
/// True if all indices are below these extents, and none is negative.
bool are_in_range(std::span<const AnyTensor> indices, const Shape& shape);

}  // namespace frisket::runtime
