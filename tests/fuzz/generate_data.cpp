// SPDX-License-Identifier: MIT
#include "../spec/wild.hpp"
#include "generate.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace fuzz {

namespace {

template <class T>
T value(const Flavour& flavour, testing::Random& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return random.below(2) == 1;
    } else {
        constexpr bool has_16_bits = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
        using Made = std::conditional_t<has_16_bits, float,
                                        std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int32_t, T>>;
        if (flavour.bound > 0) {
            const bool is_outside = random.below(400) == 0;
            return static_cast<T>(
                static_cast<Made>(is_outside ? flavour.bound : random.below(flavour.bound)));
        }
        if (flavour.is_wild) return static_cast<T>(testing::wild_element<Made>(random));
        if (random.below(16) == 0) return static_cast<T>(Made(0));
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(random.below(19) - (std::is_signed_v<T> ? 9 : 0));
        else
            return static_cast<T>(testing::random_element<Made>(random));
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
        auto* to = static_cast<T*>(values.data());
        for (std::int64_t i = 0; i < values.size(); ++i) to[i] = value<T>(flavour, random);
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

namespace {

/// The same instructions where extents are others.
Program with_extents(const Program& program, const std::map<std::int64_t, std::int64_t>& now,
                     std::uint32_t seed, testing::Random& random) {
    Program other = program;
    other.seed = seed;
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
        if (input.same_as >= 0) {
            input.values = other.inputs[static_cast<std::size_t>(input.same_as)].values;
            input.mask = other.inputs[static_cast<std::size_t>(input.same_as)].mask;
            continue;
        }
        if (!input.mask) continue;
        // Masks that were one are one again.
        if (!masks.contains(shape)) masks[shape] = random_mask_of(shape, random);
        input.mask = input.layout == Layout::dense ? AnyTensor(full<bool>(shape, true)) : masks[shape];
    }
    for (Instruction& one : other.instructions)
        for (std::int64_t& extent : one.shape) extent = at(extent);
    return other;
}

/// Elements of the largest tensor that stands in a program.
std::int64_t elements_of(const Program& program) {
    const std::deque<Bound> tensors = store(program, {});
    Building known(program, tensors, {.is_step = program.is_step()});
    known.add_all();
    std::int64_t elements = 0;
    for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i)
        for (const Node& node : known[i].graph->graph().nodes)
            elements = std::max(elements, element_count(node.shape));
    return elements;
}

}  // namespace

Program with_other_data(const Program& program, std::uint32_t seed) {
    testing::Random random(seed);
    return with_extents(program, other_extents(program, random), seed, random);
}

std::optional<Program> with_large_data(const Program& program, std::uint32_t seed) {
    if (program.instructions.size() > 3) return {};
    for (const Instruction& one : program.instructions)
        if (forms()[static_cast<std::size_t>(one.form)].needs_session()) return {};
    testing::Random random(seed);
    static constexpr std::int64_t sizes[] = {4096, 16384, 32768, 65536, 131072, 131072, 262144, 1 << 20};
    const std::int64_t wanted = sizes[random.below(std::ssize(sizes))] + random.below(3) - 1;
    // The largest of the inputs grows along its first extent above 1.
    const auto largest =
        std::ranges::max_element(program.inputs, {}, [](const Input& input) { return input.values.size(); });
    if (largest == program.inputs.end() || largest->values.size() < 2) return {};
    const Shape& shape = largest->values.shape();
    const std::int64_t extent = *std::ranges::find_if(shape, [](std::int64_t e) { return e > 1; });
    const std::int64_t others = largest->values.size() / extent;
    std::map<std::int64_t, std::int64_t> now{{extent, (wanted + others - 1) / others}};
    constexpr std::int64_t most = 1 << 21;
    // What has the extent twice would grow twice.
    for (const Input& input : program.inputs)
        if (std::ranges::count(input.values.shape(), extent) > 1) return {};
    try {
        const Program large = with_extents(program, now, seed, random);
        if (elements_of(large) <= most) return large;
    } catch (const Error&) {}  // shapes that do not go together
    return {};
}

}  // namespace fuzz
