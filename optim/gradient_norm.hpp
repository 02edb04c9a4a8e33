// SPDX-License-Identifier: MIT
// Internal: the norm of all gradients, and its effect on a step.
#pragma once
#include "optimizer.hpp"

#include <functional>

namespace frisket::optim {

/// Errors: ValueError naming the option, its value and its range.
void check(const GradientOptions& options);

/// True if a step with these options reads the norm of its gradients.
bool wants_norm(const GradientOptions& options);

/// A sum of squares of elements times a scale, which is a power of two.
struct ScaledSquares { double sum = 0, scale = 1; };

/// The sum of squares, from a function that returns it for a scale; the scale is 1 unless squares of float64
/// leave the range.
ScaledSquares squares_in_range(const std::function<double(double scale)>& sum_for);

/// The factor of all gradients, of which the sum of squares is known if wants_norm(options); sets norm and
/// is_skipped in the report.
double factor_of(const ScaledSquares& squares, const GradientOptions& options, StepOutcome& report);

/// The sum of the squares of the specified elements of a tensor or a masked tensor times `scale`, in float64.
double sum_of_squares(const Argument& gradient, double scale, const codegen::LoopProvider& loops);

}  // namespace frisket::optim
