// SPDX-License-Identifier: MIT
// Declares the functions that every layout supports.
#pragma once
#include <optional>

#include "../tensor/masked_tensor.hpp"

/// Functions that every layout supports.  Costs are linear in the stored elements; a function allocates only
/// if its comment mentions it.
namespace frisket::runtime {

/// The mask as bit words, row-major; bits past the end are zero.  `words` has room for words_for(size).
void bits_of(const AnyMasked& masked, std::uint64_t* words);

/// The mask as one byte an element, 0 or 1, row-major.
void bytes_of(const AnyMasked& masked, std::uint8_t* mask);

/// Values of the tensor's shape; unspecified elements hold anything.  dense, strided and bitmask share their
/// memory; values of other layouts are scattered into a new tensor, duplicates summed.
AnyTensor dense_values(const AnyMasked& masked);

/// Indices in 32 or 64 bits; owns nothing.
class IndexView {
public:
    IndexView() = default;
    explicit IndexView(const IndexList& list)
        : narrow_(list.narrow()), wide_(list.wide()), is_narrow_(list.is_narrow()) {}

    std::int64_t size() const noexcept {
        return static_cast<std::int64_t>(is_narrow_ ? narrow_.size() : wide_.size());
    }
    bool is_narrow() const noexcept { return is_narrow_; }
    std::span<const std::int32_t> narrow() const noexcept { return narrow_; }  ///< empty unless is_narrow()
    std::span<const std::int64_t> wide() const noexcept { return wide_; }      ///< empty if is_narrow()
    std::int64_t operator[](std::int64_t i) const { return is_narrow_ ? narrow_[i] : wide_[i]; }

private:
    std::span<const std::int32_t> narrow_;
    std::span<const std::int64_t> wide_;
    bool is_narrow_ = true;
};

/// The specified elements as a list: strictly ascending row-major positions with values [n], or for layout
/// rows row numbers with values [n, trailing…]; values are contiguous.
struct Coordinates {
    IndexView positions;
    AnyTensor values;
    /// Owner of the positions; null for coo and rows, whose positions live as long as the masked tensor's
    /// index.
    std::shared_ptr<const IndexList> made = nullptr;
};

/// Lists the specified elements.  Copies nothing for layouts coo and rows if the list is sorted and has no
/// duplicates; otherwise duplicates are summed, in the order in which they were given and in the values'
/// dtype, into new memory.  For other layouts a list is made.
Coordinates coordinates_of(const AnyMasked& masked);

/// Difference of two masks.
struct MaskDifference {
    std::int64_t position = 0;    ///< the first that differs, row-major
    bool specified_in_a = false;  ///< the other one then is not
    std::int64_t count_a = 0, count_b = 0;
};

/// Nothing if both specify the same elements; masks are broadcast to `space`.  Fast where the same memory or
/// equal lists say so; otherwise it allocates, and is linear in the size of `space`.
/// Shape: both broadcast to `space` (not checked).
std::optional<MaskDifference> first_mask_difference(const AnyMasked& a, const AnyMasked& b,
                                                    std::span<const std::int64_t> space);

/// True if both specify the same elements.  Shape: equal, otherwise false.
bool same_mask(const AnyMasked& a, const AnyMasked& b);

}  // namespace frisket::runtime
