// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/tune.hpp>

#include "../../spec/both_ways.hpp"
#include "adagrad.hpp"

/// A step and arguments, for tests that tune.
namespace frisket::testing {

inline constexpr Scalar<"lr"> lr;

inline constexpr auto adagrad_of_rate =
    step<"adagrad">(state += square(grad), param -= lr * grad / (sqrt(state) + 1e-10f));

/// Arguments of a call.
struct Given {
    Tensor<float> p, s;
    MaskedTensor<float> g;

    Given(const Shape& shape, Layout layout, double density)
        : p(full<float>(shape, 1)),
          s(full<float>(shape, 0.5f)),
          g(random_masked<float>(shape, specified(density), layout, 3)) {}
    TuneResult tuned(const TuneOptions& options) const {
        return tune(adagrad_of_rate, options, param = p, state = s, grad = g, lr = 0.1);
    }
};

}  // namespace frisket::testing
