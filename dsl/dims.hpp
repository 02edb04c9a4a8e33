// SPDX-License-Identifier: MIT
#pragma once
#include "concepts.hpp"
#include "diagnose.hpp"
#include "few.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

/// What reductions are told: which dimensions, and whether these stay.
namespace frisket {

struct KeepDim {};
/// Says that reduced dimensions stay, with extent 1: `sum(x, {1}, keepdim)`.
inline constexpr KeepDim keepdim{};

/// Whether reduced dimensions stay: `keepdim`, or nothing.
struct Keep {
    constexpr Keep() = default;
    constexpr Keep(KeepDim /*keepdim*/) : on(true) {}
    bool on = false;
};

namespace detail {
template <class T>
concept WholeNumber = std::integral<T> && !Character<T> && !std::same_as<T, bool>;
}  // namespace detail

/// Dimensions, of which negative ones count from the end: one, `{0, -1}`, a vector, or nothing for all.
class Dims {
public:
    constexpr Dims() = default;
    constexpr Dims(std::initializer_list<int> dims) : dims_(dims), all_(dims.size() == 0) {}
    constexpr Dims(const std::vector<int>& dims) : dims_(dims), all_(dims.empty()) {}
    constexpr Dims(KeepDim /*keepdim*/) : keep_(true) {}
    template <class T>
    constexpr Dims(const T& dim) : all_(false) {
        if constexpr (detail::WholeNumber<T>)
            dims_ = Few<int>{static_cast<int>(dim)};
        else
            refuse<Fault::dims_type, T>();
    }

    /// All from this one on: `dims_from(1)` are those of a row.
    static constexpr Dims from(int first) {
        Dims result;
        result.dims_ = Few<int>{first};
        result.all_ = false;
        result.from_ = true;
        return result;
    }

    constexpr Dims with(Keep keep) const {
        Dims result = *this;
        result.keep_ |= keep.on;
        return result;
    }
    constexpr bool keep() const { return keep_; }
    /// Those of a tensor of this rank; nothing: all dimensions.
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

private:
    Few<int> dims_;
    bool all_ = true;
    bool keep_ = false;
    bool from_ = false;
};

/// The dimensions from `first` on: `mean(x, dims_from(1), keepdim)` is the mean of each row.
constexpr Dims dims_from(int first) { return Dims::from(first); }

}  // namespace frisket
