// SPDX-License-Identifier: MIT
#include "exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace frisket::mpi {

namespace {

/// No sum of float64 is made of more numbers that do not overlap: 2098 bits, 53 in each.
constexpr std::size_t most_parts = 40;

/// The sum of two numbers, and what rounding took of it.  Precondition: |a| >= |b|.
std::pair<double, double> two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

}  // namespace

void ExactSum::add(double term) {
    if (!std::isfinite(term)) {
        not_finite_ += term;
        return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        double part = parts_[i];
        if (std::abs(term) < std::abs(part)) std::swap(term, part);
        const auto [sum, lost] = two_sum(term, part);
        if (lost != 0) parts_[kept++] = lost;
        term = sum;
    }
    parts_.resize(kept);
    if (std::isfinite(term))
        parts_.push_back(term);
    else
        not_finite_ += term;
}

double ExactSum::rounded() const {
    if (not_finite_ != 0) return not_finite_;
    std::size_t i = parts_.size();
    if (i == 0) return 0;
    double sum = parts_[--i], lost = 0;
    while (i > 0 && lost == 0) std::tie(sum, lost) = two_sum(sum, parts_[--i]);
    // Halfway between two numbers, what follows decides.
    if (i > 0 && lost != 0 && (lost < 0) == (parts_[i - 1] < 0)) {
        const double twice = lost * 2, up = sum + twice;
        if (twice == up - sum) sum = up;
    }
    return sum;
}

SumOfRanks::SumOfRanks(const detail::Channel& channel)
    : parts_(most_parts), all_(most_parts * static_cast<std::size_t>(channel.size())) {}

void SumOfRanks::take(const ExactSum& own) {
    const double rounded = own.rounded();
    const std::span<const double> parts = own.parts();
    // A sum that is not finite has one part, which says so.
    if (std::isfinite(rounded))
        std::ranges::transform(parts, parts_.begin(),
                               [](double part) { return std::bit_cast<std::int64_t>(part); });
    else
        parts_[0] = std::bit_cast<std::int64_t>(rounded);
}

double SumOfRanks::rounded() const {
    ExactSum sum;
    for (const std::int64_t one : all_) sum.add(std::bit_cast<double>(one));
    return sum.rounded();
}

}  // namespace frisket::mpi
