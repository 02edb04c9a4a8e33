// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <utility>

namespace frisket::runtime {

/// Memory for elements that will be written: from the pool of results if it is large.
/// Errors: std::bad_alloc.
void* take_array(std::int64_t bytes);
/// Gives the memory of take_array back.
void give_array(void* data, std::int64_t bytes) noexcept;

/// Numbers in memory of the pool; new ones hold anything.
template <class T>
class PooledArray {
public:
    PooledArray() noexcept = default;
    explicit PooledArray(std::int64_t size)
        : data_(static_cast<T*>(take_array(size * bytes))), size_(size), room_(size) {}
    PooledArray(PooledArray&& from) noexcept
        : data_(std::exchange(from.data_, nullptr)),
          size_(std::exchange(from.size_, 0)),
          room_(std::exchange(from.room_, 0)) {}
    PooledArray& operator=(PooledArray&& from) noexcept {
        std::swap(data_, from.data_);
        std::swap(size_, from.size_);
        std::swap(room_, from.room_);
        return *this;
    }
    ~PooledArray() { give_array(data_, room_ * bytes); }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::int64_t size() const noexcept { return size_; }
    /// Forgets the elements from `size` on; the others move into less memory where that spares a quarter.
    void shrink(std::int64_t size) {
        size_ = size;
        if (size + size / 3 >= room_) return;
        PooledArray smaller(size);
        for (std::int64_t i = 0; i < size; ++i) smaller.data_[i] = data_[i];
        *this = std::move(smaller);
    }
    operator std::span<const T>() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

private:
    static constexpr std::int64_t bytes = sizeof(T);
    T* data_ = nullptr;
    std::int64_t size_ = 0, room_ = 0;
};

}  // namespace frisket::runtime
