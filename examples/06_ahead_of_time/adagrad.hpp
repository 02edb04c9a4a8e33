// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

// [step]
inline constexpr frisket::InOut<"param"> param;
inline constexpr frisket::InOut<"state_sum"> state_sum;
inline constexpr frisket::Masked<"grad"> grad;
inline constexpr frisket::Scalar<"lr"> lr;
inline constexpr frisket::Scalar<"eps"> eps;

inline constexpr auto adagrad =
    frisket::step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));
// [/step]
