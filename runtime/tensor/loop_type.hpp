// SPDX-License-Identifier: MIT
// Maps dtypes to the types that loops see.
#pragma once
#include <HalideRuntime.h>

#include "dtype.hpp"

namespace frisket::runtime {

/// The type of elements in memory as loops see it: bool is uint8, floats of 16 bits are uint16.
inline halide_type_t loop_type(DType dtype) {
    const auto bits = static_cast<std::uint8_t>(bytes_of(dtype) * 8);
    if (info_of(dtype).is_float && bits > 16) return {halide_type_float, bits, 1};
    const bool is_signed = dtype == DType::int32 || dtype == DType::int64;
    return {is_signed ? halide_type_int : halide_type_uint, bits, 1};
}

}  // namespace frisket::runtime
