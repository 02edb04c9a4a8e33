// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <random>

#include "../../runtime/layouts/layout_traits.hpp"
#include "poison.hpp"

/// Tensors at random, the same in every run and on every machine.
namespace frisket::testing {

/// Share of the elements (in layout rows, of the rows) that are specified: 0 to 1.
struct Density { double fraction; };
inline Density specified(double fraction) { return {fraction}; }

using runtime::can_hold;

/// Order in which the lists of coo and rows are given.
enum class Listed : std::uint8_t { ascending, shuffled, with_duplicates };

/// Whole numbers from a seed; std's distributions differ between libraries.
class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
    }
    bool chance(double probability) { return static_cast<double>(engine_() >> 11) < probability * 0x1p53; }
    template <class T>
    void shuffle(std::vector<T>& elements) {
        for (std::size_t i = elements.size(); i > 1; --i)
            std::swap(elements[i - 1],
                      elements[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }

private:
    std::mt19937_64 engine_;
};

/// One element: floats are multiples of 1/16 in (-8, 8) but 0, so that sums of many are exact.
template <class T>
T random_element(Random& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return random.below(2) == 1;
    } else {
        const std::int64_t number = 1 + random.below(127);
        const T magnitude = static_cast<T>(info_of(dtype_of<T>).is_float ? static_cast<double>(number) / 16
                                                                         : static_cast<double>(number));
        return std::is_unsigned_v<T> || random.below(2) == 0 ? magnitude : static_cast<T>(-magnitude);
    }
}

template <class T = float>
Tensor<T> random_tensor(Shape shape, std::uint32_t seed = 1) {
    Random random(seed);
    Tensor<T> tensor(std::move(shape));
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = random_element<T>(random);
    return tensor;
}

inline Tensor<bool> random_mask(Shape shape, Density density, std::uint32_t seed = 1) {
    Random random(seed);
    Tensor<bool> mask(std::move(shape));
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = random.chance(density.fraction);
    return mask;
}

/// Indices below `bound`, each taken with the density's chance.
inline std::vector<std::int64_t> random_indices(std::int64_t bound, Density density, Listed listed,
                                                Random& random) {
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < bound; ++i)
        for (int copies = random.chance(density.fraction) ? 1 : 0; copies > 0; --copies) {
            indices.push_back(i);
            if (listed == Listed::with_duplicates && random.below(3) == 0) ++copies;
        }
    if (listed != Listed::ascending) random.shuffle(indices);
    return indices;
}

/// Leaves two of each four neighbours.
inline void thin_out(const Tensor<bool>& mask) {
    for (std::int64_t group = 0; group < mask.size() / 4; ++group) {
        int count = 0;
        for (bool* at = mask.data() + group * 4; at < mask.data() + group * 4 + 4; ++at)
            if (*at) *at = ++count <= 2;
    }
}

/// A masked tensor; unspecified values that are stored are poison.  Layout dense: everything is specified;
/// two_four: at most two of four.
template <class T = float>
MaskedTensor<T> random_masked(Shape shape, Density density, Layout layout, std::uint32_t seed = 1,
                              Listed listed = Listed::shuffled) {
    Random random(seed + 1000);
    if (layout == Layout::dense) return MaskedTensor<T>::dense(random_tensor<T>(std::move(shape), seed));
    if (layout == Layout::coo || layout == Layout::rows) {
        const std::int64_t bound = layout == Layout::rows ? shape.at(0) : element_count(shape);
        auto index = std::make_shared<const IndexList>(random_indices(bound, density, listed, random), bound);
        Shape stored{index->size()};
        if (layout == Layout::rows) stored.insert(stored.end(), shape.begin() + 1, shape.end());
        return MaskedTensor<T>(AnyMasked::indexed(layout, std::move(shape), std::move(index),
                                                  random_tensor<T>(std::move(stored), seed)));
    }
    const Tensor<bool> mask = random_mask(shape, density, seed + 1000);
    if (layout == Layout::two_four) thin_out(mask);
    const MaskedTensor<T> strided = masked(random_tensor<T>(std::move(shape), seed), mask);
    poison(strided);
    const MaskedTensor<T> stored = strided.to(layout);
    poison(stored);
    return stored;
}

}  // namespace frisket::testing
