// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/tensor/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace frisket {

/// A list of at most 8 elements without memory of its own, so that it may stand in a constexpr step.
/// Errors: DimError of a longer one.
template <class T>
class InlineVector {
public:
    static constexpr std::size_t most = 8;

    constexpr InlineVector() = default;
    constexpr InlineVector(std::initializer_list<T> items)
        : InlineVector(std::span<const T>(items.begin(), items.size())) {}
    constexpr InlineVector(const std::vector<T>& items) : InlineVector(std::span<const T>(items)) {}
    constexpr explicit InlineVector(std::span<const T> items) {
        if (items.size() > most)
            throw DimError("a list of " + std::to_string(items.size()) +
                           " dimensions, at most 8 can be named");
        for (const T& item : items) items_[size_++] = item;
    }

    constexpr std::size_t size() const { return size_; }
    constexpr const T* begin() const { return items_.data(); }
    constexpr const T* end() const { return items_.data() + size_; }
    std::vector<T> to_vector() const { return {begin(), end()}; }

private:
    std::array<T, most> items_{};
    std::size_t size_ = 0;
};

}  // namespace frisket
