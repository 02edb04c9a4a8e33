// SPDX-License-Identifier: MIT
// Defines shapes, strides and subscripts.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace frisket {

class IndexSpec;  // dsl/tensor_ops/indexing.hpp

/// A symbol, or a node over symbols or tensors (dsl/), which eval(...) makes a tensor of.
template <class E>
concept SomeExpression = requires { E::expr_type; };

/// The result of `tensor = symbol`, refused with the code to write instead: dsl/diagnose.hpp.
template <class Symbol>
struct ReversedBinding;

/// Selections as NumPy writes them, `x[0]`, `x[{0, all}]`, `x[condition]`, `x(slice(0, 10, 2), 3)`:
/// expressions, which dsl/tensor_ops/indexing.hpp makes; a program that uses them includes it.
template <class Self>
struct Subscripts {
    /// Selection along the first dimension, or by a condition.
    template <class At>
    constexpr auto operator[](const At& at) const -> decltype(subscript_of(std::declval<const Self&>(), at)) {
        return subscript(static_cast<const Self&>(*this), at);
    }
    /// Selection by one index for each leading dimension.
    template <class I = IndexSpec>
    constexpr auto operator[](std::initializer_list<std::type_identity_t<I>> indices) const {
        return subscript(static_cast<const Self&>(*this), indices);
    }
    /// Selection by one index for each leading dimension, or by tensors of indices.
    template <class... At>
    constexpr auto operator()(const At&... at) const
        -> decltype(subscript_of(std::declval<const Self&>(), at...)) {
        return subscript(static_cast<const Self&>(*this), at...);
    }
    /// An argument of std::sqrt, or the value of a number.  Refused, with the code to write instead.
    constexpr operator double() const {
        static_assert(
            !sizeof(Self),
            "frisket: this is no number: write sqrt(x) for std::sqrt(x), eval(x).item() for its value");
        return 0;
    }
    /// The condition of an if, a while or a `?:`.  Refused, with the code to write instead.
    explicit constexpr operator bool() const {
        static_assert(
            !sizeof(Self),
            "frisket: tensors are no condition: write same(p, q), eval(all(x)).item(), where(c, a, b)");
        return false;
    }
};

/// A list of any length, of which the first `few` elements take no memory of their own.  What was moved from
/// is empty.
template <class T, std::size_t few>
    requires std::is_trivially_copyable_v<T>
class SmallVector {
public:
    using value_type = T;

    SmallVector() noexcept {}
    SmallVector(std::initializer_list<T> items) { copy(items.begin(), items.size()); }
    SmallVector(const std::vector<T>& items) { copy(items.data(), items.size()); }
    template <std::input_iterator It>
    SmallVector(It begin, It end) {
        assign(begin, end);
    }
    SmallVector(const SmallVector& other) { copy(other.items_, other.size_); }
    SmallVector(SmallVector&& other) noexcept { take(other); }
    SmallVector& operator=(const SmallVector& other) {
        copy(other.items_, other.size_);
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    ~SmallVector() { release(); }

    operator std::vector<T>() const { return {begin(), end()}; }
    bool operator==(const SmallVector& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* begin() noexcept { return items_; }
    const T* begin() const noexcept { return items_; }
    T* end() noexcept { return items_ + size_; }
    const T* end() const noexcept { return items_ + size_; }
    T& operator[](std::size_t i) { return const_cast<T&>(std::as_const(*this)[i]); }
    const T& operator[](std::size_t i) const {
        assert(i < size_);
        return items_[i];
    }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size_ - 1]; }

    [[gnu::always_inline]] void push_back(const T& item) {
        if (size_ < room_) [[likely]]
            items_[size_++] = item;
        else
            push_back_more(item);
    }
    void insert(const T* before, T item) {
        const auto place = before - items_;
        push_back(item);
        std::rotate(items_ + place, end() - 1, end());
    }
    void clear() noexcept { size_ = 0; }
    void resize(std::size_t size, T item = {}) {
        if (size > room_) reserve(size);
        if (size > size_) std::fill(end(), items_ + size, item);
        size_ = static_cast<std::uint32_t>(size);
    }
    void assign(std::size_t size, T item) {
        clear();
        resize(size, item);
    }
    template <std::input_iterator It>
    void assign(It begin, It end) {
        for (clear(); begin != end; ++begin) push_back(*begin);
    }

private:
    [[gnu::noinline, gnu::cold]] void push_back_more(T item) {
        reserve(std::size_t{2} * room_);
        items_[size_++] = item;
    }
    [[gnu::noinline, gnu::cold]] void reserve(std::size_t room) {
        if (room > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("SmallVector");
        T* const more = std::allocator<T>().allocate(room);
        std::memcpy(more, items_, size_ * sizeof(T));
        release();
        items_ = more;
        room_ = static_cast<std::uint32_t>(room);
    }
    void copy(const T* items, std::size_t size) {
        if (size > room_) reserve(size);
        if (size != 0) std::memmove(items_, items, size * sizeof(T));
        size_ = static_cast<std::uint32_t>(size);
    }
    void take(SmallVector& other) noexcept {
        if (other.items_ == other.few_) {
            copy(other.items_, other.size_);
        } else {
            release();
            items_ = std::exchange(other.items_, other.few_);
            room_ = std::exchange(other.room_, few);
            size_ = other.size_;
        }
        other.size_ = 0;
    }
    void release() noexcept {
        if (items_ != few_) std::allocator<T>().deallocate(items_, room_);
    }

    T* items_ = few_;
    std::uint32_t size_ = 0, room_ = few;
    union { T few_[few]; };  // not initialized: the size counts the valid elements
};

/// Extents of a tensor, outermost first; empty for a 0-d tensor of one element.
using Shape = std::vector<std::int64_t>;
/// Distance between neighbours along each dimension, in elements; may be 0 or negative.
using Strides = std::vector<std::int64_t>;

/// Number of elements: the product of the extents, 1 for a 0-d shape.
/// Errors: ShapeError if an extent is negative or the product does not fit 63 bits.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// Strides of a row-major tensor without gaps.
Strides contiguous_strides(std::span<const std::int64_t> shape);

/// True if elements are row-major without gaps; dimensions of extent 1 and empty tensors do not matter.
bool is_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

/// True if `from` broadcasts to `to` as in NumPy: aligned at the right, equal or 1.
bool broadcasts_to(std::span<const std::int64_t> from, std::span<const std::int64_t> to);

/// The common shape of two operands as in NumPy.
/// Errors: ShapeError naming both shapes.
Shape broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Strides that make a tensor of shape `from` look like one of shape `to`: 0 where it is repeated.
/// Shape: `from` broadcasts to `to` (not checked).
Strides broadcast_strides(std::span<const std::int64_t> from, std::span<const std::int64_t> strides,
                          std::span<const std::int64_t> to);

/// "[2, 4]"
std::string to_string(std::span<const std::int64_t> shape);

/// The multi-index of a row-major position: `position` of shape [2, 4] = 6 returns [1, 2].
Shape unravel(std::int64_t position, std::span<const std::int64_t> shape);

}  // namespace frisket
