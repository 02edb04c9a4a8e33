// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace unspecified_bytes_do_not_matter_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state"> state;
constexpr InOut<"all"> all;
constexpr Masked<"grad"> grad;
constexpr In<"weight"> weight;

const Compared& made() {
    // The last update reads the masked operand where it is unspecified, and must see the fill there.
    static const Compared step(
        frisket::step<"poisoned">(state += square(grad), param -= grad / sqrt(state) * weight,
                                  everywhere(all = to_dense(grad * weight, 2.0) + weight)));
    return step;
}

const Compared& masked_only() {
    static const Compared step(frisket::step<"masked_only">(
        state += square(grad), param -= grad / sqrt(state) * weight, all = on(grad, all + weight)));
    return step;
}

/// The layouts that keep bytes for unspecified elements.
constexpr Layout with_unspecified_values[] = {Layout::strided, Layout::bitmask};

std::vector<AnyTensor> results(const Compared& step, const AnyMasked& gradient) {
    Trial trial(step);
    trial.writes("state", wild_target<float>(gradient, 1))
        .writes("param", wild_target<float>(gradient, 2))
        .writes("all", wild_target<float>(gradient, 3))
        .reads("grad", gradient)
        .reads("weight", wild_tensor<float>(gradient.shape(), 4));
    CHECK(trial.difference() == "");
    return {trial.result(0), trial.result(1), trial.result(2)};
}

}  // namespace

TEST_CASE("what unspecified values hold changes no byte of a result", "[spec]") {
    for (const Compared* step : {&made(), &masked_only()})
        for (const std::int64_t size : {5, 64, 1003, 40000})
            for (const double density : {0.0, 0.01, 0.3, 0.97}) {
                const Storage stored{.layout = Layout::strided, .name = "strided"};
                const AnyMasked clean = wild_masked<float>({size}, specified(density), stored, 9);
                const AnyMasked zeros = AnyMasked::strided(clean.to_dense(0), clean.mask());
                for (const Layout layout : with_unspecified_values) {
                    INFO(name_of(layout) << ", size " << size << ", density " << density);
                    const auto first = results(*step, zeros.to(layout).clone());
                    for (const Poison kind : {Poison::quiet, Poison::signalling}) {
                        const AnyMasked poisoned = zeros.to(layout).clone();
                        const auto found = results(*step, poison(poisoned, kind));
                        for (std::size_t i = 0; i < 3; ++i) CHECK(difference(found[i], first[i]) == "");
                    }
                }
            }
}

TEST_CASE("a mask byte other than 0 specifies, whatever its bits", "[spec]") {
    Tensor<bool> mask = random_mask({1003}, specified(0.4), 5);
    auto* bytes = static_cast<std::uint8_t*>(static_cast<const AnyTensor&>(mask).data());
    const Tensor<float> values = wild_tensor<float>({1003}, 6);
    const auto first = results(masked_only(), AnyMasked::strided(values, mask.clone()));
    for (std::int64_t i = 0; i < mask.size(); ++i)
        if (bytes[i]) bytes[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0x80 : i % 3 == 1 ? 2 : 0xff);
    const auto found = results(masked_only(), AnyMasked::strided(values, mask));
    for (std::size_t i = 0; i < 3; ++i) CHECK(difference(found[i], first[i]) == "");
}

TEST_CASE("bits of a bit mask past the last element mean nothing", "[spec]") {
    for (const std::int64_t size : {1, 63, 65, 1003, 40000 + 5}) {
        const Tensor<float> values = wild_tensor<float>({size}, 6);
        const AnyMasked clean =
            AnyMasked::strided(values, random_mask({size}, specified(0.4), 5)).to(Layout::bitmask);
        const AnyMasked stray = clean.clone();
        auto* words = static_cast<std::uint64_t*>(stray.mask().data());
        words[size / 64] |= ~std::uint64_t{0} << (size % 64);
        const auto first = results(masked_only(), clean), found = results(masked_only(), stray);
        INFO("size " << size);
        for (std::size_t i = 0; i < 3; ++i) CHECK(difference(found[i], first[i]) == "");
        CHECK(stray.specified_count() == clean.specified_count());
    }
}

TEST_CASE("no bit past the last element of a bit mask is stepped, by any strategy", "[spec]") {
    constexpr auto added = frisket::step<"added">(param += grad);
    for (const char* strategy : {"blend", "skip", "predicate", "gather", "lines", "segments"})
        for (const std::int64_t size : {65, 1003, 40'005}) {
            const Tensor<float> wide = full<float>({size + 64}, 1), values = full<float>({size + 64}, 1);
            const AnyMasked clean =
                AnyMasked::strided(values.slice(0, 0, size), random_mask({size}, specified(0.1), 5));
            const AnyTensor words = clean.to(Layout::bitmask).mask().clone();
            static_cast<std::uint64_t*>(words.data())[size / 64] |= ~std::uint64_t{0} << (size % 64);
            const AnyMasked stray = AnyMasked::bitmask(values.slice(0, 0, size), words);
            jit(added, schedule(strategy))(param = wide.slice(0, 0, size), grad = MaskedTensor<float>(stray));
            INFO(strategy << ", size " << size);
            CHECK(same(wide.slice(0, size, size + 64), full<float>({64}, 1)));
            const Tensor<float> wanted(clean.to_dense(0));
            for (std::int64_t i = 0; i < size; ++i) wanted.data()[i] += 1;
            CHECK(same(wide.slice(0, 0, size), wanted));
        }
}

TEMPLATE_TEST_CASE("an element that a step leaves alone keeps its bytes, signalling or not", "[spec]", float,
                   double) {
    static constexpr InOut<"x", TestType> x{};
    static constexpr Masked<"g", TestType> g{};
    static const Compared multiply(step<"multiply">(x *= g));
    for (const Storage& stored : every_storage)
        for (const Shape& shape : {Shape{1003}, Shape{129, 67}, Shape{300, 100}}) {
            if (stored.layout == Layout::dense) continue;
            const AnyMasked gradient = wild_masked<TestType>(shape, specified(0.2), stored, 11);
            const Tensor<TestType> before = wild_target<TestType>(gradient, 12);
            Trial trial(multiply);
            trial.writes("x", before).reads("g", gradient);
            INFO(stored.name << ", shape " << to_string(shape));
            CHECK(trial.difference() == "");
            CHECK(MatchesWhereUnspecified(gradient, before).match(trial.result()));
        }
}

}  // namespace unspecified_bytes_do_not_matter_test
