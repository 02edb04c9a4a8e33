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

    constexpr Dims with(Keep keep) const {
        Dims result = *this;
        result.keep_ |= keep.on;
        return result;
    }
    constexpr bool keep() const { return keep_; }
    /// Nothing: all dimensions.
    std::optional<std::vector<int>> list() const {
        return all_ ? std::nullopt : std::optional(dims_.to_vector());
    }
    /// The one dimension of those operations that take one.  Errors: DimError if there are more.
    std::optional<int> one() const {
        if (all_) return {};
        if (dims_.size() > 1) throw DimError("several dimensions, and the operation goes along one");
        return *dims_.begin();
    }

private:
    Few<int> dims_;
    bool all_ = true;
    bool keep_ = false;
};

}  // namespace frisket
