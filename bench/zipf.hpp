// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace bench {

/// Row numbers of a table of which the k-th commonest is drawn in proportion to k^-1.05, scattered over the
/// table; `share` gives numbers from 0 to 1.
inline std::vector<std::int64_t> zipf(std::int64_t count, std::int64_t rows,
                                      const std::function<double()>& share) {
    std::vector<double> weights(static_cast<std::size_t>(rows));
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k)
        weights[k] = sum += std::pow(static_cast<double>(k + 1), -1.05);
    std::vector<std::int64_t> drawn(static_cast<std::size_t>(count));
    for (std::int64_t& row : drawn) {
        const auto rank = std::ranges::lower_bound(weights, share() * sum) - weights.begin();
        row = std::min<std::int64_t>(rank, rows - 1) * 387'420'489 % rows;  // 3^18: each row once
    }
    return drawn;
}

}  // namespace bench
