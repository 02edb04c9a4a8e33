// SPDX-License-Identifier: MIT
/// Elements that are for storage: a load widens them, a store rounds to nearest, ties to even.
#include "../../codegen/eval.hpp"
#include "../../codegen/jit/evaluate.hpp"
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace storage_dtypes_widen_and_round_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Every pattern of 16 bits.
template <class T>
Tensor<T> all_patterns() {
    Tensor<T> all({65536});
    for (std::uint32_t bits = 0; bits < 65536; ++bits)
        all.data()[bits] = T::from_bits(static_cast<std::uint16_t>(bits));
    return all;
}

/// Every sign, exponent and beginning of a mantissa, with ends around ties of either format.
Tensor<float> floats_to_round() {
    constexpr std::uint32_t ends[] = {0, 1, 0x0fff, 0x1000, 0x1001, 0x3000, 0x7fff, 0x4000};
    Tensor<float> all({std::int64_t{1} << 20});
    for (std::uint32_t i = 0; i < (1U << 20); ++i)
        all.data()[i] = std::bit_cast<float>(i >> 3 << 15 | ends[i & 7]);
    return all;
}

/// Tells if numbers are equal, the sign of zero included, or both NaN of one sign.
bool is_same(float a, float b) {
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b) && std::signbit(a) == std::signbit(b);
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// Number of elements that differ from the type's own conversion.
template <class To, class From>
std::int64_t count_wrong(const Tensor<To>& found, const Tensor<From>& from) {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < from.size(); ++i)
        wrong += !is_same(static_cast<float>(found.data()[i]),
                          static_cast<float>(static_cast<To>(static_cast<float>(from.data()[i]))));
    return wrong;
}

/// A step carried out in both ways; returns how many elements are wrong.
template <class To, class From, class Step>
std::int64_t wrong_in_step(const Step& step, const Tensor<From>& x) {
    const Compared both(step);
    const Tensor<To> jitted(x.shape()), interpreted(x.shape());
    both.kernel({{"out", jitted}, {"x", x}});
    interpret(both.graph, {{"out", interpreted}, {"x", x}});
    return count_wrong(jitted, x) + count_wrong(interpreted, x);
}

/// The nearest small float, by comparing all of them; the even one of two.
template <class To>
To nearest(long double number) {
    std::uint16_t below = 0, above = To(std::numeric_limits<float>::infinity()).bits();
    const long double magnitude = std::fabs(number);
    const auto value = [](std::uint16_t bits) -> long double {
        // Values past the largest one go on as if the exponent did.
        const auto largest =
            static_cast<std::uint16_t>(To(std::numeric_limits<float>::infinity()).bits() - 1);
        const auto of = [](std::uint16_t one) -> long double {
            return static_cast<float>(To::from_bits(one));
        };
        return bits > largest ? 2 * of(largest) - of(static_cast<std::uint16_t>(largest - 1)) : of(bits);
    };
    while (above - below > 1) {
        const auto middle = static_cast<std::uint16_t>((below + above) / 2);
        (value(middle) <= magnitude ? below : above) = middle;
    }
    const long double low = magnitude - value(below), high = value(above) - magnitude;
    const bool is_up = high < low || (high == low && below % 2 == 1);
    const std::uint16_t bits = is_up ? above : below;
    return To::from_bits(static_cast<std::uint16_t>(bits | (std::signbit(number) ? 0x8000 : 0)));
}

/// Numbers stored by steps and expressions in both ways, and converted; how many are not the nearest.
template <class To, class From>
std::int64_t wrong_rounded_once(const Tensor<From>& numbers) {
    constexpr In<"x", From> x;
    constexpr InOut<"out", To> out;
    const Compared both(frisket::step<"once">(out = x));
    std::vector<Tensor<To>> found{Tensor<To>(numbers.shape()), Tensor<To>(numbers.shape())};
    both.kernel({{"out", found[0]}, {"x", numbers}});
    interpret(both.graph, {{"out", found[1]}, {"x", numbers}});
    found.push_back(numbers.template to<To>());
    found.push_back(eval(cast<To>(numbers), {.jit = Jit::always}));
    found.push_back(eval(cast<To>(numbers), {.jit = Jit::never}));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
        const auto number = static_cast<long double>(numbers.data()[i]);
        for (const Tensor<To>& one : found)
            wrong += std::isnan(number)   ? !std::isnan(static_cast<float>(one.data()[i]))
                     : std::isinf(number) ? one.data()[i].bits() != To(static_cast<double>(number)).bits()
                                          : one.data()[i].bits() != nearest<To>(number).bits();
    }
    return wrong;
}

