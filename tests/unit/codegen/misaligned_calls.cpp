// SPDX-License-Identifier: MIT
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_template_test_macros.hpp>

namespace misaligned_calls_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

template <class T>
Tensor<T> some(const Shape& shape, int seed) {
    Tensor<T> tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = static_cast<T>(static_cast<float>((i * 7 + seed) % 23 - 11) / 4);
    return tensor;
}

/// A copy of the elements at the given number of bytes past a multiple of 64.
template <class T>
Tensor<T> moved(const Tensor<T>& elements, int bytes) {
    return Guarded<T>(elements, {.misalignment = bytes}).tensor();
}

/// A masked tensor with values and mask at this offset.
template <class T>
MaskedTensor<T> moved(const MaskedTensor<T>& made, int bytes) {
    const Tensor<T> values = moved(Tensor<T>(made.values().clone()), bytes);
    if (made.layout() == Layout::strided)
        return MaskedTensor<T>(AnyMasked::strided(values, moved(Tensor<bool>(made.mask()), bytes)));
    if (made.layout() == Layout::bitmask)
        return MaskedTensor<T>(AnyMasked::bitmask(values, moved(Tensor<std::int64_t>(made.mask()), bytes)));
    if (made.layout() == Layout::dense) return MaskedTensor<T>::dense(values);
    return MaskedTensor<T>(AnyMasked::indexed(made.layout(), made.shape(), made.index(), values));
}

template <class T>
MaskedTensor<T> some_masked(Layout layout) {
    const Shape shape{9, 21};
    if (layout == Layout::dense) return MaskedTensor<T>::dense(some<T>(shape, 3));
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] = layout == Layout::rows ? i / 21 % 3 == 1 : i * 5 % 7 < 3;
    return masked(some<T>(shape, 3), mask).to(layout);
}

template <class T>
struct Scaled {
    static constexpr InOut<"param", T> param{};
    static constexpr In<"scale", T> scale{};
    static constexpr Masked<"grad", T> grad{};
    static constexpr auto step = frisket::step<"scaled">(param -= grad * scale);
};

}  // namespace

TEMPLATE_TEST_CASE("a call with tensors at any address gives the bytes of one with aligned ones", "[codegen]",
                   std::int32_t, std::int64_t, float, double, float16, bfloat16) {
    using T = TestType;
    const auto kernel = jit(Scaled<T>::step);
    const Graph graph = describe(Scaled<T>::step);
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows}) {
        const MaskedTensor<T> g = some_masked<T>(layout);
        const Tensor<T> wanted = some<T>({9, 21}, 1), scale = some<T>({9, 21}, 2);
        kernel(Scaled<T>::param = wanted, Scaled<T>::scale = scale, Scaled<T>::grad = g);
        for (int bytes = 1; bytes < 8; ++bytes) {
            CAPTURE(layout, bytes);
            const Tensor<T> other = moved(scale, bytes);
            const MaskedTensor<T> grad = moved(g, bytes);
            const Guarded<T> p(some<T>({9, 21}, 1), {.misalignment = bytes});
            kernel(Scaled<T>::param = p.tensor(), Scaled<T>::scale = other, Scaled<T>::grad = grad);
            CHECK_THAT(p.tensor(), HasTheBytesOf(wanted));
            const Guarded<T> q(some<T>({9, 21}, 1), {.misalignment = bytes});
            interpret(graph, {{"param", q.tensor()}, {"scale", other}, {"grad", grad}});
            CHECK_THAT(q.tensor(), HasTheBytesOf(wanted));
            CHECK(p.is_intact());
            CHECK(q.is_intact());
        }
    }
}

TEMPLATE_TEST_CASE("an expression of tensors at any address gives the bytes of aligned ones", "[codegen]",
                   std::int32_t, std::int64_t, float, double) {
    using T = TestType;
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows}) {
        const MaskedTensor<T> m = some_masked<T>(layout);
        const Tensor<T> x = some<T>({21, 4}, 5), y = some<T>({9, 21}, 6);
        const Tensor<std::int64_t> rows({3}, {8, 0, 4});
        for (const int bytes : {1, 2, 4, 7}) {
            CAPTURE(layout, bytes);
            const MaskedTensor<T> n = moved(m, bytes);
            const Tensor<T> a = moved(x, bytes), b = moved(y, bytes);
            const Tensor<std::int64_t> at = moved(rows, bytes);
            for (const Jit way : {Jit::never, Jit::always}) {
                const EvalOptions options{.jit = way};
                const auto agree = [&](const auto& found, const auto& wanted) {
                    CHECK(same(eval(found, options), eval(wanted, options)));
                };
                agree(n * 2, m * 2);
                agree(sum(n, 1), sum(m, 1));
                agree(matmul(n, a), matmul(m, x));
                agree(b + b, y + y);
                agree(b(at), y(rows));
            }
        }
    }
}

TEST_CASE("an optimizer steps parameters at any address as aligned ones", "[codegen]") {
    const auto untouched =
        GENERATE(optim::Untouched::masked, optim::Untouched::dense_equivalent, optim::Untouched::caught_up);
    const MaskedTensor<float> g = some_masked<float>(Layout::rows);
    const Tensor<float> wanted = some<float>({9, 21}, 1);
    optim::Optimizer aligned({.untouched = untouched}, optim::SGD{.momentum = 0.5}, {{"p", wanted}});
    for (int i = 0; i < 3; ++i) aligned.step({g}, {.clip_norm = 2});
    for (int bytes = 1; bytes < 4; ++bytes) {
        const Guarded<float> p(some<float>({9, 21}, 1), {.misalignment = bytes});
        optim::Optimizer optimizer({.untouched = untouched}, optim::SGD{.momentum = 0.5},
                                   {{"p", p.tensor()}});
        const MaskedTensor<float> grad = moved(g, bytes);
        for (int i = 0; i < 3; ++i) optimizer.step({grad}, {.clip_norm = 2});
        CHECK_THAT(p.tensor(), HasTheBytesOf(wanted));
        CHECK(p.is_intact());
    }
}

}  // namespace misaligned_calls_test
