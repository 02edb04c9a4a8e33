// SPDX-License-Identifier: MIT
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "../../runtime/tensor/masked_tensor.hpp"

/// Memory that shows writes outside it.  Sanitizers do not see inside generated code; red zones do.
namespace frisket::testing {

/// Place of the first element of a guarded buffer.
struct Place {
    int misalignment = 0;  ///< bytes past a multiple of 64
    bool at_page_end =
        false;  ///< the last byte is the last before a page that must not be touched (misalignment: 0)
};

/// A buffer between two red zones, and these between pages that end the program when touched.
class GuardedBuffer {
public:
    explicit GuardedBuffer(std::size_t bytes, Place place = {}) : bytes_(bytes) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t room = (bytes + 2 * red_zone + 64 + page - 1) / page * page;
        mapped_ = room + 2 * page;
        void* memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        map_ = static_cast<std::byte*>(memory);
        begin_ = map_ + page;
        end_ = begin_ + room;
        if (mprotect(begin_, room, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        data_ = place.at_page_end ? end_ - bytes : begin_ + red_zone + place.misalignment;
        for (std::byte* at = begin_; at < end_; ++at) *at = mark(at);
        std::memset(data_, 0, bytes);
    }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;
    ~GuardedBuffer() { munmap(map_, mapped_); }

    void* data() const { return data_; }

    /// True if every byte around the buffer is as it was.
    bool is_intact() const {
        for (std::byte* at = begin_; at < end_; ++at) {
            if (at == data_) at += bytes_;
            if (at < end_ && *at != mark(at)) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t red_zone = 256;

    /// Differs from byte to byte, so that a copied red zone shows as well.
    std::byte mark(const std::byte* at) const {
        return static_cast<std::byte>(0xa5 ^ (static_cast<std::size_t>(at - begin_) * 29));
    }

    std::size_t bytes_, mapped_ = 0;
    std::byte *map_ = nullptr, *begin_ = nullptr, *end_ = nullptr, *data_ = nullptr;
};

/// A tensor in a guarded buffer.
template <class T>
class Guarded {
public:
    explicit Guarded(Shape shape, Place place = {})
        : buffer_(std::make_shared<GuardedBuffer>(static_cast<std::size_t>(element_count(shape)) * sizeof(T),
                                                  place)),
          tensor_(AnyTensor(dtype_of<T>, buffer_->data(), shape, contiguous_strides(shape), true, buffer_)) {}
    /// The elements of a tensor, row-major.
    explicit Guarded(const Tensor<T>& elements, Place place = {}) : Guarded(elements.shape(), place) {
        copy(elements, tensor_);
    }

    const Tensor<T>& tensor() const { return tensor_; }
    operator const Tensor<T>&() const { return tensor_; }
    bool is_intact() const { return buffer_->is_intact(); }

private:
    std::shared_ptr<GuardedBuffer> buffer_;
    Tensor<T> tensor_;
};

}  // namespace frisket::testing
