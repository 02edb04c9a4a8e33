// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

/// Steps over listed rows, and their symbols, for tests of the processor and of devices.
namespace frisket::testing::row_rules {

inline constexpr InOut<"param"> param;
inline constexpr InOut<"state_sum"> state_sum;
inline constexpr InOut<"momentum"> momentum;
inline constexpr In<"decay"> decay;
inline constexpr Masked<"grad"> grad;
inline constexpr Masked<"other"> other;
inline constexpr Scalar<"lr"> lr;
inline constexpr InOut<"average", bfloat16> average;
inline constexpr InOut<"counts"> counts;
inline constexpr Let<"length"> length;
inline constexpr ScalarState<"steps"> steps;

inline constexpr auto rowwise = step<"rowwise">(state_sum += mean(grad * grad, {1}, keepdim),
                                                param -= lr * grad / (sqrt(state_sum) + 0.5));
/// Two numbers of a row, one of them stored with fewer bits, which the step reads again.
inline constexpr auto averaged = step<"averaged">(
    average = 0.9F * average + 0.1F * mean(grad * grad, {1}, keepdim),
    counts += on(amax(grad, {1}, keepdim), 1.0F), param -= lr * grad / (sqrt(average) + counts));
/// Values from the step's results, a row that is repeated, and two numbers of a row.
inline constexpr auto trusted =
    step<"trusted">(momentum += 0.5 * (grad - momentum), length = norm(on(grad, param), {1}, keepdim),
                    param -= lr * length / (norm(on(grad, momentum), {1}, keepdim) + 0.5) *
                             on(grad, momentum + decay * param));
/// A value from all rows.
inline constexpr auto clipped = step<"clipped">(param -= lr * grad / (to_dense(norm(grad), 0) + 1));
/// Two lists of the same rows.
inline constexpr auto crossed =
    step<"crossed">(state_sum += mean(grad * grad, {1}, keepdim), param -= lr * other / (state_sum + 1));
/// A host scalar that the step counts up, twice.
inline constexpr auto counted =
    step<"counted">(steps += 1.0, state_sum += steps * mean(grad * grad, {1}, keepdim), steps *= 2.0,
                    param -= lr * grad / (state_sum + steps));

}  // namespace frisket::testing::row_rules
