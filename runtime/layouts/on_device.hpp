// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../device/device_lists.hpp"
#include "../tensor/masked_tensor.hpp"

/// Masked tensors whose memory is a device's.  Each element is stored once there: lists are coalesced as
/// they are made.
namespace frisket::runtime::on_device {

/// AnyMasked::ranks(), newly made.  Shape: its layout has ranks.
AnyTensor ranks_of(const AnyMasked& list);
/// Values of a list of elements, of which loops read one for each position: for an empty list, one of any
/// value.
AnyTensor readable_values(const AnyMasked& list);

/// A byte for each element, 0 or 1: bool, of the tensor's shape.
AnyTensor mask_bytes(const AnyMasked& masked);
/// Row-major positions of elements that are true and specified: int32.
AnyTensor true_places(const AnyTensor& condition, const std::optional<AnyTensor>& mask);
/// Values of the tensor's shape, without gaps.
AnyTensor dense_values(const AnyMasked& masked);
/// The mask as layout bitmask stores it; bits past the end hold anything if that is its layout.
AnyTensor words(const AnyMasked& masked);
/// True if two tensors of one dtype, size and device, without gaps, hold the same elements.
bool are_equal(const AnyTensor& a, const AnyTensor& b);
/// True if two masked tensors of one shape and device specify the same elements.
bool have_same_mask(const AnyMasked& a, const AnyMasked& b);
/// Number of specified elements.
std::int64_t count(const AnyMasked& masked);
/// A new tensor that holds the element at `fill` where nothing is specified.
AnyTensor filled(const AnyMasked& masked, const void* fill);

/// Layouts that store elements one by one, sorted by rows or by columns.
AnyMasked elements(const AnyMasked& masked, Layout layout);
/// Layouts of blocks.
AnyMasked blocks(const AnyMasked& masked, Layout layout, Blocksize size);
/// Extents of the blocks that it has, or the extents that usual_blocksize() returns.
Blocksize blocksize_of(const AnyMasked& masked);

/// Rows, of `length` bytes each, with a number of bytes from `least` to `most` that are not 0.
DeviceBits rows_with(const AnyTensor& bytes, std::int64_t length, std::int64_t least, std::int64_t most);

/// A masked tensor whose lists were made on a device, on the processor, with these values.
AnyMasked on_processor(const AnyMasked& masked, AnyTensor values);

}  // namespace frisket::runtime::on_device
