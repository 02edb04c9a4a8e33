// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace views_of_any_strides_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

template <class T>
const Compared& made() {
    static constexpr InOut<"param", T> param{};
    static constexpr InOut<"state", T> state{};
    static constexpr Masked<"grad", T> grad{};
    static constexpr In<"weight", T> weight{};
    static const Compared step(
        frisket::step<"views">(state += grad * grad, param -= weight * grad / (sqrt(state) + 0.5)));
    return step;
}

using Seen = std::function<AnyTensor(const AnyTensor&)>;

/// A view of shape [6, 10], and the shape of its memory.
struct ViewOf {
    const char* name;
    Shape memory;
    Seen seen;
};

AnyTensor strided_view(const AnyTensor& memory, Shape shape, Strides strides, std::int64_t offset) {
    auto* data = static_cast<std::byte*>(memory.data()) + offset * bytes_of(memory.dtype());
    return {memory.dtype(), data, std::move(shape), std::move(strides), true, memory.owner()};
}

const std::vector<ViewOf>& views() {
    static const std::vector<ViewOf> all{
        {"whole", {6, 10}, [](const AnyTensor& t) { return t; }},
        {"transposed", {10, 6}, [](const AnyTensor& t) { return t.transpose(0, 1); }},
        {"every second row", {12, 10}, [](const AnyTensor& t) { return t.slice(0, 1, 12, 2); }},
        {"every second column", {6, 20}, [](const AnyTensor& t) { return t.slice(1, 0, 20, 2); }},
        {"inner columns", {6, 13}, [](const AnyTensor& t) { return t.slice(1, 2, 12); }},
        {"rows backwards",
         {6, 10},
         [](const AnyTensor& t) { return strided_view(t, {6, 10}, {-10, 1}, 50); }},
        {"columns backwards",
         {6, 10},
         [](const AnyTensor& t) { return strided_view(t, {6, 10}, {10, -1}, 9); }},
        {"all backwards",
         {6, 10},
         [](const AnyTensor& t) { return strided_view(t, {6, 10}, {-10, -1}, 59); }},
        {"one of three", {6, 10, 3}, [](const AnyTensor& t) { return strided_view(t, {6, 10}, {30, 3}, 1); }},
    };
    return all;
}

/// A masked tensor of [6, 10] whose values and mask have strides of their own.
AnyMasked gradient(const Storage& stored, const ViewOf& view, std::uint32_t seed) {
    const AnyMasked plain = wild_masked<float>({6, 10}, specified(0.5), stored, seed);
    if (stored.layout != Layout::strided && stored.layout != Layout::dense) return plain;
    const AnyTensor values = view.seen(wild_tensor<float>(view.memory, seed + 1));
    if (stored.layout == Layout::dense) return AnyMasked::dense(values);
    const AnyTensor mask = random_mask({10, 6}, specified(0.5), seed + 2).transpose(0, 1);
    return poison(AnyMasked::strided(values, mask), Poison::signalling);
}

}  // namespace

TEST_CASE("param and state may each be any view, in strides of their own", "[spec]") {
    std::uint32_t seed = 50;
    for (const ViewOf& param : views())
        for (const ViewOf& state : views())
            for (const Storage& stored : every_storage) {
                seed += 4;
                Trial trial(made<float>());
                trial.writes("param", wild_tensor<float>(param.memory, seed), {.seen_as = param.seen})
                    .writes("state", wild_tensor<float>(state.memory, seed + 1), {.seen_as = state.seen})
                    .reads("grad", gradient(stored, state, seed + 2))
                    .reads("weight", param.seen(wild_tensor<float>(param.memory, seed + 3)));
                const std::string difference = trial.difference();
                INFO("param " << param.name << ", state " << state.name << ", " << stored.name);
                if (!difference.empty()) CHECK(difference == "");
            }
}

TEST_CASE("what a step only reads broadcasts to its target", "[spec]") {
    std::uint32_t seed = 70;
    for (const Shape& weight : {Shape{}, Shape{1}, Shape{4}, Shape{3, 1}, Shape{1, 4}, Shape{3, 4},
                                Shape{2, 1, 1}, Shape{2, 3, 4}, Shape{1, 1, 1}, Shape{2, 1, 4}})
        for (const Storage& stored : every_storage) {
            const AnyMasked grad = wild_masked<float>({2, 3, 4}, specified(0.6), stored, ++seed);
            INFO("weight " << to_string(weight) << ", " << stored.name);
            CHECK(Trial(made<float>())
                      .writes("param", wild_target<float>(grad, seed))
                      .writes("state", wild_target<float>(grad, seed + 1))
                      .reads("grad", grad)
                      .reads("weight", wild_tensor<float>(weight, seed + 2))
                      .difference() == "");
        }
}

