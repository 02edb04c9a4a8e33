// SPDX-License-Identifier: MIT
#include "tensor.hpp"

#include "../support/made_once.hpp"
#include "elements.hpp"
#include "overlap.hpp"
#include "reach.hpp"
#include "runs.hpp"
#include "sized.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace frisket {

using namespace runtime;

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

/// Refuses more bytes than any memory has.
void check_bytes(const char* where, DType dtype, const Shape& shape, std::int64_t size) {
    if (size <= most_bytes / bytes_of(dtype)) return;
    throw ShapeError(std::string(where) + "shape " + to_string(shape) + " of " + std::string(name_of(dtype)) +
                     " has more than 2^57 bytes, no memory holds that: make it smaller");
}

/// Refuses elements outside the address space.  Shape: with elements.
void check_reach(DType dtype, const void* data, const Shape& shape, const Strides& strides) {
    const auto reach = reach_of(shape, strides, bytes_of(dtype));
    if (!reach)
        throw ShapeError("view: shape " + to_string(shape) + " with strides " + to_string(strides) +
                         " reaches further than 2^57 bytes, no memory holds that: give the strides of the "
                         "memory");
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    std::uintptr_t end = 0;
    if (__builtin_add_overflow(first, reach->low, &end) || __builtin_add_overflow(first, reach->high, &end))
        throw ValueError("view: shape " + to_string(shape) + " with strides " + to_string(strides) +
                         " leads out of the address space: give the data and strides of the memory");
}

/// Strides that lead to no element become 0 where computations with them could overflow.
void drop_unused(Strides& strides, const Shape& shape, std::int64_t size, std::int64_t bytes) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const bool is_unused = size == 0 || shape[d] == 1;
        if (is_unused && (strides[d] > most_bytes / bytes || strides[d] < -most_bytes / bytes))
            strides[d] = 0;
    }
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

namespace detail {

// Never destroyed: static variables of the user's may be moved from after this.
const Shape& empty_shape() noexcept {
    return runtime::made_once([] { return Shape{0}; });
}
const Strides& empty_strides() noexcept {
    return runtime::made_once([] { return Strides{1}; });
}

void refuse_moved_from(std::string_view where, std::string_view what) {
    throw ValueError(std::string(where) + ": the " + std::string(what) +
                     " was moved from and is empty: use the one that it was moved to");
}

namespace {
// Made before memory can be short.
[[maybe_unused]] const bool are_made = empty_shape().size() == empty_strides().size();
}  // namespace

}  // namespace detail

AnyTensor& AnyTensor::operator=(AnyTensor&& from) noexcept {
    if (this == &from) return *this;
    dtype_ = from.dtype_;
    holding_ = std::exchange(from.holding_, detail::Holding::moved);
    contiguous_ = std::exchange(from.contiguous_, true);
    writable_ = std::exchange(from.writable_, true);
    data_ = std::exchange(from.data_, nullptr);
    size_ = std::exchange(from.size_, 0);
    shape_ = std::move(from.shape_);
    strides_ = std::move(from.strides_);
    owner_ = std::move(from.owner_);
    return *this;
}

AnyTensor::AnyTensor(DType dtype, Shape shape)
    : dtype_(dtype),
      holding_(detail::Holding::memory),
      size_(element_count(shape)),
      shape_(std::move(shape)),
      strides_(contiguous_strides(shape_)) {
    check_bytes("", dtype_, shape_, size_);
    if (size_ > 0)
        owner_ = allocate(shape_, dtype_, static_cast<std::size_t>(size_ * bytes_of(dtype_)), data_);
}

AnyTensor::AnyTensor(DType dtype, void* data, Shape shape, Strides strides, bool writable,
                     std::shared_ptr<void> owner)
    : dtype_(dtype),
      holding_(detail::Holding::memory),
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
    info_of(dtype);  // refuses invalid dtypes
    if (data_ == nullptr && size_ > 0)
        throw ValueError("view: the data is a null pointer, shape " + to_string(shape_) + " has " +
                         std::to_string(size_) + " elements: give it memory");
    check_bytes("view: ", dtype_, shape_, size_);
    if (size_ > 0) check_reach(dtype_, data_, shape_, strides_);
    drop_unused(strides_, shape_, size_, bytes_of(dtype_));
    contiguous_ = frisket::is_contiguous(shape_, strides_);
}

