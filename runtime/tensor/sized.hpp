// SPDX-License-Identifier: MIT
// Refuses shapes that do not fit into memory.
#pragma once
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "error.hpp"
#include "shape.hpp"

namespace frisket::runtime {

/// Memory that a shape asks for cannot be had.
[[noreturn]] inline void refuse_size(std::span<const std::int64_t> shape, const std::string& what) {
    throw ShapeError("shape " + to_string(shape) + " takes " + what +
                     ", for which there is no memory: make it smaller, or free some");
}

/// A vector of zeros whose size follows from a shape.
/// Errors: ShapeError naming the shape if memory for it runs out.
template <class T>
std::vector<T> zeros_for(std::span<const std::int64_t> shape, std::int64_t count, const char* of) {
    try {
        return std::vector<T>(static_cast<std::size_t>(count));
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {}
    refuse_size(shape, std::to_string(count) + " " + of);
}

}  // namespace frisket::runtime
