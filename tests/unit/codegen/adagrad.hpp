// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

/// A step that tests of schedules and prepared gradients call.
namespace frisket::testing {

inline constexpr InOut<"param"> param;
inline constexpr InOut<"state"> state;
inline constexpr Masked<"grad"> grad;

inline constexpr auto adagrad =
    step<"adagrad">(state += square(grad), param -= 0.1f * grad / (sqrt(state) + 1e-10f));

}  // namespace frisket::testing