AnyTensor AnyTensor::clone() const {
    check_not_moved("clone");
    AnyTensor result = empty(dtype_, shape(), device());
    copy(*this, result);
    return result;
}

AnyTensor AnyTensor::reshape(Shape shape) const {
    check_not_moved("reshape");
    shape = completed(std::move(shape), size_, this->shape());
    Strides strides = contiguous_strides(shape);
    if (!contiguous_) {
        const AnyTensor whole = clone();
        return {dtype_, whole.data_, std::move(shape), std::move(strides), true, whole.owner_};
    }
    return {dtype_, data_, std::move(shape), std::move(strides), writable_, owner_};
}

AnyTensor AnyTensor::transpose(int dim0, int dim1) const {
    check_not_moved("transpose");
    const int first = checked_dim("transpose", dim0, rank()), second = checked_dim("transpose", dim1, rank());
    Shape shape = this->shape();
    Strides strides = this->strides();
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
    return {dtype_, data_, std::move(shape), std::move(strides), writable_, owner_};
}

AnyTensor AnyTensor::slice(int dim, std::int64_t start, std::int64_t end, std::int64_t step) const {
    check_not_moved("slice");
    const int d = checked_dim("slice", dim, rank());
    if (step < 1) throw ValueError("slice: step " + std::to_string(step) + " is below 1: steps go forward");
    Shape shape = this->shape();
    Strides strides = this->strides();
    const std::int64_t extent = shape[d], stride = strides[d];
    const auto bound = [extent](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    const std::int64_t first = bound(start), last = bound(end);
    shape[d] = last > first ? (last - first - 1) / step + 1 : 0;
    if (shape[d] > 1 && size_ > 0) strides[d] *= step;  // may overflow in an empty tensor
    auto* data = static_cast<std::byte*>(data_);
    if (shape[d] > 0 && size_ > 0) data += first * stride * bytes_of(dtype_);
    return {dtype_, data, std::move(shape), std::move(strides), writable_, owner_};
}

AnyTensor AnyTensor::broadcast_to(Shape shape) const {
    check_not_moved("broadcast_to");
    if (!broadcasts_to(this->shape(), shape))
        throw ShapeError("broadcast_to: shape " + to_string(this->shape()) + " does not broadcast to " +
                         to_string(shape) + ": aligned at the right, extents are equal or 1");
    Strides strides = broadcast_strides(this->shape(), this->strides(), shape);
    return {dtype_, data_, std::move(shape), std::move(strides), false, owner_};
}

namespace {

void copy_runs(const AnyTensor& from, const AnyTensor& to) {
    dispatch_width(from.dtype(), [&]<class U>() {
        const Reader<U> source(from.data());
        const Writer<U> target(to.data());
        for_each_run<2>(from.shape(), {from.strides(), to.strides()}, [&](const Run<2>& run) {
            const Reader<U> s = source + run.offset[0];
            const Writer<U> t = target + run.offset[1];
            if (run.step[0] == 1 && run.step[1] == 1) {
                std::memcpy(t.first(), s.first(), static_cast<std::size_t>(run.count) * sizeof(U));
                return;
            }
            for (std::int64_t i = 0; i < run.count; ++i) t[i * run.step[1]] = s[i * run.step[0]];
        });
    });
}

}  // namespace

void copy(const AnyTensor& from, const AnyTensor& to) {
    from.check_not_moved("copy");
    to.check_not_moved("copy");
    if (from.dtype() != to.dtype())
        throw DTypeError("copy: from " + std::string(name_of(from.dtype())) + " to " +
                         std::string(name_of(to.dtype())) + ": both must have the same dtype");
    if (from.shape() != to.shape())
        throw ShapeError("copy: from shape " + to_string(from.shape()) + " to " + to_string(to.shape()) +
                         ": both must have the same shape");
    if (!to.is_writable())
        throw ValueError("copy: the tensor to write is read-only: give one that can be written");
    if (from.size() == 0) return;
    if (detail::is_device_address(from.address()) || detail::is_device_address(to.address()))
        return detail::copy_of_device(from, to);
    if (from.is_contiguous() && to.is_contiguous()) {
        std::memmove(to.data(), from.data(), static_cast<std::size_t>(from.size()) * bytes_of(from.dtype()));
        return;
    }
    // Source elements must not be overwritten before they are read.
    copy_runs(overlap(from, to) != Overlap::none ? from.clone() : from, to);
}

}  // namespace frisket
