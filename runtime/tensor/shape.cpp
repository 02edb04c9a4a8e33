// SPDX-License-Identifier: MIT
#include "shape.hpp"

#include <algorithm>

#include "../support/joined.hpp"
#include "error.hpp"

namespace frisket {

using namespace runtime;

std::int64_t element_count(std::span<const std::int64_t> shape) {
    bool is_empty = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0)
            throw ShapeError("shape " + to_string(shape) + " has extent " + std::to_string(extent) +
                             ": extents are 0 or more");
        is_empty |= extent == 0;
    }
    // The product of the other extents may overflow without meaning anything.
    if (is_empty) return 0;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count))
            throw ShapeError("shape " + to_string(shape) +
                             " has more than 2^63 - 1 elements: make it smaller");
    return count;
}

Strides contiguous_strides(std::span<const std::int64_t> shape) {
    Strides strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        strides[d] = stride;
        // Strides of an empty tensor do not matter, but they must not overflow.
        if (__builtin_mul_overflow(stride, std::max<std::int64_t>(shape[d], 1), &stride)) stride = 1;
    }
    return strides;
}

bool is_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    if (std::ranges::find(shape, 0) != shape.end()) return true;
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d] == 1) continue;
        if (strides[d] != stride) return false;
        stride *= shape[d];
    }
    return true;
}

bool broadcasts_to(std::span<const std::int64_t> from, std::span<const std::int64_t> to) {
    if (from.size() > to.size()) return false;
    const std::size_t more = to.size() - from.size();
    for (std::size_t d = 0; d < from.size(); ++d)
        if (from[d] != to[d + more] && from[d] != 1) return false;
    return true;
}

Shape broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Shape shape(rank, 1);
    for (std::size_t i = 0; i < rank; ++i) {  // from the right
        const std::int64_t in_a = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t in_b = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (in_a != in_b && in_a != 1 && in_b != 1)
            throw ShapeError("shapes " + to_string(a) + " and " + to_string(b) +
                             " do not broadcast: aligned at the right, extents are equal or 1");
        shape[rank - 1 - i] = in_a == 1 ? in_b : in_a;
    }
    return shape;
}

Strides broadcast_strides(std::span<const std::int64_t> from, std::span<const std::int64_t> strides,
                          std::span<const std::int64_t> to) {
    Strides result(to.size(), 0);
    const std::size_t more = to.size() - from.size();
    for (std::size_t d = 0; d < from.size(); ++d)
        if (from[d] == to[d + more]) result[d + more] = strides[d];
    return result;
}

std::string to_string(std::span<const std::int64_t> shape) {
    return "[" + joined(shape, [](std::int64_t extent) { return std::to_string(extent); }) + "]";
}

Shape unravel(std::int64_t position, std::span<const std::int64_t> shape) {
    Shape index(shape.size(), 0);
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d] == 0) continue;
        index[d] = position % shape[d];
        position /= shape[d];
    }
    return index;
}

}  // namespace frisket
