// SPDX-License-Identifier: MIT
#pragma once
#include "../support/random.hpp"

#include <bit>
#include <limits>

/// Elements that loops get wrong: zeros of both signs, infinities, NaN, denormals, huge and tiny numbers,
/// and full mantissas between.
namespace frisket::testing {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The NaN that arithmetic makes; every other one is a poison.
template <class T>
T plain_nan() {
    return std::numeric_limits<T>::quiet_NaN();
}

template <class T>
    requires std::is_integral_v<T>
T wild_element(Random& random) {
    using Limits = std::numeric_limits<T>;
    const T special[] = {
        0, 1, -1, 2, Limits::max(), Limits::min(), Limits::max() - 1, Limits::min() + 1, 31, 32, 63, 64, -64};
    if (random.below(3) == 0) return special[random.below(std::ssize(special))];
    if (random.below(2) == 0) return static_cast<T>(random.below(17) - 8);
    return static_cast<T>(random.below(std::numeric_limits<std::int64_t>::max()));
}

template <class T>
    requires std::is_floating_point_v<T>
T wild_element(Random& random) {
    using Limits = std::numeric_limits<T>;
    const T special[] = {T(0),
                         -T(0),
                         T(1),
                         T(-1),
                         T(0.5),
                         Limits::infinity(),
                         -Limits::infinity(),
                         plain_nan<T>(),
                         Limits::denorm_min(),
                         -Limits::denorm_min(),
                         Limits::min(),
                         Limits::max(),
                         Limits::lowest(),
                         T(1e-20),
                         T(-3e18),
                         T(2)};
    if (random.below(6) == 0) return special[random.below(std::ssize(special))];
    const double mantissa = static_cast<double>(random.below(std::int64_t{1} << 53)) / 0x1p53;
    const double magnitude = (0.5 + mantissa) * static_cast<double>(std::int64_t{1} << random.below(5));
    return static_cast<T>(random.below(2) == 0 ? magnitude : -magnitude);
}

template <class T>
Tensor<T> wild_tensor(Shape shape, std::uint32_t seed) {
    Random random(seed);
    Tensor<T> tensor(std::move(shape));
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
        if constexpr (std::is_same_v<T, bool>)
            tensor.data()[i] = random.below(2) == 1;
        else
            tensor.data()[i] = wild_element<T>(random);
    }
    return tensor;
}

/// Bytes that a step must not change in an element that it skips: -0, NaN that signal, NaN with
/// payloads, denormals.
template <class T>
void fill_untouchable_floats(const Tensor<T>& target, const Tensor<bool>& specified) {
    const BitsOf<T> bits[] = {std::bit_cast<BitsOf<T>>(-T(0)), poison_bits<T>(Poison::signalling),
                              poison_bits<T>(Poison::quiet),
                              std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::denorm_min())};
    auto* to = static_cast<std::byte*>(static_cast<const AnyTensor&>(target).data());
    for (std::int64_t i = 0; i < target.size(); ++i)
        if (!specified.data()[i]) std::memcpy(to + i * sizeof(T), &bits[i % std::ssize(bits)], sizeof(T));
}

/// Fills floats as fill_untouchable_floats; leaves integers, any of which will do.
template <class T>
void fill_untouchable(const Tensor<T>& target, const Tensor<bool>& specified) {
    if constexpr (std::is_floating_point_v<T>) fill_untouchable_floats(target, specified);
}

/// A target whose elements are wild where `mask` (of its shape) specifies, and untouchable elsewhere.
template <class T>
Tensor<T> wild_target(const AnyMasked& mask, std::uint32_t seed) {
    Tensor<T> target = wild_tensor<T>(mask.shape(), seed);
    fill_untouchable(target, mask.mask_tensor());
    return target;
}

/// A layout, and how its lists are given.
struct Storage {
    Layout layout;
    Listed listed = Listed::ascending;
    const char* name;
};
inline constexpr Storage every_storage[] = {
    {.layout = Layout::dense, .name = "dense"},
    {.layout = Layout::strided, .name = "strided"},
    {.layout = Layout::bitmask, .name = "bitmask"},
    {.layout = Layout::coo, .name = "coo"},
    {.layout = Layout::coo, .listed = Listed::shuffled, .name = "coo, shuffled"},
    {.layout = Layout::coo, .listed = Listed::with_duplicates, .name = "coo, duplicates"},
    {.layout = Layout::rows, .name = "rows"},
    {.layout = Layout::rows, .listed = Listed::shuffled, .name = "rows, shuffled"},
    {.layout = Layout::rows, .listed = Listed::with_duplicates, .name = "rows, duplicates"},
};

/// A masked tensor of wild elements.
template <class T>
AnyMasked wild_masked(const Shape& shape, Density density, const Storage& stored, std::uint32_t seed,
                      Poison kind = Poison::signalling) {
    MaskedTensor<T> made = random_masked<T>(shape, density, stored.layout, seed, stored.listed);
    if constexpr (!std::is_same_v<T, bool>)
        copy(wild_tensor<T>(made.values().shape(), seed + 7), made.values());
    poison(made, kind);
    return made;
}

}  // namespace frisket::testing
