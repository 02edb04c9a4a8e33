// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "../tensor/index_list.hpp"
#include "../tensor/masked_tensor.hpp"

namespace frisket::runtime {

/// Indices of one dimension in memory of the user's, 32 or 64 bits wide.
struct IndexMemory {
    IndexMemory(const std::int64_t* data) : wide(data) {}
    IndexMemory(const std::int32_t* data) : narrow(data) {}
    std::int64_t operator[](std::int64_t i) const { return narrow != nullptr ? narrow[i] : wide[i]; }

    const std::int64_t* wide = nullptr;    ///< null if `narrow` is not
    const std::int32_t* narrow = nullptr;  ///< null if `wide` is not
};

/// The row-major positions of `size` entries, whose indices are read once: a list for each dimension of a
/// shape.
/// Errors: LayoutError naming the first index of the first list that is out of range, by the words
/// "coo: index" for instance; std::bad_alloc.
std::shared_ptr<const IndexList> row_major_positions(std::span<const IndexMemory> lists, std::int64_t size,
                                                     const Shape& shape, std::string_view words);

/// AnyMasked::coo for lists of `stored` indices each, one for each dimension.
AnyMasked coo_of(Shape shape, std::span<const IndexMemory> lists, std::int64_t stored, AnyTensor values,
                 const std::optional<AnyTensor>& values_mask = {});
/// Refuses a shape without rows.  Errors: LayoutError.
void check_rows(const Shape& shape, const char* where);
/// AnyMasked::rows for a list of `stored` row numbers.
AnyMasked rows_of(Shape shape, const IndexMemory& row_numbers, std::int64_t stored, AnyTensor values);

}  // namespace frisket::runtime
