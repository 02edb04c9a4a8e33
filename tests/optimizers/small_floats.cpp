// SPDX-License-Identifier: MIT
// Parameters of 16 bits: state in float32, gradients of 16 bits in every layout.
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

namespace small_floats_test {

using namespace frisket;
using namespace frisket::optim;
using namespace frisket::testing;

namespace {

/// A parameter after three steps.
template <class T>
Tensor<T> stepped(bool interpret, Untouched untouched, const AnyRule& rule, const Shape& shape,
                  double density, Layout layout) {
    Optimizer::Settings settings;
    settings.untouched = untouched;
    settings.interpret = interpret;
    const Tensor<T> param = random_tensor<T>(shape, 3);
    Optimizer optimizer(settings, rule, {{"p", param}});
    for (std::uint32_t i = 0; i < 3; ++i)
        optimizer.step({random_masked<T>(shape, specified(density), layout, 10 * i)});
    optimizer.catch_up();
    return param;
}

/// Compiled loops and the interpreter, for each layout; caught up is the dense rule rounded elsewhere.
template <class T>
void check_layouts(const AnyRule& rule, const Shape& shape, double density, Untouched untouched) {
    for (const Layout layout : all_layouts()) {
        CAPTURE(rule.info().name, name_of(dtype_of<T>), density, name_of(layout), untouched);
        const auto found = stepped<T>(false, untouched, rule, shape, density, layout);
        CHECK_THAT(found, HasTheBytesOf(stepped<T>(true, untouched, rule, shape, density, layout)));
        if (untouched != Untouched::caught_up) continue;
        const auto dense = stepped<T>(false, Untouched::dense_equivalent, rule, shape, density, layout);
        const double bound = std::is_same_v<T, float16> ? 0x1p-9 : 0x1p-6;
        CHECK(allclose(found.template to<float>(), dense.template to<float>(), bound, bound));
    }
}

}  // namespace

TEST_CASE("parameters of 16 bits take gradients of every layout", "[optim]") {
    check_layouts<float16>(SGD{.lr = 1e-2, .momentum = 0.9}, {12, 20}, 0.4, Untouched::masked);
    check_layouts<bfloat16>(RowwiseAdagrad{.lr = 1e-2}, {12, 20}, 0.4, Untouched::masked);
    check_layouts<bfloat16>(AdamW{.lr = 1e-2}, {12, 20}, 0.4, Untouched::dense_equivalent);
}

TEST_CASE("parameters of 16 bits take large gradients, sparse and nearly full", "[optim]") {
    for (const double density : {0.001, 0.1, 0.95})
        check_layouts<float16>(SGD{.lr = 1e-2}, {210, 132}, density, Untouched::masked);
}

TEST_CASE("parameters of 16 bits catch up as the dense rule moves them", "[optim]") {
    check_layouts<bfloat16>(SGD{.lr = 0.1, .weight_decay = 0.1}, {13, 20}, 0.2, Untouched::caught_up);
    check_layouts<float16>(RMSprop{.lr = 0.1, .eps = 1e-3, .momentum = 0.9}, {13, 20}, 0.2,
                           Untouched::caught_up);
}

}  // namespace small_floats_test