/// A target of random elements whose bytes are all patterns where nothing is specified.
template <class T>
Tensor<T> small_target(const AnyMasked& mask, std::uint32_t seed) {
    const Tensor<bool> specified = mask.mask_tensor();
    const Tensor<float> numbers = random_tensor<float>(mask.shape(), seed);
    Tensor<T> target(mask.shape());
    for (std::int64_t i = 0; i < target.size(); ++i)
        target.data()[i] =
            specified.data()[i] ? T(numbers.data()[i]) : T::from_bits(static_cast<std::uint16_t>(i * 40503));
    return target;
}

}  // namespace

TEMPLATE_TEST_CASE("each of the 65536 patterns is widened exactly in steps and in expressions", "[spec]",
                   float16, bfloat16) {
    constexpr In<"x", TestType> x;
    constexpr InOut<"out"> out;
    const Tensor<TestType> all = all_patterns<TestType>();
    CHECK(wrong_in_step<float>(frisket::step<"widen">(out = x), all) == 0);
    GraphBuilder b("widen");
    const NodeId results[] = {b.symbol("x", SymbolKind::in, all.dtype(), all.shape())};
    const Graph graph = b.expression(results);
    const Argument arguments[] = {all};
    CHECK(count_wrong<float>(Tensor<float>(codegen::jit_evaluate(graph, arguments)[0].values), all) == 0);
    CHECK(count_wrong<float>(Tensor<float>(evaluate(graph, arguments)[0].values.clone()), all) == 0);
}

TEMPLATE_TEST_CASE("floats are stored as the nearest element, ties to even, NaN as NaN", "[spec]", float16,
                   bfloat16) {
    constexpr In<"x"> x;
    constexpr InOut<"out", TestType> out;
    const Tensor<float> all = floats_to_round();
    CHECK(wrong_in_step<TestType>(frisket::step<"round">(out = x), all) == 0);
    GraphBuilder b("round");
    const Node cast{.kind = NodeKind::cast,
                    .dtype = out.dtype,
                    .operands = {b.symbol("x", SymbolKind::in, DType::float32, all.shape())},
                    .shape = all.shape()};
    const NodeId results[] = {b.add(cast)};
    const Graph graph = b.expression(results);
    const Argument arguments[] = {all};
    CHECK(count_wrong(Tensor<TestType>(codegen::jit_evaluate(graph, arguments)[0].values), all) == 0);
    CHECK(count_wrong(Tensor<TestType>(evaluate(graph, arguments)[0].values.clone()), all) == 0);
}

TEMPLATE_TEST_CASE("numbers of 64 bits are rounded to small floats once", "[spec]", float16, bfloat16) {
    // A little off the middle of two small floats: by way of float32 these would be ties.
    const Tensor<float> floats = floats_to_round();
    const Tensor<double> numbers({3 * floats.size()});
    for (std::int64_t i = 0; i < floats.size(); ++i) {
        const auto number = static_cast<double>(floats.data()[i]);
        numbers.data()[3 * i] = number;
        numbers.data()[3 * i + 1] = std::nextafter(number, 1e300);
        numbers.data()[3 * i + 2] = std::nextafter(number, -1e300);
    }
    CHECK(wrong_rounded_once<TestType>(numbers) == 0);
    const Tensor<std::int64_t> wholes({64 * 4 * 3 * 2});
    std::int64_t* next = wholes.data();
    for (int power = 0; power < 64; ++power)
        for (const std::uint64_t half : {0, 1, 3, 5})
            for (const int beside : {-1, 0, 1}) {
                const std::uint64_t number = (std::uint64_t{1} << power) +
                                             (power > 12 ? half << (power - 12) : 0) +
                                             static_cast<std::uint64_t>(beside);
                *next++ = static_cast<std::int64_t>(number);
                *next++ = static_cast<std::int64_t>(-number);
            }
    CHECK(wrong_rounded_once<TestType>(wholes) == 0);
    constexpr Scalar<"number"> number;
    constexpr InOut<"out", TestType> out;
    const Compared both(frisket::step<"number">(out = number));
    for (const double one : {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, 1 - 0x1p-12 - 0x1p-45}) {
        const Tensor<TestType> jitted({3}), interpreted({3});
        both.kernel({{"out", jitted}, {"number", one}});
        interpret(both.graph, {{"out", interpreted}, {"number", one}});
        CHECK(jitted.data()[1].bits() == TestType(one).bits());
        CHECK(interpreted.data()[1].bits() == TestType(one).bits());
    }
}

