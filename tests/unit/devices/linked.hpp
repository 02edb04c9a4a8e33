// SPDX-License-Identifier: MIT
#pragma once
#include "../../support/devices.hpp"

#include <cstring>
#include <vector>

/// Parts of tests whose programs have no compiler.
namespace linked_test {

using frisket::testing::there;
using frisket::testing::use_of;

/// Numbers between -1 and 1 that look random.
inline float number(std::int64_t i, int seed) {
    return static_cast<float>((i * 7919 + seed * 104729) % 2003) / 1000.0f - 1.0f;
}

inline frisket::Tensor<float> numbers_of(const frisket::Shape& shape, int seed) {
    frisket::Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = number(i, seed);
    return made;
}

inline bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace linked_test
