// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "dtype.hpp"

namespace frisket {

/// Calls `body.template operator()<U>()` with the unsigned integer as wide as `dtype`.  What only moves
/// elements moves these: every bit of a NaN arrives.
template <class Body>
decltype(auto) dispatch_width(DType dtype, Body&& body) {
    switch (bytes_of(dtype)) {
        case 1: return body.template operator()<std::uint8_t>();
        case 2: return body.template operator()<std::uint16_t>();
        case 4: return body.template operator()<std::uint32_t>();
        default: return body.template operator()<std::uint64_t>();
    }
}

/// How elements of T are kept in memory and read: a bool as its byte, any but 0 being true.
template <class T>
struct Stored {
    using Type = T;
    static T read(T stored) { return stored; }
};
template <>
struct Stored<bool> {
    using Type = std::uint8_t;
    static bool read(std::uint8_t stored) { return stored != 0; }
};

}  // namespace frisket
