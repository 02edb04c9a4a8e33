// SPDX-License-Identifier: MIT
#include "masks.hpp"

#include <algorithm>
#include <random>

using frisket::MaskedTensor, frisket::Tensor;

namespace bench {

namespace {

void finish(Mask& mask, const Tensor<float>& gradient) {
    const bool* bytes = mask.bytes.data();
    for (std::int64_t i = 0; i < side * side; ++i) {
        if (!bytes[i]) continue;
        mask.words[i / 64] |= std::uint64_t{1} << (i % 64);
        mask.positions.push_back(static_cast<std::int32_t>(i));
        mask.values.push_back(gradient.data()[i]);
    }
    for (std::uint64_t word : mask.words)
        for (int k = 0; k < 4; ++k) mask.lines += (word >> (16 * k) & 0xffff) != 0;
}

}  // namespace

Mask make_mask(const std::string& pattern, double density, const Tensor<float>& gradient) {
    Mask mask;
    mask.pattern = pattern;
    mask.density = density;
    std::mt19937_64 generator(7);
    std::bernoulli_distribution pick(density);
    bool* bytes = mask.bytes.data();
    const std::int64_t high = pattern == "block" ? 16 : 1;
    const std::int64_t wide = pattern == "random" ? 1 : pattern == "block" ? 16 : side;
    for (std::int64_t y = 0; y < side; y += high)
        for (std::int64_t x = 0; x < side; x += wide) {
            if (!pick(generator)) continue;
            for (std::int64_t v = y; v < y + high; ++v)
                for (std::int64_t u = x; u < x + wide; ++u) bytes[v * side + u] = true;
        }
    finish(mask, gradient);
    return mask;
}

MaskedTensor<float> coo_of(const Mask& mask) {
    std::vector<std::vector<std::int64_t>> indices(2);
    for (std::int32_t position : mask.positions) {
        indices[0].push_back(position / side);
        indices[1].push_back(position % side);
    }
    return MaskedTensor<float>::coo({side, side}, indices, mask.values);
}

Tensor<float> random_gradient() {
    Tensor<float> gradient({side, side});
    std::mt19937 generator(1);
    for (std::int64_t i = 0; i < side * side; ++i)
        gradient.data()[i] = static_cast<float>(generator()) / 4294967296.0F - 0.5F;
    return gradient;
}

MaskedTensor<float> bitmask_of(const Mask& mask, const Tensor<float>& gradient) {
    Tensor<std::int64_t> bits({side * side / 64});
    std::copy(mask.words.begin(), mask.words.end(), reinterpret_cast<std::uint64_t*>(bits.data()));
    return MaskedTensor<float>::bitmask(gradient, bits);
}

}  // namespace bench