TEST_CASE("what broadcasts is repeated for each part of a call", "[spec]") {
    // Around calls of one part, and parts of different sizes.
    std::uint32_t seed = 80;
    for (const Shape& space : {Shape{127, 129}, Shape{128, 128}, Shape{1, 16385}, Shape{514, 1021}})
        for (const Shape& weight : {Shape{1}, Shape{space[1]}, Shape{space[0], 1}})
            for (const Storage& stored : every_storage) {
                if (space[0] == 514 && stored.layout != Layout::dense && stored.layout != Layout::strided)
                    continue;
                const AnyMasked grad = wild_masked<float>(space, specified(0.3), stored, ++seed);
                INFO("weight " << to_string(weight) << " in " << to_string(space) << ", " << stored.name);
                CHECK(Trial(made<float>())
                          .writes("param", wild_target<float>(grad, seed))
                          .writes("state", wild_target<float>(grad, seed + 1))
                          .reads("grad", grad)
                          .reads("weight", wild_tensor<float>(weight, seed + 2))
                          .difference() == "");
            }
}

TEST_CASE("a masked tensor broadcasts with its mask", "[spec]") {
    std::uint32_t seed = 90;
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{4}, Shape{3, 1}, Shape{1, 4}, Shape{2, 1, 1},
                               Shape{2, 1, 4}, Shape{1, 3, 4}})
        for (const Storage& stored : every_storage) {
            if (stored.layout == Layout::rows && shape.empty()) continue;
            const AnyMasked grad = wild_masked<float>(shape, specified(0.6), stored, ++seed);
            INFO("grad " << to_string(shape) << ", " << stored.name);
            CHECK(Trial(made<float>())
                      .writes("param", wild_tensor<float>({2, 3, 4}, seed))
                      .writes("state", wild_tensor<float>({2, 3, 4}, seed + 1))
                      .reads("grad", grad)
                      .reads("weight", wild_tensor<float>({3, 1}, seed + 2))
                      .difference() == "");
        }
}

TEMPLATE_TEST_CASE("tensors of up to eight dimensions are walked, contiguous or permuted", "[spec]", float,
                   double) {
    std::uint32_t seed = 110;
    for (std::size_t rank = 2; rank <= 8; ++rank)
        for (const Storage& stored : every_storage) {
            Shape shape(rank, 2);
            shape[0] = 3;
            shape.back() = 5;
            Shape memory = shape;
            std::swap(memory.front(), memory.back());
            if (rank > 3) std::swap(memory[1], memory[2]);
            const Seen permuted = [rank](const AnyTensor& tensor) {
                const AnyTensor outer = tensor.transpose(0, -1);
                return rank > 3 ? outer.transpose(1, 2) : outer;
            };
            const AnyMasked grad = wild_masked<TestType>(shape, specified(0.4), stored, ++seed);
            INFO("rank " << rank << ", " << stored.name);
            CHECK(Trial(made<TestType>())
                      .writes("param", wild_tensor<TestType>(memory, seed), {.seen_as = permuted})
                      .writes("state", wild_tensor<TestType>(shape, seed + 1))
                      .reads("grad", grad)
                      .reads("weight", permuted(wild_tensor<TestType>(memory, seed + 2)))
                      .difference() == "");
        }
}

TEST_CASE("rows of a table may lie apart, and rows of two tables each in their way", "[spec]") {
    std::uint32_t seed = 130;
    for (std::size_t i = 6; i < std::size(every_storage); ++i)
        for (const double density : {0.0, 0.1, 1.0}) {
            const AnyMasked grad = wild_masked<float>({50, 6}, specified(density), every_storage[i], ++seed);
            const Seen left = [](const AnyTensor& t) { return t.slice(1, 0, 6); };
            const Seen every_third = [](const AnyTensor& t) { return t.slice(0, 0, 150, 3); };
            INFO(every_storage[i].name << ", density " << density);
            CHECK(Trial(made<float>())
                      .writes("param", wild_tensor<float>({50, 11}, seed), {.seen_as = left})
                      .writes("state", wild_tensor<float>({150, 6}, seed + 1), {.seen_as = every_third})
                      .reads("grad", grad)
                      .reads("weight", wild_tensor<float>({6}, seed + 2))
                      .difference() == "");
        }
}

TEST_CASE("columns of one matrix may be param and state of one step", "[spec]") {
    for (const Storage& stored : every_storage) {
        const AnyMasked grad = wild_masked<float>({200}, specified(0.3), stored, 140);
        const Tensor<float> loops = wild_tensor<float>({200, 3}, 141), oracle = loops.clone();
        const Tensor<float> weight = wild_tensor<float>({200}, 142);
        const auto column = [](const AnyTensor& matrix, std::int64_t k) {
            return strided_view(matrix, {200}, {3}, k);
        };
        const AnyTensor p = column(loops, 0), s = column(loops, 2), q = column(oracle, 0),
                        t = column(oracle, 2);
        made<float>().kernel({{"param", p}, {"state", s}, {"grad", grad}, {"weight", weight}});
        interpret(made<float>().graph, {{"param", q}, {"state", t}, {"grad", grad}, {"weight", weight}});
        INFO(stored.name);
        CHECK(difference(loops, oracle) == "");
    }
}

}  // namespace views_of_any_strides_test
