// SPDX-License-Identifier: MIT
#include "reach.hpp"

namespace frisket::runtime {

std::optional<Reach> reach_of(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                              std::int64_t bytes) {
    Reach reach{.high = bytes};
    for (std::size_t d = 0; d < shape.size(); ++d) {
        std::int64_t last = 0;
        if (__builtin_mul_overflow(shape[d] - 1, strides[d], &last) ||
            __builtin_mul_overflow(last, bytes, &last) || last > most_bytes || last < -most_bytes)
            return {};
        (last < 0 ? reach.low : reach.high) += last;
        if (reach.high - reach.low > most_bytes) return {};
    }
    return reach;
}

}  // namespace frisket::runtime
