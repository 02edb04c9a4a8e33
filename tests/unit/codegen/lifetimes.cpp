// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

namespace lifetimes_test {

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr Masked<"other"> other;

constexpr InOut<"target"> target;
constexpr Masked<"amount"> amount;
constexpr auto descent = step<"descent">(target -= amount);
constexpr auto two_masks = step<"two_masks">(param -= grad * on(grad, to_dense(other, 0)));

}  // namespace

TEST_CASE("a call keeps none of its arguments alive", "[codegen]") {
    int alive = 0;
    std::vector<float> memory(12, 1.0F);
    const auto argument = [&](Layout layout) {
        ++alive;
        auto values = Tensor<float>::view(memory.data(), {3, 4}, {4, 1}, [&alive] { --alive; });
        Tensor<bool> mask = full<bool>({3, 4}, true);
        mask.at({1, 2}) = false;
        return masked(values, mask).to(layout);
    };
    Tensor<float> p({3, 4});
    const auto listed = MaskedTensor<float>::coo({3, 4}, {{2, 0}, {1, 3}}, {1, 2});
    // Walks the list with a mask of another kind with it, flat loops, and loops with gaps.
    jit(two_masks)(param = p, grad = listed, other = argument(Layout::strided));
    jit(two_masks)(param = p, grad = argument(Layout::bitmask), other = argument(Layout::strided));
    Tensor<float> wide({3, 8});
    jit(two_masks)(param = wide.slice(1, 0, 8, 2), grad = argument(Layout::bitmask),
                   other = argument(Layout::bitmask));
    CHECK(alive == 0);
}

TEST_CASE("an argument keeps its tensor alive after the handle that it was made of", "[codegen]") {
    Tensor<float> p = full<float>({4}, 8);
    const auto kernel = jit(descent);
    std::vector<Argument> dense, listed;
    {
        const auto g = eval(p - 6);
        dense.push_back(g);
        const auto m = MaskedTensor<float>::coo({4}, {{1, 3}}, {1, 2});
        listed.push_back(m);
    }
    std::vector<Argument> copies = dense;
    dense.clear();
    dense.shrink_to_fit();
    optim::Optimizer optimizer(optim::SGD{.lr = 1}, {{"p", p}});
    optimizer.step(copies);
    CHECK(p.to_vector() == std::vector<float>{6, 6, 6, 6});
    optimizer.step(listed);
    CHECK(p.to_vector() == std::vector<float>{6, 5, 6, 4});
    kernel.untyped().call(std::vector<Argument>{p, listed[0]});
    CHECK(p.to_vector() == std::vector<float>{6, 4, 6, 2});
}

TEST_CASE("an argument holds the tensor that its handle was, whatever the handle becomes", "[codegen]") {
    Tensor<float> g = full<float>({4}, 1), p({4});
    const Argument argument = g;
    const Argument taken = full<float>({4}, 2);
    g = full<float>({9}, 5);
    jit(descent).untyped().call(std::vector<Argument>{p, argument});
    jit(descent).untyped().call(std::vector<Argument>{p, taken});
    CHECK(p.to_vector() == std::vector<float>{-3, -3, -3, -3});
}

TEST_CASE("an argument that is moved from still holds its tensor", "[codegen]") {
    Tensor<float> p({4});
    Argument argument = full<float>({4}, 1);
    { const Argument to = std::move(argument); }
    jit(descent).untyped().call(std::vector<Argument>{p, argument});
    CHECK(p.to_vector() == std::vector<float>{-1, -1, -1, -1});
}

TEST_CASE("memory goes with the last argument that holds it", "[codegen]") {
    int alive = 1;
    std::vector<float> memory(4, 1.0F);
    std::vector<Argument> arguments;
    {
        const auto x = Tensor<float>::view(memory.data(), {4}, {1}, [&alive] { --alive; });
        arguments.assign(3, x);
        arguments.push_back(Argument::borrow(arguments[0].tensor()));
    }
    CHECK(alive == 1);
    arguments.resize(1);
    CHECK(alive == 1);
    arguments.clear();
    CHECK(alive == 0);
}

TEST_CASE("names of arguments may be made for the list alone", "[codegen]") {
    Tensor<float> p = full<float>({4}, 8);
    const std::string name = "a parameter with a name that no short string holds";
    optim::Optimizer optimizer(optim::SGD{.lr = 1}, {{name, p}});
    std::vector<NamedArgument> arguments;
    arguments.push_back({std::string("tar") + "get", p});
    arguments.push_back({std::string("amo") + "unt", full<float>({4}, 1)});
    const NamedArgument gradient(name + "", eval(p - 7));
    optimizer.step({gradient});
    jit(descent).untyped()(std::span<const NamedArgument>(arguments));
    CHECK(p.to_vector() == std::vector<float>{6, 6, 6, 6});
}

}  // namespace lifetimes_test
