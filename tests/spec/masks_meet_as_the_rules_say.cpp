// SPDX-License-Identifier: MIT
#include "../../codegen/jit/run_step.hpp"
#include "both_ways.hpp"

#include <vector>

namespace masks_meet_as_the_rules_say_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"a"> a;
constexpr InOut<"b"> b;
constexpr Masked<"g"> g;
constexpr Masked<"h"> h;
constexpr Masked<"c", bool> c;
constexpr In<"weight"> weight;
constexpr Scalar<"lr"> lr;
constexpr Let<"d"> d;

const Shape mask_shapes[] = {{5}, {64}, {1003}, {129, 67}, {9, 5, 7}, {200, 200}};

bool fits(const Storage& stored, const Shape& shape) {
    return stored.layout != Layout::rows || !shape.empty();
}

/// Whole rows, so that every layout but dense can hold them, with other values for another seed.
AnyMasked whole_rows(const Shape& shape, std::uint32_t values_seed) {
    const AnyMasked pattern = wild_masked<float>(shape, specified(0.4), every_storage[6], 500);
    return AnyMasked::indexed(Layout::rows, shape, pattern.index(),
                              wild_tensor<float>(pattern.values().shape(), values_seed));
}

constexpr Layout sparse[] = {Layout::strided, Layout::bitmask, Layout::coo, Layout::rows};

}  // namespace

TEST_CASE("two masked operands of equal masks meet, whatever their two layouts", "[spec]") {
    const Compared step(frisket::step<"meet">(a += g * h, b = sqrt(abs(h)) - g));
    for (const Shape& shape : mask_shapes)
        for (const Layout first : sparse)
            for (const Layout second : sparse) {
                const AnyMasked left = whole_rows(shape, 501).to(first),
                                right = whole_rows(shape, 502).to(second);
                INFO(name_of(first) << " and " << name_of(second) << ", shape " << to_string(shape));
                CHECK(Trial(step)
                          .writes("a", wild_target<float>(left, 503))
                          .writes("b", wild_target<float>(left, 504))
                          .reads("g", left)
                          .reads("h", right)
                          .difference() == "");
            }
}

TEST_CASE("two masks update two targets in one step, each its own elements", "[spec]") {
    const Compared step(frisket::step<"apart">(a += g * weight, b -= h / weight, a *= on(g, weight)));
    std::uint32_t seed = 510;
    for (const Shape& shape : mask_shapes)
        for (const Storage& first : every_storage)
            for (const Storage& second : every_storage) {
                if (!fits(first, shape) || !fits(second, shape)) continue;
                const AnyMasked left = wild_masked<float>(shape, specified(0.3), first, ++seed);
                const AnyMasked right = wild_masked<float>(shape, specified(0.7), second, ++seed);
                const std::string difference = Trial(step)
                                                   .writes("a", wild_target<float>(left, seed))
                                                   .writes("b", wild_target<float>(right, seed + 1))
                                                   .reads("g", left)
                                                   .reads("h", right)
                                                   .reads("weight", wild_tensor<float>(shape, seed + 2))
                                                   .difference();
                INFO(first.name << " and " << second.name << ", shape " << to_string(shape));
                if (!difference.empty()) CHECK(difference == "");
            }
}

TEST_CASE("over restricts every update, and another mask is read through to_dense", "[spec]") {
    const Compared step(
        frisket::step<"restricted">(over(g), a -= lr * weight, d = to_dense(h, 0.25) * a, b += d));
    std::uint32_t seed = 600;
    for (const Shape& shape : mask_shapes)
        for (const Storage& first : every_storage)
            for (const Storage& second : every_storage) {
                const AnyMasked left = wild_masked<float>(shape, specified(0.3), first, ++seed);
                const AnyMasked right = wild_masked<float>(shape, specified(0.5), second, ++seed);
                const std::string difference = Trial(step)
                                                   .writes("a", wild_target<float>(left, seed))
                                                   .writes("b", wild_target<float>(left, seed + 1))
                                                   .reads("g", left)
                                                   .reads("h", right)
                                                   .reads("weight", wild_tensor<float>(shape, seed + 2))
                                                   .number("lr", 0.3)
                                                   .difference();
                INFO(first.name << " and " << second.name << ", shape " << to_string(shape));
                if (!difference.empty()) CHECK(difference == "");
            }
}

TEST_CASE("lists find the elements of another mask wherever they begin", "[spec]") {
    const Compared step(frisket::step<"beside">(a -= g * to_dense(h, 0.25)));
    for (const std::int64_t length : {1, 3, 67})
        for (const std::int64_t first : {0, 1, 31, 32, 40, 63, 64, 96, 127}) {
            const Shape shape{300, length};
            const AnyMasked rows = MaskedTensor<float>::rows(shape, {first, first + 1, first + 130},
                                                             wild_tensor<float>({3, length}, 920));
            const AnyMasked other = random_masked<float>(shape, specified(0.5), Layout::bitmask, 921);
            for (const Layout layout : {Layout::rows, Layout::coo}) {
                INFO(name_of(layout) << ", shape " << to_string(shape) << ", from row " << first);
                CHECK(Trial(step)
                          .writes("a", wild_target<float>(rows, 922))
                          .reads("g", rows.to(layout))
                          .reads("h", other)
                          .difference() == "");
            }
        }
}

