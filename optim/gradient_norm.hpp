// SPDX-License-Identifier: MIT
// Internal: the norm of all gradients, and what it changes about a step.
#pragma once
#include "optimizer.hpp"

namespace frisket::optim {

/// Errors: ValueError naming the option, its value and its range.
void check(const GradientOptions& options);

/// True if a step with these options reads the norm of its gradients.
bool wants_norm(const GradientOptions& options);

/// The factor of all gradients, of which the sum of squares is known if wants_norm(options); sets norm and
/// is_skipped in the report.
double factor_of(double squares, const GradientOptions& options, StepOutcome& report);

/// The sum of the squares of what a tensor or a masked tensor specifies, in float64.
double sum_of_squares(const Argument& gradient, const codegen::LoopProvider& loops);

}  // namespace frisket::optim
