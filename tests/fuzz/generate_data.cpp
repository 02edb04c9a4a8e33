// SPDX-License-Identifier: MIT
#include "../spec/wild.hpp"
#include "generate.hpp"

#include <algorithm>
#include <map>

namespace fuzz {

namespace {

template <class T>
T value(const Flavour& flavour, testing::Random& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return random.below(2) == 1;
    } else {
        if (flavour.bound > 0) {
            if (random.below(400) == 0) return static_cast<T>(flavour.bound);
            return static_cast<T>(random.below(flavour.bound));
        }
        if (flavour.is_wild) return testing::wild_element<T>(random);
        if (random.below(16) == 0) return T(0);
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(random.below(19) - 9);
        else
            return testing::random_element<T>(random);
    }
}

/// Another extent for each; small ones stay small, so that results do.
std::map<std::int64_t, std::int64_t> other_extents(const Program& program, testing::Random& random) {
    const std::int64_t extents[] = {2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 33};
    std::map<std::int64_t, std::int64_t> now{{0, 0}, {1, 1}};
    std::vector<std::int64_t> used;
    for (const Input& input : program.inputs)
        for (const std::int64_t extent : input.values.shape()) {
            if (now.contains(extent)) continue;
            std::int64_t other = extent;
            do {
                const std::int64_t few = std::ssize(extents) - (input.values.rank() > 2 ? 5 : 0);
                other = extents[random.below(few)];
            } while (std::ranges::find(used, other) != used.end());
            used.push_back(other);
            now[extent] = other;
        }
    return now;
}

}  // namespace

AnyTensor random_values(DType dtype, const Shape& shape, const Flavour& flavour, testing::Random& random) {
    AnyTensor values(dtype, shape);
    dispatch(dtype, [&]<class T>() {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int32_t> ||
                      std::is_same_v<T, std::int64_t> || std::is_floating_point_v<T>) {
            auto* to = static_cast<T*>(values.data());
            for (std::int64_t i = 0; i < values.size(); ++i) to[i] = value<T>(flavour, random);
        }
    });
    return values;
}

AnyTensor random_mask_of(const Shape& shape, testing::Random& random) {
    Tensor<bool> mask(shape);
    const double density =
        std::array{0.5, 0.5, 0.1, 0.9, 1.0, 0.0}[static_cast<std::size_t>(random.below(6))];
    const bool by_rows = random.below(4) == 0 && !shape.empty() && shape[0] > 0;
    const std::int64_t row = by_rows ? mask.size() / shape[0] : 1;
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] = by_rows && i % row > 0 ? mask.data()[i - 1] : random.chance(density);
    return mask;
}

void repeat_first(const AnyTensor& values) {
    if (values.rank() == 0) return;
    for (std::int64_t i = 1; i < values.shape()[0]; ++i)
        copy(values.slice(0, 0, 1), values.slice(0, i, i + 1));
}

Program with_other_data(const Program& program, std::uint32_t seed) {
    testing::Random random(seed);
    Program other = program;
    other.seed = seed;
    const auto now = other_extents(program, random);
    const auto at = [&](std::int64_t extent) {
        const auto found = now.find(extent);
        return found == now.end() ? extent : found->second;
    };
    const bool is_wild = random.below(3) == 0;
    std::map<Shape, AnyTensor> masks;
    for (Input& input : other.inputs) {
        Shape shape = input.values.shape();
        for (std::int64_t& extent : shape) extent = at(extent);
        input.bound = input.bound > 0 ? std::max<std::int64_t>(at(input.bound), 1) : 0;
        input.values = random_values(input.values.dtype(), shape, {is_wild, input.bound}, random);
        if (input.lies == Lies::repeated) repeat_first(input.values);
        if (!input.mask) continue;
        // Masks that were one are one again.
        if (!masks.contains(shape)) masks[shape] = random_mask_of(shape, random);
        input.mask = input.layout == Layout::dense ? AnyTensor(full<bool>(shape, true)) : masks[shape];
    }
    for (Instruction& one : other.instructions)
        for (std::int64_t& extent : one.shape) extent = at(extent);
    return other;
}

}  // namespace fuzz
