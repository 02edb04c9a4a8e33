// SPDX-License-Identifier: MIT
#pragma once
#include "dims.hpp"

#include <cstdint>
#include <optional>

namespace frisket {

struct All;
struct NewAxis {};
/// As an index: a new dimension of extent 1.
inline constexpr NewAxis newaxis{};

/// One index of a selection: a number, `all`, `newaxis`, or `slice(start, end, step)`.
class IndexSpec {
public:
    /// Kinds of index.
    enum class Kind : std::uint8_t { select, slice, newaxis };

    /// One element; the dimension goes.
    template <class T>
        requires detail::WholeNumber<T>
    constexpr IndexSpec(T at) : kind(Kind::select), start(at) {}
    /// A whole dimension.
    constexpr IndexSpec(const All& /*all*/) {}
    /// A new dimension of extent 1.
    constexpr IndexSpec(NewAxis /*newaxis*/) : kind(Kind::newaxis) {}
    /// Elements first, first + by, … below last.
    constexpr IndexSpec(std::optional<std::int64_t> first, std::optional<std::int64_t> last, std::int64_t by)
        : start(first), end(last), step(by) {}
    /// Of an array of indices.
    constexpr IndexSpec() = default;

    Kind kind = Kind::slice;
    std::optional<std::int64_t> start{};
    std::optional<std::int64_t> end{};
    std::int64_t step = 1;
};

/// Python's start:end:step; std::nullopt for an open bound.
constexpr IndexSpec slice(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                          std::int64_t step = 1) {
    return {start, end, step};
}

}  // namespace frisket
