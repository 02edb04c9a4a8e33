// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "channel.hpp"

namespace frisket::mpi {

/// A sum of float64 without an error, so that it does not depend on the order of its terms.
/// Source: Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
/// Discrete & Computational Geometry 18, 1997, figure 6 (grow-expansion).
class ExactSum {
public:
    void add(double term);
    /// Numbers that do not overlap, of ascending magnitude, whose sum it is.
    std::span<const double> parts() const noexcept { return parts_; }
    /// The sum, rounded to nearest; inf or NaN as the terms that are not finite say.
    double rounded() const;

private:
    std::vector<double> parts_;
    double not_finite_ = 0;  // sum of the terms that are not finite
};

/// Sums of all ranks, each as the numbers that it is made of.
class SumOfRanks {
public:
    /// Takes the memory that it needs.
    explicit SumOfRanks(const detail::Channel& channel);
    /// Takes this rank's sum.
    void take(const ExactSum& own);
    /// Tells all ranks.
    void gather(detail::Channel& channel) { channel.all_gather(parts_, all_); }
    /// The sum of all, rounded to nearest.
    double rounded() const;

private:
    std::vector<std::int64_t> parts_, all_;
};

}  // namespace frisket::mpi