TEST_CASE("everywhere writes all elements beside a masked update, and sees its result", "[spec]") {
    const Compared step(frisket::step<"beside">(a += g, everywhere(b = a * 2.0 + to_dense(g, -1.0))));
    std::uint32_t seed = 700;
    for (const Shape& shape : mask_shapes)
        for (const Storage& stored : every_storage) {
            const AnyMasked left = wild_masked<float>(shape, specified(0.3), stored, ++seed);
            INFO(stored.name << ", shape " << to_string(shape));
            CHECK(Trial(step)
                      .writes("a", wild_tensor<float>(shape, seed))
                      .writes("b", wild_tensor<float>(shape, seed + 1))
                      .reads("g", left)
                      .difference() == "");
        }
}

TEST_CASE("where of two masks is specified where the branch taken is", "[spec]") {
    const Compared step(frisket::step<"branches">(a = where(weight > 0.0, g, h), b = where(c, g, weight)));
    std::uint32_t seed = 800;
    for (const Shape& shape : mask_shapes)
        for (const Storage& first : every_storage)
            for (const Storage& second : every_storage) {
                const AnyMasked left = wild_masked<float>(shape, specified(0.6), first, ++seed);
                const AnyMasked right = wild_masked<float>(shape, specified(0.5), second, ++seed);
                const AnyMasked condition = wild_masked<bool>(shape, specified(0.5), second, ++seed);
                const std::string difference = Trial(step)
                                                   .writes("a", wild_tensor<float>(shape, seed))
                                                   .writes("b", wild_tensor<float>(shape, seed + 1))
                                                   .reads("g", left)
                                                   .reads("h", right)
                                                   .reads("c", condition)
                                                   .reads("weight", wild_tensor<float>(shape, seed + 2))
                                                   .difference();
                INFO(first.name << " and " << second.name << ", shape " << to_string(shape));
                if (!difference.empty()) CHECK(difference == "");
            }
}

TEST_CASE("what a Let stands for need not be used, whatever is bound to its symbols", "[spec]") {
    const Compared step(frisket::step<"unused">(d = weight * 2.0, a += g));
    for (const Storage& stored : every_storage)
        for (const Shape& unused : {Shape{7}, Shape{2, 3, 4, 5}, Shape{0}, Shape{}}) {
            const AnyMasked left = wild_masked<float>({40, 5}, specified(0.3), stored, 900);
            INFO(stored.name << ", unused " << to_string(unused));
            CHECK(Trial(step)
                      .writes("a", wild_target<float>(left, 901))
                      .reads("g", left)
                      .reads("weight", wild_tensor<float>(unused, 902))
                      .difference() == "");
        }
}

TEST_CASE("a step meets what it reduces of a mask as the interpreter does", "[spec]") {
    const auto check = [](const auto& step, const Shape& shape, const Storage& stored, std::uint32_t seed) {
        const AnyMasked left = wild_masked<float>(shape, specified(0.4), stored, seed);
        const std::vector<Shape> shapes{shape, shape, shape};
        const Graph graph = describe(step, shapes);
        Tensor<float> found(wild_target<float>(left, seed + 1)), wanted(found.clone());
        const Tensor<float> beside(wild_tensor<float>(shape, seed + 2));
        INFO(stored.name << ", shape " << to_string(shape));
        interpret(graph, {{"a", wanted}, {"g", left}, {"weight", beside}});
        std::vector<Argument> arguments;
        for (const Symbol& symbol : graph.symbols)
            arguments.push_back(symbol.name == "a"   ? Argument(found)
                                : symbol.name == "g" ? Argument(left)
                                                     : Argument(beside));
        codegen::run_step(graph, arguments);
        CHECK(difference(found, wanted) == "");
    };
    const auto centred = frisket::step<"centred">(a += g - amax(g, {1}, keepdim), a *= on(g, weight));
    const auto scaled = frisket::step<"scaled">(over(g), a = weight * g - amin(amax(g, {1}, keepdim)));
    std::uint32_t seed = 950;
    for (const Shape& shape : {Shape{9, 7}, Shape{129, 67}, Shape{1, 64}, Shape{40, 1}, Shape{0, 5}})
        for (const Storage& stored : every_storage) {
            check(centred, shape, stored, ++seed);
            check(scaled, shape, stored, ++seed);
        }
}

}  // namespace masks_meet_as_the_rules_say_test
