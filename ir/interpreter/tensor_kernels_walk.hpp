// SPDX-License-Identifier: MIT
// Iterates over the elements of tensors that broadcast to one shape.
#pragma once
#include "../../runtime/tensor/elements.hpp"
#include "../../runtime/tensor/tensor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Walks over the elements of tensors that are seen with one shape.
namespace frisket::tensor_kernels {

using runtime::dispatch_numbers;
using runtime::dispatch_values;

/// Strides of a tensor seen with a shape that it broadcasts to.
inline Strides seen_as(const AnyTensor& tensor, const Shape& shape) {
    return broadcast_strides(tensor.shape(), tensor.strides(), shape);
}

/// Calls body(offsets) for each index of `shape` in row-major order: the offset of each tensor's element,
/// given the strides of each.
template <std::size_t N, class Body>
void walk(const Shape& shape, const std::array<Strides, N>& strides, Body&& body) {
    std::array<std::int64_t, N> offsets{};
    Shape index(shape.size(), 0);
    for (std::int64_t left = element_count(shape); left > 0; --left) {
        body(offsets);
        for (std::size_t d = shape.size(); d-- > 0;) {
            ++index[d];
            for (std::size_t i = 0; i < N; ++i) offsets[i] += strides[i][d];
            if (index[d] < shape[d]) break;
            for (std::size_t i = 0; i < N; ++i) offsets[i] -= strides[i][d] * shape[d];
            index[d] = 0;
        }
    }
}

/// Calls body(index) for each index of `shape` in row-major order.
template <class Body>
void walk_index(const Shape& shape, Body&& body) {
    Shape index(shape.size(), 0);
    for (std::int64_t left = element_count(shape); left > 0; --left) {
        body(index);
        for (std::size_t d = shape.size(); d-- > 0;) {
            if (++index[d] < shape[d]) break;
            index[d] = 0;
        }
    }
}

inline std::int64_t offset_of(std::span<const std::int64_t> index, std::span<const std::int64_t> strides) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    return offset;
}

/// The element at an offset.
template <class T>
T element(const AnyTensor& tensor, std::int64_t offset) {
    return runtime::Reader<T>(tensor.data())[offset];
}

/// A shape in two: the dimensions that stay and those that are reduced.
struct Parts { Shape kept, reduced; };

template <class Extents>
Parts parts_of(const Extents& of, std::span<const std::int64_t> dims) {
    Parts parts;
    for (std::size_t d = 0; d < of.size(); ++d) {
        const bool is_reduced = std::ranges::find(dims, static_cast<std::int64_t>(d)) != dims.end();
        (is_reduced ? parts.reduced : parts.kept).push_back(of[d]);
    }
    return parts;
}

/// A mask that is true everywhere, for a tensor without a mask.
inline AnyTensor whole(const std::optional<AnyTensor>& mask, const Shape& shape) {
    if (mask) return mask->broadcast_to(shape);
    AnyTensor all(DType::boolean, Shape{});
    *static_cast<bool*>(all.data()) = true;
    return all.broadcast_to(shape);
}

}  // namespace frisket::tensor_kernels
