// SPDX-License-Identifier: MIT
#include "../limits/table.hpp"
#include "../spec/wild.hpp"
#include "generate.hpp"
#include "generator.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace fuzz {

namespace {

/// A number at or next to a limit of 16-bit dtypes: one that they hold, the number between it and the next,
/// and the neighbours of these in float32.
float beside_border(testing::Random& random) {
    // float16 has 13 bits less than float32, or more of them among its denormals; bfloat16 has 16 less.
    constexpr std::uint32_t largest_half = 0x477fe000, least_half = 0x33800000;
    auto bits = static_cast<std::uint32_t>(random.below(0x7f7fffff));
    int cut = random.below(2) == 0 ? 16 : 13;
    if (random.below(2) == 0) {
        const std::int64_t denormals = 0x38800000 - least_half + (1 << 24);
        bits = least_half - (1 << 24) + static_cast<std::uint32_t>(random.below(denormals));
        cut = 13 + static_cast<int>(random.below(12));
    } else if (random.below(4) == 0) {
        bits = largest_half + static_cast<std::uint32_t>(random.below(3)) * 0x1000;
    }
    bits = bits >> cut << cut;
    bits += random.below(2) == 0 ? 0U : 1U << (cut - 1);
    bits = std::min(bits + static_cast<std::uint32_t>(random.below(3)), std::uint32_t{0x7f800000}) - 1;
    bits |= static_cast<std::uint32_t>(random.below(2)) << 31;
    return std::bit_cast<float>(bits);
}

template <class T>
T border(testing::Random& random) {
    if constexpr (std::is_integral_v<T>) {
        constexpr std::int64_t numbers[] = {0,  1,  7,  8,  15,  16,  31,  32, 33,
                                            63, 64, 65, -1, -31, -32, -63, -64};
        return static_cast<T>(numbers[random.below(std::ssize(numbers))]);
    } else {
        return static_cast<T>(beside_border(random));
    }
}

template <class T>
T tie(testing::Random& random) {
    if constexpr (std::is_floating_point_v<T>)
        if (random.below(12) == 0) return testing::plain_nan<T>();
    constexpr int numbers[] = {0, 1, 1, 2, -1};
    return static_cast<T>(numbers[random.below(std::ssize(numbers))]);
}

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
        switch (flavour.with) {
            case Flavour::With::extremes: return static_cast<T>(testing::wild_element<Made>(random));
            case Flavour::With::ties: return static_cast<T>(tie<Made>(random));
            case Flavour::With::borders: return static_cast<T>(border<Made>(random));
            case Flavour::With::nothing: break;
        }
        if (random.below(16) == 0) return static_cast<T>(Made(0));
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(random.below(19) - (std::is_signed_v<T> ? 9 : 0));
        else
            return static_cast<T>(testing::random_element<Made>(random));
    }
}

