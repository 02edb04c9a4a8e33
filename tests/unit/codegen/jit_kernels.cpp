// SPDX-License-Identifier: MIT
#include "../../support/child.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace jit_kernels_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;
constexpr ScalarState<"product"> product;

constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

/// Calls a kernel of adagrad on fresh arguments.
template <class Kernel>
void call(const Kernel& kernel, Layout layout) {
    const Tensor<float> p = random_tensor({30, 40}), s = random_tensor({30, 40}, 2);
    const MaskedTensor<float> g = random_masked({30, 40}, specified(0.3), layout, 3);
    kernel(param = p, state_sum = s, grad = g, lr = 0.1, eps = 0.5);
}

}  // namespace

TEST_CASE("two steps of one type whose constants differ are two kernels", "[codegen]") {
    const auto first = step<"sgd">(param -= 0.1F * grad);
    const auto second = step<"sgd">(param -= 0.2F * grad);
    static_assert(std::is_same_v<decltype(first), decltype(second)>);
    const auto one = jit(first), other = jit(second), again = jit(first);
    const Tensor<float> p = full<float>({3}, 1), q = full<float>({3}, 1), r = full<float>({3}, 1);
    const Tensor<float> g = full<float>({3}, 1);
    one(param = p, grad = g);
    other(param = q, grad = g);
    again(param = r, grad = g);
    CHECK(p.to_vector() == std::vector<float>(3, 1 - 0.1F));
    CHECK(q.to_vector() == std::vector<float>(3, 1 - 0.2F));
    CHECK(r.to_vector() == p.to_vector());
}

TEST_CASE("the first example's step gives its reference values, and those of a second step", "[codegen]") {
    const Tensor<float> p = arange<float>(8).reshape({2, 4}), s = full<float>({2, 4}, 0.5F);
    const auto coo = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, std::vector<float>{3, 4, 5});
    const Layout layout = GENERATE(Layout::strided, Layout::bitmask, Layout::coo);
    const MaskedTensor<float> g = coo.to(layout);
    const auto kernel = jit(adagrad);
    kernel(param = p, state_sum = s, grad = g, lr = 0.1F, eps = 1e-10F);
    CHECK(s.to_vector() == std::vector<float>{0.5, 0.5, 9.5, 0.5, 16.5, 0.5, 25.5, 0.5});
    CHECK(allclose(p, Tensor<float>({2, 4}, {0, 1, 1.9027F, 3, 3.9015F, 5, 5.9010F, 7}), 0, 5e-5));
    kernel(eps = 1e-10F, lr = 0.1F, grad = g, state_sum = s, param = p);
    CHECK(allclose(p, Tensor<float>({2, 4}, {0, 1, 1.8329F, 3, 3.8314F, 5, 5.8306F, 7}), 0, 5e-5));
}

TEST_CASE("child: one step made into a kernel three times", "[.child]") {
    for (int i = 0; i < 3; ++i) call(jit(adagrad), Layout::coo);
    const auto copy = jit(adagrad);
    call(copy, Layout::coo);
}

TEST_CASE("a step made into a kernel again is not compiled again", "[codegen]") {
    const ChildResult found =
        run_child("child: one step made into a kernel three times", "FRISKET_SHOW=plan,schedule");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "--- plan: adagrad") == 1);
    CHECK(count_of(found.output, "strategy gather") == 1);
    CHECK(count_of(found.output, "--- schedule: adagrad") == 1);
}

TEST_CASE("child: a kernel warmed up", "[.child]") {
    const auto kernel = jit(adagrad);
    kernel.warm_up({Layout::coo, Layout::rows, Layout::dense});
    std::fputs("warm\n", stderr);
    for (const Layout layout : {Layout::coo, Layout::rows, Layout::dense}) call(kernel, layout);
}

TEST_CASE("a kernel that was warmed up for a layout compiles nothing in a call", "[codegen]") {
    const ChildResult found = run_child("child: a kernel warmed up", "FRISKET_SHOW=plan");
    const auto warm = found.output.find("warm\n");
    INFO(found.output);
    REQUIRE(warm != std::string::npos);
    CHECK(count_of(found.output.substr(0, warm), "--- plan") == 3);
    CHECK(count_of(found.output.substr(warm), "--- plan") == 0);
}

TEST_CASE("nothing is printed unless FRISKET_SHOW asks for it", "[codegen]") {
    const ChildResult found = run_child("child: one step made into a kernel three times", "FRISKET_SHOW=");
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "---") == 0);
    CHECK(count_of(found.output, "adagrad") == 0);
}

TEST_CASE("a step of numbers alone updates them and needs no tensor", "[codegen]") {
    const auto kernel = jit(step<"numbers">(product *= lr));
    CHECK_NOTHROW(kernel.warm_up({Layout::coo}));
    double kept = 3;
    kernel(product = kept, lr = 0.5);
    kernel(product = kept, lr = 0.5);
    CHECK(kept == 0.75);
}

}  // namespace jit_kernels_test
