// SPDX-License-Identifier: MIT
// Sums elements with one index.
#pragma once
#include <type_traits>

#include "../tensor/dtype.hpp"

namespace frisket::runtime {

/// The sum of two elements with one index; integers wrap.
template <class T>
T added(T a, T b) {
    if constexpr (!std::is_integral_v<T>) {
        return static_cast<T>(a + b);
    } else {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    }
}

/// The dtype in which duplicates are added: float32 for floats of 16 bits, which are rounded at the end.
constexpr DType summing_dtype(DType dtype) { return has_16_bits(dtype) ? DType::float32 : dtype; }
/// That dtype as a type.
template <class T>
using Summing = std::conditional_t<has_16_bits(dtype_of<T>), float, T>;

/// Duplicates of an entry of a list, put together one by one: `begin_sum` takes the first, `add_to_sum` one
/// more, and for floats of 16 bits `end_sum` returns the elements.  Sums are in summing_dtype; for bools one
/// true is enough.
void begin_sum(DType dtype, void* sum, const void* first, std::int64_t length);
void add_to_sum(DType dtype, void* sum, const void* more, std::int64_t length);
void end_sum(DType dtype, void* elements, const void* sum, std::int64_t length);

}  // namespace frisket::runtime
