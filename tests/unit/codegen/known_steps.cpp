// SPDX-License-Identifier: MIT
/// Small calls of a step on tensors in the memory of an earlier call's tensors: facts that were checked then
/// are not checked again, and all that may differ between such calls is.
#include "../../../runtime/kernel/known_step.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace known_steps_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state"> state;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr auto rule = step<"rule">(state += grad * grad, param -= lr * grad / (sqrt(state) + 1));

std::size_t found() { return kernel_calls::known_steps_found(); }

/// Tensors of a call, in memory of this object.
struct Tensors {
    std::array<float, 64> p{}, s{}, g{};
    std::array<bool, 64> bits{};
    explicit Tensors(std::uint64_t seed) {
        const Tensor<float> values = random_tensor({3, 64}, seed);
        for (std::size_t i = 0; i < 64; ++i) {
            p[i] = values.data()[i];
            s[i] = values.data()[64 + i] * values.data()[64 + i];
            g[i] = values.data()[128 + i];
            bits[i] = (i * seed) % 3 == 0;
        }
    }
    Tensor<float> at(std::array<float, 64>& memory, const Shape& shape) {
        return Tensor<float>::view(memory.data(), shape);
    }
    MaskedTensor<float> gradient(const Shape& shape) {
        return masked(at(g, shape), Tensor<bool>::view(bits.data(), shape));
    }
    bool operator==(const Tensors&) const = default;
};

/// Runs a call on tensors that nothing has run on before.
template <class Kernel>
Tensors run_anew(const Kernel& kernel, const Tensors& from, const Shape& shape, double rate) {
    Tensors made = from;
    kernel(param = made.at(made.p, shape), state = made.at(made.s, shape), grad = made.gradient(shape),
           lr = rate);
    return made;
}

}  // namespace

TEST_CASE("a step is known on tensors that lie where they lay, with other numbers, values and masks") {
    const auto kernel = jit(rule);
    for (const Shape& shape : {Shape{2, 4}, Shape{64}, Shape{4, 1, 16}}) {
        Tensors tensors(3);
        for (int i = 0; i < 6; ++i) {
            if (i == 4) tensors.bits[1] = !tensors.bits[1];
            if (i == 5) tensors.g[0] = 3;
            const Tensors wanted = run_anew(kernel, tensors, shape, 0.5 + i);
            const std::size_t before = found();
            kernel(param = tensors.at(tensors.p, shape), state = tensors.at(tensors.s, shape),
                   grad = tensors.gradient(shape), lr = 0.5 + i);
            CHECK(tensors == wanted);
            if (i > 1) CHECK(found() == before + 1);
        }
    }
}

TEST_CASE("a step that is known is checked for all that may differ") {
    const auto kernel = jit(rule);
    Tensors tensors(5);
    const Shape shape{4, 16};
    const Tensor<float> p = tensors.at(tensors.p, shape), s = tensors.at(tensors.s, shape);
    const MaskedTensor<float> g = tensors.gradient(shape);
    const auto make_known = [&] {
        for (int i = 0; i < 3; ++i) kernel(param = p, state = s, grad = g, lr = 0.5);
        const std::size_t before = found();
        kernel(param = p, state = s, grad = g, lr = 0.5);
        CHECK(found() == before + 1);
    };
    make_known();
    const Tensors now = tensors;
    const auto untyped = [&](const AnyTensor& to, const AnyTensor& of_state, const Argument& gradient,
                             const Argument& rate) {
        kernel.untyped()({{"param", to}, {"state", of_state}, {"grad", gradient}, {"lr", rate}});
    };
    CHECK_THROWS_AS(kernel(param = p, state = p, grad = g, lr = 0.5), ValueError);
    CHECK_THROWS_AS(kernel(param = p, state = tensors.at(tensors.s, {8, 8}), grad = g, lr = 0.5), ShapeError);
    CHECK_THROWS_AS(
        untyped(p, Tensor<double>::view(reinterpret_cast<double*>(tensors.s.data()), {4, 8}), g, 0.5),
        DTypeError);
    CHECK_THROWS_AS(untyped(Tensor<const float>::view(tensors.p.data(), shape), s, g, 0.5), ValueError);
    CHECK_THROWS_AS(untyped(p, s, g, p), BindingError);
    CHECK_THROWS_AS(kernel(param = p, state = tensors.at(tensors.g, shape), grad = g, lr = 0.5), ValueError);
    CHECK(tensors == now);
    make_known();

    const Tensors transposed = run_anew(kernel, tensors, {16, 4}, 2);
    kernel(param = tensors.at(tensors.p, {16, 4}), state = tensors.at(tensors.s, {16, 4}),
           grad = tensors.gradient({16, 4}), lr = 2);
    CHECK(tensors == transposed);
    make_known();

    std::array<bool, 64> other{};
    other[63] = true;
    Tensors wanted = tensors;
    wanted.bits = other;
    wanted = run_anew(kernel, wanted, shape, 1);
    kernel(param = p, state = s,
           grad = masked(tensors.at(tensors.g, shape), Tensor<bool>::view(other.data(), shape)), lr = 1);
    CHECK(tensors.p == wanted.p);
    CHECK(tensors.s == wanted.s);

    wanted = tensors;
    wanted.bits.fill(true);
    wanted = run_anew(kernel, wanted, shape, 1);
    for (int i = 0; i < 3; ++i) {
        Tensors fresh = tensors;
        kernel(param = tensors.at(tensors.p, shape), state = tensors.at(tensors.s, shape),
               grad = tensors.at(tensors.g, shape), lr = 1);
        fresh.bits.fill(true);
        fresh = run_anew(kernel, fresh, shape, 1);
        CHECK(tensors.p == fresh.p);
    }
}

TEST_CASE("two kernels on the same tensors are known apart") {
    const auto first = jit(rule);
    const auto second = jit(step<"other">(state += grad, param += lr * grad));
    Tensors tensors(7);
    const Shape shape{8, 8};
    for (int i = 0; i < 5; ++i) {
        const Tensors by_first = run_anew(first, tensors, shape, 1);
        first(param = tensors.at(tensors.p, shape), state = tensors.at(tensors.s, shape),
              grad = tensors.gradient(shape), lr = 1);
        CHECK(tensors == by_first);
        const Tensors by_second = run_anew(second, tensors, shape, 2);
        second(param = tensors.at(tensors.p, shape), state = tensors.at(tensors.s, shape),
               grad = tensors.gradient(shape), lr = 2);
        CHECK(tensors == by_second);
    }
}

}  // namespace known_steps_test
