// SPDX-License-Identifier: MIT
#include "tensor.hpp"

#include "elements.hpp"
#include "runs.hpp"
#include "sized.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace frisket {

namespace {

constexpr std::uintptr_t alignment = 64;

/// Zeroed memory; from the system's own zero pages where it is large.
std::shared_ptr<void> allocate(const Shape& shape, DType dtype, std::size_t bytes, void*& data) {
    std::shared_ptr<void> owner(std::calloc(bytes + alignment, 1), std::free);
    if (!owner) refuse_size(shape, std::to_string(bytes) + " bytes of " + std::string(name_of(dtype)));
    const auto address = reinterpret_cast<std::uintptr_t>(owner.get());
    data = static_cast<std::byte*>(owner.get()) + (alignment - address % alignment) % alignment;
    return owner;
}

int checked_dim(const char* where, int dim, int rank) {
    const int found = dim < 0 ? dim + rank : dim;
    if (found >= 0 && found < rank) return found;
    throw DimError(std::string(where) + ": dimension " + std::to_string(dim) +
                   " is out of range for a tensor of rank " + std::to_string(rank) +
                   (rank == 0 ? ": it has no dimensions"
                              : ": use " + std::to_string(-rank) + " to " + std::to_string(rank - 1)));
}

/// The shape with its -1 replaced.
Shape completed(Shape shape, std::int64_t size, const Shape& old) {
    const auto open = std::ranges::find(shape, -1);
    const auto refuse = [&](const std::string& reason) {
        throw ShapeError("reshape: shape " + to_string(old) + " to " + to_string(shape) + ": " + reason);
    };
    if (open != shape.end()) {
        Shape rest = shape;
        rest.erase(rest.begin() + (open - shape.begin()));
        if (std::ranges::find(rest, -1) != rest.end()) refuse("only one extent may be -1");
        const std::int64_t known = element_count(rest);
        if (known == 0) refuse("-1 stands for any extent when another is 0, write it out");
        if (size % known != 0)
            refuse(std::to_string(size) + " elements do not divide by " + std::to_string(known));
        *open = size / known;
    }
    const std::int64_t count = element_count(shape);
    if (count != size)
        refuse(std::to_string(size) + " elements do not make " + std::to_string(count) +
               ", both must have the same number");
    return shape;
}

}  // namespace

AnyTensor::AnyTensor(DType dtype, Shape shape)
    : dtype_(dtype),
      size_(element_count(shape)),
      shape_(std::move(shape)),
      strides_(contiguous_strides(shape_)) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(size_, static_cast<std::int64_t>(bytes_of(dtype)), &bytes))
        throw ShapeError("shape " + to_string(shape_) + " of " + std::string(name_of(dtype)) +
                         " has more than 2^63 - 1 bytes: make it smaller");
    if (size_ > 0) owner_ = allocate(shape_, dtype, static_cast<std::size_t>(bytes), data_);
}

AnyTensor::AnyTensor(DType dtype, void* data, Shape shape, Strides strides, bool writable,
                     std::shared_ptr<void> owner)
    : dtype_(dtype),
      writable_(writable),
      data_(data),
      size_(element_count(shape)),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      owner_(std::move(owner)) {
    if (shape_.size() != strides_.size())
        throw ShapeError("view: shape " + to_string(shape_) + " has " + std::to_string(shape_.size()) +
                         " dimensions, strides " + to_string(strides_) + " have " +
                         std::to_string(strides_.size()) + ": give one stride for each dimension");
    if (data_ == nullptr && size_ > 0)
        throw ValueError("view: the data is a null pointer, shape " + to_string(shape_) + " has " +
                         std::to_string(size_) + " elements: give it memory");
    contiguous_ = frisket::is_contiguous(shape_, strides_);
}

AnyTensor AnyTensor::clone() const {
    AnyTensor result(dtype_, shape_);
    copy(*this, result);
    return result;
}

AnyTensor AnyTensor::reshape(Shape shape) const {
    shape = completed(std::move(shape), size_, shape_);
    Strides strides = contiguous_strides(shape);
    if (!contiguous_) {
        const AnyTensor whole = clone();
        return {dtype_, whole.data_, std::move(shape), std::move(strides), true, whole.owner_};
    }
    return {dtype_, data_, std::move(shape), std::move(strides), writable_, owner_};
}

AnyTensor AnyTensor::transpose(int dim0, int dim1) const {
    const int first = checked_dim("transpose", dim0, rank()), second = checked_dim("transpose", dim1, rank());
    Shape shape = shape_;
    Strides strides = strides_;
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
    return {dtype_, data_, std::move(shape), std::move(strides), writable_, owner_};
}

AnyTensor AnyTensor::slice(int dim, std::int64_t start, std::int64_t end, std::int64_t step) const {
    const int d = checked_dim("slice", dim, rank());
    if (step < 1) throw ValueError("slice: step " + std::to_string(step) + " is below 1: steps go forward");
    const std::int64_t extent = shape_[d];
    const auto bound = [extent](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    const std::int64_t first = bound(start), last = bound(end);
    Shape shape = shape_;
    Strides strides = strides_;
    shape[d] = last > first ? (last - first - 1) / step + 1 : 0;
    strides[d] *= shape[d] > 1 ? step : 1;
    auto* data = static_cast<std::byte*>(data_);
    if (shape[d] > 0 && size_ > 0) data += first * strides_[d] * bytes_of(dtype_);
    return {dtype_, data, std::move(shape), std::move(strides), writable_, owner_};
}

AnyTensor AnyTensor::broadcast_to(Shape shape) const {
    if (!broadcasts_to(shape_, shape))
        throw ShapeError("broadcast_to: shape " + to_string(shape_) + " does not broadcast to " +
                         to_string(shape) + ": aligned at the right, extents are equal or 1");
    Strides strides = broadcast_strides(shape_, strides_, shape);
    return {dtype_, data_, std::move(shape), std::move(strides), false, owner_};
}

void copy(const AnyTensor& from, const AnyTensor& to) {
    if (from.dtype() != to.dtype())
        throw DTypeError("copy: from " + std::string(name_of(from.dtype())) + " to " +
                         std::string(name_of(to.dtype())) + ": both must have the same dtype");
    if (from.shape() != to.shape())
        throw ShapeError("copy: from shape " + to_string(from.shape()) + " to " + to_string(to.shape()) +
                         ": both must have the same shape");
    if (!to.is_writable())
        throw ValueError("copy: the tensor to write is read-only: give one that can be written");
    if (from.size() == 0) return;
    if (from.is_contiguous() && to.is_contiguous()) {
        std::memmove(to.data(), from.data(), static_cast<std::size_t>(from.size()) * bytes_of(from.dtype()));
        return;
    }
    dispatch_width(from.dtype(), [&]<class U>() {
        const U* source = static_cast<const U*>(from.data());
        U* target = static_cast<U*>(to.data());
        for_each_run<2>(from.shape(), {from.strides(), to.strides()}, [&](const Run<2>& run) {
            const U* s = source + run.offset[0];
            U* t = target + run.offset[1];
            for (std::int64_t i = 0; i < run.count; ++i) t[i * run.step[1]] = s[i * run.step[0]];
        });
    });
}

}  // namespace frisket
