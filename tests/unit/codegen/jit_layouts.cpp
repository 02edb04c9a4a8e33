// SPDX-License-Identifier: MIT
/// Layouts that no loop walks: a kernel is given them in another, and nobody can tell.
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace jit_layouts_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Masked<"other"> other;
constexpr Scalar<"lr"> lr;

constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + 1e-10));
constexpr auto two_masks = step<"two_masks">(param -= lr * grad * other);

constexpr Layout not_walked[] = {Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four};

/// The two targets of a step; their elements are random at first.
struct Outcome {
    Tensor<float> p, s;
    explicit Outcome(const Shape& shape) : p(random_tensor(shape, 1)), s(random_tensor(shape, 2)) {
        for (std::int64_t i = 0; i < s.size(); ++i) s.data()[i] = std::abs(s.data()[i]);
    }
};

MaskedTensor<float> gradient(const Shape& shape, double density) {
    const Tensor<bool> mask = random_mask(shape, specified(density), 9);
    thin_out(mask);
    return masked(random_tensor(shape, 8), mask);
}

}  // namespace

TEST_CASE("a step gives the bytes of a strided gradient for one in any layout of matrices", "[codegen]") {
    const auto kernel = jit(adagrad);
    for (const Shape& shape : {Shape{0, 4}, Shape{1, 4}, Shape{37, 12}, Shape{300, 200}})
        for (const double density : {0.0, 0.01, 0.5}) {
            const MaskedTensor<float> strided = gradient(shape, density);
            Outcome wanted(shape);
            kernel(param = wanted.p, state_sum = wanted.s, grad = strided, lr = 0.1);
            for (const Layout layout : not_walked)
                for (const Poison kind : {Poison::quiet, Poison::signalling}) {
                    INFO(name_of(layout) << ", shape " << to_string(shape) << ", density " << density);
                    const MaskedTensor<float> stored = strided.to(layout).clone();
                    poison(stored, kind);
                    Outcome jitted(shape), interpreted(shape);
                    kernel(param = jitted.p, state_sum = jitted.s, grad = stored, lr = 0.1);
                    interpret(describe(adagrad), {{"param", interpreted.p},
                                                  {"state_sum", interpreted.s},
                                                  {"grad", stored},
                                                  {"lr", 0.1}});
                    CHECK_THAT(jitted.p, HasTheBytesOf(wanted.p));
                    CHECK_THAT(jitted.s, HasTheBytesOf(wanted.s));
                    CHECK_THAT(interpreted.p, HasTheBytesOf(wanted.p));
                    CHECK_THAT(interpreted.s, HasTheBytesOf(wanted.s));
                }
        }
}

TEST_CASE("views with gaps are updated by gradients in any layout of matrices", "[codegen]") {
    const auto kernel = jit(adagrad);
    const Shape shape{20, 12};
    const MaskedTensor<float> strided = gradient(shape, 0.4);
    for (const Layout layout : not_walked) {
        INFO(name_of(layout));
        Outcome found({12, 20}), wanted({12, 20});
        kernel(param = wanted.p.transpose(0, 1), state_sum = wanted.s.transpose(0, 1), grad = strided,
               lr = 0.1);
        kernel(param = found.p.transpose(0, 1), state_sum = found.s.transpose(0, 1),
               grad = strided.to(layout), lr = 0.1);
        CHECK_THAT(found.p, HasTheBytesOf(wanted.p));
        CHECK_THAT(found.s, HasTheBytesOf(wanted.s));
    }
}

TEST_CASE("masks of two layouts meet, and a difference is told", "[codegen]") {
    const auto kernel = jit(two_masks);
    const Shape shape{9, 8};
    const MaskedTensor<float> strided = gradient(shape, 0.5);
    const MaskedTensor<float> fewer = gradient(shape, 0.2);
    for (const Layout layout : not_walked) {
        INFO(name_of(layout));
        Outcome wanted(shape), found(shape);
        kernel(param = wanted.p, grad = strided, other = strided, lr = 0.1);
        kernel(param = found.p, grad = strided.to(layout), other = strided.to(Layout::coo), lr = 0.1);
        CHECK_THAT(found.p, HasTheBytesOf(wanted.p));
        CHECK_THROWS_AS(kernel(param = found.p, grad = strided.to(layout), other = fewer, lr = 0.1),
                        MaskMismatch);
        CHECK_THAT(found.p, HasTheBytesOf(wanted.p));
    }
}

TEST_CASE("a kernel can be warmed up for the layouts that it is given in another", "[codegen]") {
    const auto kernel = jit(adagrad);
    for (const Layout layout : not_walked) CHECK_NOTHROW(kernel.warm_up({layout}));
}

}  // namespace jit_layouts_test
