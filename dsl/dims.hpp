// SPDX-License-Identifier: MIT
// Stores dimensions and other short lists without memory of their own.
#pragma once
#include "../runtime/tensor/error.hpp"
#include "diagnose.hpp"
#include "expr_type.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace frisket {

/// A list of at most 8 elements without memory of its own, so that it may stand in a constexpr step.
/// Errors: DimError of a longer one.
template <class T>
class InlineVector {
public:
    static constexpr std::size_t most = 8;

    constexpr InlineVector() = default;
    /// The elements in braces.
    constexpr InlineVector(std::initializer_list<T> items)
        : InlineVector(std::span<const T>(items.begin(), items.size())) {}
    /// The elements of a vector.
    constexpr InlineVector(const std::vector<T>& items) : InlineVector(std::span<const T>(items)) {}
    /// The elements of a span.
    constexpr explicit InlineVector(std::span<const T> items) {
        if (items.size() > most)
            throw DimError("a list of " + std::to_string(items.size()) +
                           " dimensions, at most 8 can be named");
        for (const T& item : items) items_[size_++] = item;
    }

    /// Number of elements.
    constexpr std::size_t size() const { return size_; }
    /// The first element.
    constexpr const T* begin() const { return items_.data(); }
    /// The end of the elements.
    constexpr const T* end() const { return items_.data() + size_; }
    /// The elements, as a vector.
    std::vector<T> to_vector() const { return {begin(), end()}; }

private:
    std::array<T, most> items_{};
    std::size_t size_ = 0;
};

}  // namespace frisket

/// Arguments of reductions: the dimensions, and keepdim.
namespace frisket {

struct KeepDim {};
/// Says that reduced dimensions stay, with extent 1: `sum(x, {1}, keepdim)`.
inline constexpr KeepDim keepdim{};

/// Choice between keeping reduced dimensions, by `keepdim`, and dropping them, by nothing.
struct Keep {
    /// Reduced dimensions go.
    constexpr Keep() = default;
    /// Reduced dimensions stay, with extent 1.
    constexpr Keep(KeepDim /*keepdim*/) : on(true) {}
    /// Says what to write instead.
    template <class T>
    constexpr Keep(const T& /*other*/) {
        static_assert(!sizeof(T),
                      "frisket: dimensions stand in braces before keepdim: write sum(x, {0, 1}, keepdim)");
    }
    bool on = false;
};

namespace detail {
template <class T>
concept WholeNumber = std::integral<T> && !Character<T> && !std::same_as<T, bool>;
template <class T>
inline constexpr bool is_dim = WholeNumber<T>;
}  // namespace detail

/// Dimensions; negative values count from the end: one, `{0, -1}`, a vector, or nothing for all.
class Dims {
public:
    /// All dimensions.
    constexpr Dims() = default;
    /// Several dimensions; an empty list means all.
    constexpr Dims(std::initializer_list<int> dims) : dims_(dims), all_(dims.size() == 0) {}
    /// Several dimensions; an empty vector means all.
    constexpr Dims(const std::vector<int>& dims) : dims_(dims), all_(dims.empty()) {}
    /// All dimensions, each retained with extent 1.
    constexpr Dims(KeepDim /*keepdim*/) : keep_(true) {}
    /// Says what to write instead: `{1.5}` fits better here than above.
    template <class T = double>
    constexpr Dims(std::initializer_list<std::type_identity_t<T>> /*dims*/) {
        static_assert(!sizeof(T), "frisket: dimensions are integers: write sum(x, {0, -1})");
    }
    /// One dimension, an integer.
    template <class T>
    constexpr Dims(const T& dim) : all_(false) {
        static_assert(
            detail::is_dim<T>,
            "frisket: dimensions are integers: write sum(x, 1), sum(x, {0, -1}) or sum(x, {1}, keepdim)");
        if constexpr (detail::WholeNumber<T>) dims_ = InlineVector<int>{static_cast<int>(dim)};
    }

    /// All dimensions from this one on: `dims_from(1)` are the dimensions of a row.
    static constexpr Dims from(int first) {
        Dims result;
        result.dims_ = InlineVector<int>{first};
        result.all_ = false;
        result.from_ = true;
        return result;
    }

    /// Equal dimensions, kept as `keep` says.
    constexpr Dims with(Keep keep) const {
        Dims result = *this;
        result.keep_ |= keep.on;
        return result;
    }
    /// True if reduced dimensions stay.
    constexpr bool keep() const { return keep_; }
    /// The dimensions of a tensor of this rank; nothing: all of them.
    std::optional<std::vector<int>> list(int rank) const {
        if (all_) return {};
        std::vector<int> dims = dims_.to_vector();
        if (!from_) return dims;
        const int first = dims[0] < 0 ? dims[0] + rank : dims[0];
        dims.clear();
        for (int dim = first; dim < rank; ++dim) dims.push_back(dim);
        return dims;
    }
    /// The one dimension of those operations that take one.  Errors: DimError if there are more.
    std::optional<int> one() const {
        if (all_) return {};
        if (dims_.size() > 1 || from_) throw DimError("several dimensions, and the operation goes along one");
        return *dims_.begin();
    }

    /// Calls `see` with each of the numbers that equal Dims have in common.
    constexpr void see_all(const auto& see) const {
        see(all_);
        see(keep_);
        see(from_);
        see(dims_.size());
        for (const int dim : dims_) see(dim);
    }

private:
    InlineVector<int> dims_;
    bool all_ = true;
    bool keep_ = false;
    bool from_ = false;
};

/// The dimensions from `first` on: `mean(x, dims_from(1), keepdim)` is the mean of each row.
constexpr Dims dims_from(int first) { return Dims::from(first); }

}  // namespace frisket
