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
class Selector {
public:
    enum class Kind : std::uint8_t { select, slice, newaxis };

    template <class T>
        requires detail::WholeNumber<T>
    constexpr Selector(T at) : kind(Kind::select), start(at) {}
    constexpr Selector(const All& /*all*/) {}
    constexpr Selector(NewAxis /*newaxis*/) : kind(Kind::newaxis) {}
    constexpr Selector(std::optional<std::int64_t> first, std::optional<std::int64_t> last, std::int64_t by)
        : start(first), end(last), step(by) {}
    /// Of an array of indices.
    constexpr Selector() = default;

    Kind kind = Kind::slice;
    std::optional<std::int64_t> start{};
    std::optional<std::int64_t> end{};
    std::int64_t step = 1;
};

/// Python's start:end:step; std::nullopt for an open bound.
constexpr Selector slice(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                         std::int64_t step = 1) {
    return {start, end, step};
}

}  // namespace frisket