TEST_CASE("bytes are widened to int32, and keep the low bits of what is stored", "[spec]") {
    constexpr InOut<"bytes", std::uint8_t> bytes;
    constexpr InOut<"wide", std::int32_t> wide;
    constexpr In<"more", std::int32_t> more;
    const Compared step(frisket::step<"bytes">(wide = bytes * 1000, bytes += more));
    const Tensor<std::uint8_t> all({256});
    for (int i = 0; i < 256; ++i) all.data()[i] = static_cast<std::uint8_t>(i);
    Trial trial(step);
    CHECK(trial.writes("bytes", all)
              .writes("wide", zeros<std::int32_t>({256}))
              .reads("more", wild_tensor<std::int32_t>({256}, 4))
              .difference() == "");
    CHECK(static_cast<const std::int32_t*>(trial.result(1).data())[255] == 255000);
}

TEMPLATE_TEST_CASE("what reads an update reads it rounded, and unspecified bytes stay", "[spec]", float16,
                   bfloat16) {
    constexpr InOut<"small", TestType> small;
    constexpr InOut<"seen"> seen;
    constexpr Masked<"grad"> grad;
    constexpr Scalar<"lr"> lr;
    const Compared step(frisket::step<"rounded">(small += grad * lr, seen = small + 0 * grad,
                                                 small *= on(grad, 1.0625), seen += on(grad, small)));
    for (const Storage& stored : every_storage) {
        const AnyMasked gradient = wild_masked<float>({77, 13}, specified(0.4), stored, 31);
        INFO(stored.name);
        CHECK(Trial(step)
                  .number("lr", 0.37)
                  .writes("small", small_target<TestType>(gradient, 32))
                  .writes("seen", wild_target<float>(gradient, 33))
                  .reads("grad", gradient)
                  .difference() == "");
    }
}

TEMPLATE_TEST_CASE("updates of two masks store what either specifies, and no other byte", "[spec]", float16,
                   bfloat16) {
    constexpr InOut<"small", TestType> small;
    constexpr InOut<"flags", bool> flags;
    constexpr Masked<"grad"> grad;
    constexpr Masked<"more"> more;
    const Compared step(
        frisket::step<"either">(small += grad, flags = grad > 0.0, small *= more, flags = more > 0.5));
    const Shape shape{77, 13};
    for (const Storage& first : every_storage)
        for (const Storage& second : every_storage) {
            const AnyMasked left = wild_masked<float>(shape, specified(0.3), first, 41);
            const AnyMasked right = wild_masked<float>(shape, specified(0.3), second, 42);
            INFO(first.name << " and " << second.name);
            CHECK(Trial(step)
                      .writes("small", Tensor<TestType>(wild_tensor<float>(shape, 43).to(dtype_of<TestType>)))
                      .writes("flags", random_mask(shape, specified(0.5), 44))
                      .reads("grad", left)
                      .reads("more", right)
                      .difference() == "");
        }
}

TEST_CASE("Adagrad moves a parameter of bfloat16 by float32 arithmetic, rounded once", "[spec]") {
    constexpr InOut<"param", bfloat16> param;
    constexpr InOut<"state_sum"> state_sum;
    constexpr Masked<"grad", bfloat16> grad;
    constexpr Scalar<"lr"> lr;
    const auto step =
        frisket::step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + 1e-10));
    const auto kernel = jit(step);
    const Shape shape{300, 70};
    const Tensor<bool> mask = random_mask(shape, specified(0.2), 9);
    const Tensor<float> numbers = random_tensor<float>(shape, 8);
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr}) {
        const MaskedTensor<float> wide = masked(numbers, mask);
        const MaskedTensor<bfloat16> gradient = masked(numbers.to<bfloat16>(), mask).to(layout);
        const Tensor<bfloat16> p = small_target<bfloat16>(wide, 3);
        const Tensor<float> s = full<float>(shape, 0.5F);
        const Tensor<bfloat16> before = p.clone();
        kernel(param = p, state_sum = s, grad = gradient, lr = 0.1);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < p.size(); ++i) {
            const float old = before.data()[i], g = bfloat16(numbers.data()[i]);
            const float sum = 0.5F + g * g;
            const bfloat16 moved(old - 0.1F * g / (std::sqrt(sum) + 1e-10F));
            wrong += p.data()[i].bits() != (mask.data()[i] ? moved : before.data()[i]).bits();
            wrong += s.data()[i] != (mask.data()[i] ? sum : 0.5F);
        }
        INFO(name_of(layout));
        CHECK(wrong == 0);
    }
}

}  // namespace storage_dtypes_widen_and_round_test
