// SPDX-License-Identifier: MIT
// Allocates results from the pool.
#pragma once
#include <cstddef>

#include "tensor.hpp"

namespace frisket::runtime {

/// Results of this size in bytes and more take blocks of the pool.
inline constexpr std::size_t least_pooled_bytes = std::size_t{1} << 18;

/// Size of the block for the given number of bytes: powers of two and those times 1.5, from
/// least_pooled_bytes on, and a page more, as temporaries of loops are some bytes longer than results of the
/// same shape.
constexpr std::size_t block_bytes(std::size_t bytes) {
    constexpr std::size_t page = 4096;
    std::size_t block = least_pooled_bytes;
    while (block + page < bytes && block + block / 2 + page < bytes) block *= 2;
    return (block + page < bytes ? block + block / 2 : block) + page;
}

/// Memory of the pool.
struct PoolBlock {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// A block of at least the given number of bytes, which hold anything; data is null if memory runs out, even
/// after the pool has freed its blocks.
PoolBlock take_block(std::size_t bytes) noexcept;
/// Takes a block back.
void give_block(PoolBlock block) noexcept;

/// A tensor whose elements are to be written: they hold anything if it is large, and 0 if it is small.
/// Errors: ShapeError if memory runs out, even after the pool has freed its blocks.
AnyTensor result_tensor(DType dtype, Shape shape);

}  // namespace frisket::runtime
