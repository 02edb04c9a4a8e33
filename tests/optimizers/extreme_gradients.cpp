// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <vector>

namespace extreme_gradients_test {

using namespace frisket;
using namespace frisket::optim;

namespace {

/// A parameter of two elements after steps that specify the first one.
template <class T>
std::vector<T> after(int steps, const AnyRule& rule, Untouched untouched, auto&& gradient_of) {
    Tensor<T> param = full<T>({2}, T(1.0F));
    Optimizer optimizer({.untouched = untouched, .interpret = true}, rule, {{"param", param}});
    for (int step = 0; step < steps; ++step) {
        const T value(static_cast<float>(gradient_of(step)));
        optimizer.step({MaskedTensor<T>::coo({2}, {{0}}, {value})});
    }
    optimizer.catch_up();
    return param.to_vector();
}

}  // namespace

// The exact variance of a constant gradient is g^2 (1 - alpha^t) alpha^t, which is never negative.
TEMPLATE_TEST_CASE("centred RMSprop stays finite under a constant gradient", "", float, double, float16,
                   bfloat16) {
    const bool is_wide = sizeof(TestType) > 2;
    for (const Untouched untouched : {Untouched::masked, Untouched::dense_equivalent, Untouched::caught_up})
        for (const double momentum : {0.0, 0.5})
            for (const double constant : {3.0, -0.1, is_wide ? 1e-20 : 1e-3, is_wide ? 1e20 : 1e3}) {
                CAPTURE(static_cast<int>(untouched), momentum, constant);
                const RMSprop rule{.lr = 1e-11, .alpha = 0.9, .momentum = momentum, .centered = true};
                const auto param = after<TestType>(200, rule, untouched, [&](int) { return constant; });
                CHECK(std::isfinite(static_cast<double>(param[0])));
                CHECK(static_cast<double>(param[1]) == 1);
            }
}

}  // namespace extreme_gradients_test
