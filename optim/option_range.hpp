// SPDX-License-Identifier: MIT
#pragma once
#include <limits>
#include <string>

namespace frisket::optim {

/// The values that a number among a rule's options may have: finite ones between two bounds.
struct OptionRange {
    double low = -std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::max();
    bool low_is_excluded = false, high_is_excluded = false;

    /// False for NaN.
    constexpr bool contains(double value) const {
        return (low_is_excluded ? value > low : value >= low) &&
               (high_is_excluded ? value < high : value <= high);
    }
    /// In words: "a finite number of at least 0 and below 1".
    std::string text() const;
};

/// Ranges that options of several rules have.
namespace range {
inline constexpr OptionRange finite{};
inline constexpr OptionRange not_negative{.low = 0};
inline constexpr OptionRange positive{.low = 0, .low_is_excluded = true};
inline constexpr OptionRange share{.low = 0, .high = 1};
/// A factor of an exponential average: at 1 the average would forget all it is given.
inline constexpr OptionRange decay{.low = 0, .high = 1, .high_is_excluded = true};
}  // namespace range

}  // namespace frisket::optim
