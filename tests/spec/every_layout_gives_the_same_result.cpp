// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace every_layout_gives_the_same_result_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

template <class T>
struct Symbols {
    static constexpr InOut<"a", T> a{};
    static constexpr InOut<"b", T> b{};
    static constexpr InOut<"c", T> c{};
    static constexpr InOut<"d", T> d{};
    static constexpr Masked<"grad", T> grad{};
    static constexpr In<"weight", T> weight{};
    static constexpr Scalar<"lr"> lr{};
    static constexpr Scalar<"eps"> eps{};
};

/// Adagrad: two targets, one masked operand, host scalars.
template <class T>
const Compared& adagrad() {
    using S = Symbols<T>;
    static const Compared made(
        step<"adagrad">(S::b += S::grad * S::grad, S::a -= S::lr * S::grad / (sqrt(S::b) + S::eps)));
    return made;
}

/// Four targets, and every operation that IEEE 754 defines to the bit.
template <class T>
const Compared& exact() {
    using S = Symbols<T>;
    static const Compared made(step<"exact">(
        S::a += S::grad * S::weight - 0.3 * S::grad / (S::weight + 1.0),
        S::b = sqrt(abs(S::grad)) + square(S::weight) * S::b,
        S::c = where(S::grad < S::weight, min(S::grad, S::c), max(-S::grad, S::weight)),
        S::d = where(S::grad >= S::c || !(S::weight != S::grad), abs(S::grad), S::grad / S::weight)));
    return made;
}

/// Sizes of one dimension, and other sizes that a kernel may encounter.
std::vector<Shape> shapes() {
    return {{0},      {},     {1},    {5},     {63},      {64},      {65},    {1003},      {4099},
            {131149}, {3, 0}, {7, 1}, {41, 3}, {129, 67}, {9, 5, 7}, {1, 70}, {2, 3, 1, 5}};
}

constexpr double densities[] = {0, 0.01, 0.1, 0.5, 1};

/// True if the storage can hold a shape at this density, and the density adds something.
bool is_case(const Storage& stored, const Shape& shape, double density) {
    if (stored.layout == Layout::rows && shape.empty()) return false;
    if (stored.layout == Layout::dense && density != 1) return false;
    const std::int64_t count = element_count(shape);
    if (count > 100000)
        return density == 1 ? stored.listed != Listed::shuffled : density == 0.01 || density == 0.5;
    return count > 64 || density == 0 || density == 0.5 || density == 1;
}

template <class Body>
void for_each_case(Body&& body) {
    std::uint32_t seed = 1;
    for (const Storage& stored : every_storage)
        for (const Shape& shape : shapes())
            for (const double density : densities)
                if (is_case(stored, shape, density)) body(stored, shape, density, ++seed);
}

template <class Body>
void check_each_case(Body&& difference_of) {
    for_each_case([&](const Storage& stored, const Shape& shape, double density, std::uint32_t seed) {
        const std::string difference = difference_of(stored, shape, density, seed);
        if (difference.empty()) return;
        INFO(stored.name << ", shape " << to_string(shape) << ", density " << density);
        CHECK(difference == "");
    });
}

}  // namespace

TEMPLATE_TEST_CASE("Adagrad's loops give the interpreter's bytes for every layout, size and density",
                   "[spec]", float, double) {
    check_each_case([](const Storage& stored, const Shape& shape, double density, std::uint32_t seed) {
        const AnyMasked grad = wild_masked<TestType>(shape, specified(density), stored, seed);
        return Trial(adagrad<TestType>())
            .writes("a", wild_target<TestType>(grad, seed + 1))
            .writes("b", wild_target<TestType>(grad, seed + 2))
            .reads("grad", grad)
            .number("lr", 0.1)
            .number("eps", 1e-10)
            .difference();
    });
}

TEMPLATE_TEST_CASE("a step of four tensors and every exact operation gives the interpreter's bytes", "[spec]",
                   float, double) {
    check_each_case([](const Storage& stored, const Shape& shape, double density, std::uint32_t seed) {
        const AnyMasked grad = wild_masked<TestType>(shape, specified(density), stored, seed);
        return Trial(exact<TestType>())
            .writes("a", wild_target<TestType>(grad, seed + 1))
            .writes("b", wild_target<TestType>(grad, seed + 2))
            .writes("c", wild_target<TestType>(grad, seed + 3))
            .writes("d", wild_target<TestType>(grad, seed + 4))
            .reads("grad", grad)
            .reads("weight", wild_tensor<TestType>(shape, seed + 5))
            .difference();
    });
}

TEST_CASE("one masked tensor gives the same bytes in every layout that can hold it", "[spec]") {
    std::uint32_t seed = 100;
    for (const Shape& shape : {Shape{64}, Shape{1003}, Shape{131149}, Shape{129, 67}, Shape{9, 5, 7}})
        for (const double density : densities) {
            ++seed;
            const AnyMasked by_rows = wild_masked<float>(shape, specified(density), every_storage[8], seed);
            const Tensor<float> a = wild_target<float>(by_rows, seed),
                                b = wild_target<float>(by_rows, seed + 1);
            std::vector<AnyTensor> first;
            for (const Layout layout : {Layout::rows, Layout::strided, Layout::bitmask, Layout::coo}) {
                const AnyMasked grad = by_rows.to(layout);
                const Tensor<float> in_a = a.clone(), in_b = b.clone();
                adagrad<float>().kernel(
                    {{"a", in_a}, {"b", in_b}, {"grad", grad}, {"lr", 0.1}, {"eps", 1e-10}});
                if (first.empty()) first = {in_a, in_b};
                INFO(name_of(layout) << ", shape " << to_string(shape) << ", density " << density);
                CHECK(difference(in_a, first[0]) == "");
                CHECK(difference(in_b, first[1]) == "");
            }
        }
}

TEST_CASE("a tensor bound to a Masked symbol is the masked tensor of layout dense", "[spec]") {
    const Tensor<float> values = wild_tensor<float>({1003}, 3), a = wild_tensor<float>({1003}, 4);
    const Tensor<float> b = wild_tensor<float>({1003}, 5);
    const AnyMasked dense = AnyMasked::dense(values);
    Trial plain(adagrad<float>()), masked(adagrad<float>());
    plain.writes("a", a).writes("b", b).reads("grad", values).number("lr", 0.1).number("eps", 0.5);
    masked.writes("a", a).writes("b", b).reads("grad", dense).number("lr", 0.1).number("eps", 0.5);
    CHECK(plain.difference() == "");
    CHECK(masked.difference() == "");
    CHECK(difference(plain.result(0), masked.result(0)) == "");
    CHECK(difference(plain.result(1), masked.result(1)) == "");
}

}  // namespace every_layout_gives_the_same_result_test