/// Another extent for each; small extents stay small, so that results do.
std::map<std::int64_t, std::int64_t> other_extents(const Program& program, testing::Random& random) {
    const std::int64_t extents[] = {2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 20, 31, 32, 33, 64, 65, 96, 130, 200};
    std::map<std::int64_t, std::int64_t> now{{0, 0}, {1, 1}};
    std::vector<std::int64_t> used;
    for (const Input& input : program.inputs)
        for (const std::int64_t extent : input.values.shape()) {
            if (now.contains(extent)) continue;
            std::int64_t other = extent;
            do {
                const int rank = input.values.rank();
                const std::int64_t few = rank > 2 ? 7 : rank > 1 ? 14 : std::ssize(extents);
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

Program generate_whole_numbers(std::uint32_t seed) {
    testing::Random random(seed);
    constexpr DType dtypes[] = {DType::uint8, DType::int32, DType::int64};
    constexpr OpId ops[] = {op_id<op::Eq>,  op_id<op::Ne>,      op_id<op::Lt>,     op_id<op::Le>,
                            op_id<op::Gt>,  op_id<op::Ge>,      op_id<op::Add>,    op_id<op::Sub>,
                            op_id<op::Mul>, op_id<op::Maximum>, op_id<op::Minimum>};
    constexpr int bits[] = {7, 8, 15, 16, 24, 31, 32, 53, 63};
    const auto limit = std::uint64_t{1} << static_cast<unsigned>(bits[random.below(std::ssize(bits))]);
    const auto beside = static_cast<std::int64_t>(limit - static_cast<std::uint64_t>(random.below(3)) + 1);
    Instruction one;
    one.form = form_named(random.below(2) == 0 ? "with whole" : "whole with");
    one.operands = {-1};
    one.op = ops[random.below(std::ssize(ops))];
    one.a = random.below(2) == 0 ? beside : -1 - beside;
    Program program;
    program.seed = seed;
    program.instructions = {one};
    program.results = {0};
    const Flavour flavour{.with = random.below(2) == 0 ? Flavour::With::extremes : Flavour::With::borders};
    program.inputs.push_back(
        {random_values(dtypes[random.below(std::ssize(dtypes))], {17}, flavour, random)});
    return program;
}

Flavour any_flavour(testing::Random& random) {
    using With = Flavour::With;
    static constexpr With all[] = {With::nothing,  With::nothing, With::nothing, With::extremes,
                                   With::extremes, With::ties,    With::borders};
    return {.with = all[random.below(std::ssize(all))]};
}

namespace {

/// Runs of specified elements and of unspecified elements, each up to `most` long; the last one goes on to
/// the end.
void fill_by_runs(const Tensor<bool>& mask, std::int64_t most, testing::Random& random) {
    bool is_specified = random.below(2) == 0;
    for (std::int64_t i = 0; i < mask.size(); is_specified = !is_specified)
        for (std::int64_t left = 1 + random.below(most); left > 0 && i < mask.size(); --left)
            mask.data()[i++] = is_specified;
}

/// A few elements, or all but a few: near the ends above all, where loops have their tails.
void fill_few(const Tensor<bool>& mask, testing::Random& random) {
    const bool is_specified = random.below(3) > 0;
    std::fill_n(mask.data(), mask.size(), !is_specified);
    for (std::int64_t left = 1 + random.below(3); left > 0 && mask.size() > 0; --left) {
        const std::int64_t reach =
            random.below(2) == 0 ? mask.size() : std::min<std::int64_t>(mask.size(), 70);
        mask.data()[mask.size() - 1 - random.below(reach)] = is_specified;
    }
}

}  // namespace

AnyTensor random_mask_of(const Shape& shape, testing::Random& random) {
    Tensor<bool> mask(shape);
    if (const std::int64_t kind = random.below(8); kind < 3) {
        kind < 2 ? fill_by_runs(mask, std::int64_t{2} << random.below(9), random) : fill_few(mask, random);
        return random.below(4) == 0 ? held(Layout::rows, mask) : mask;
    }
    const double density =
        std::array{0.5, 0.5, 0.1, 0.9, 1.0, 0.0, 0.01, 0.99}[static_cast<std::size_t>(random.below(8))];
    const bool by_rows = random.below(4) == 0 && !shape.empty() && shape[0] > 0;
    const std::int64_t row = by_rows ? mask.size() / shape[0] : 1;
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] = by_rows && i % row > 0 ? mask.data()[i - 1] : random.chance(density);
    return mask;
}

AnyTensor held(Layout layout, const AnyTensor& mask) {
    const Shape& shape = mask.shape();
    if (layout == Layout::dense) return full<bool>(shape, true);
    Tensor<bool> made(mask.clone());
    if (layout == Layout::rows && !shape.empty() && made.size() > 0) {
        const std::int64_t length = made.size() / shape[0];
        for (std::int64_t i = 0; i < made.size(); ++i)
            if (i % length > 0) made.data()[i] = made.data()[i - 1];
    }
    if (layout == Layout::two_four) testing::thin_out(made);
    return made;
}

AnyTensor turned(const AnyTensor& values) {
    return values.transpose(values.rank() - 2, values.rank() - 1).clone();
}

void repeat_first(const AnyTensor& values) {
    if (values.rank() == 0) return;
    for (std::int64_t i = 1; i < values.shape()[0]; ++i)
        copy(values.slice(0, 0, 1), values.slice(0, i, i + 1));
}

namespace {

/// A mask for each shape that has one: masks that were one are one again, in layouts that hold them.
std::map<Shape, AnyTensor> masks_for(const Program& program, const auto& extent_now,
                                     testing::Random& random) {
    std::map<Shape, AnyTensor> masks;
    for (const Input& input : program.inputs) {
        if (!input.mask || input.layout == Layout::dense) continue;
        Shape shape = input.values.shape();
        for (std::int64_t& extent : shape) extent = extent_now(extent);
        if (!masks.contains(shape)) masks[shape] = random_mask_of(shape, random);
        masks[shape] = held(input.layout, masks[shape]);
    }
    return masks;
}

/// The program with other extents, by the map from old to new extents.
Program with_extents(const Program& program, const std::map<std::int64_t, std::int64_t>& now,
                     std::uint32_t seed, testing::Random& random) {
    Program other = program;
    other.seed = seed;
    const auto at = [&](std::int64_t extent) {
        const auto found = now.find(extent);
        return found == now.end() ? extent : found->second;
    };
    Flavour flavour = any_flavour(random);
    const std::map<Shape, AnyTensor> masks = masks_for(program, at, random);
    for (Input& input : other.inputs) {
        Shape shape = input.values.shape();
        for (std::int64_t& extent : shape) extent = at(extent);
        input.bound = input.bound > 0 ? std::max<std::int64_t>(at(input.bound), 1) : 0;
        flavour.bound = input.bound;
        input.values = random_values(input.values.dtype(), shape, flavour, random);
        if (input.lies == Lies::repeated) repeat_first(input.values);
        if (input.same_as >= 0) {
            const Input& same = other.inputs[static_cast<std::size_t>(input.same_as)];
            input.values = input.is_turned ? turned(same.values) : same.values;
            input.mask = same.mask;
        } else if (input.mask) {
            input.mask = input.layout == Layout::dense ? AnyTensor(full<bool>(shape, true)) : masks.at(shape);
        }
    }
    for (Instruction& one : other.instructions)
        for (std::int64_t& extent : one.shape) extent = at(extent);
    return other;
}

/// Elements of the largest tensor of a program.
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

std::optional<Program> with_large_data(const Program& program, std::uint32_t seed, std::int64_t most) {
    if (program.instructions.size() > 3) return {};
    for (const Instruction& one : program.instructions)
        if (forms()[static_cast<std::size_t>(one.form)].needs_session()) return {};
    testing::Random random(seed);
    const std::vector<std::int64_t> sizes = testing::sizes_of(testing::Of::elements, most / 2);
    const std::int64_t wanted = sizes[static_cast<std::size_t>(random.below(std::ssize(sizes)))];
    // The largest of the inputs grows along its first extent above 1.
    const auto largest =
        std::ranges::max_element(program.inputs, {}, [](const Input& input) { return input.values.size(); });
    if (largest == program.inputs.end() || largest->values.size() < 2) return {};
    const Shape& shape = largest->values.shape();
    const std::int64_t extent = *std::ranges::find_if(shape, [](std::int64_t e) { return e > 1; });
    const std::int64_t others = largest->values.size() / extent;
    std::map<std::int64_t, std::int64_t> now{{extent, (wanted + others - 1) / others}};
    // A tensor with this extent twice would grow twice.
    for (const Input& input : program.inputs)
        if (std::ranges::count(input.values.shape(), extent) > 1) return {};
    try {
        const Program large = with_extents(program, now, seed, random);
        if (elements_of(large) <= most) return large;
    } catch (const Error&) {}  // shapes that do not go together
    return {};
}

}  // namespace fuzz
