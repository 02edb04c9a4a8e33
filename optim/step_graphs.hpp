// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../ir/graph.hpp"
#include "optimizer.hpp"

/// Graphs that an optimizer runs.
namespace frisket::optim {

/// Form that the settings and the call give to a rule's step.
struct StepForm {
    Untouched untouched = Untouched::masked;
    bool is_scaled = false;  ///< gradients are multiplied and bounded first
    bool is_random = false;  ///< the parameter is rounded stochastically
};

/// True for parameters that can be rounded stochastically.

/// Errors: ValueError for a number that is none.
void check_untouched(Untouched untouched);
/// Errors: ValueError if missed steps have no closed form with the rule's options.
void check_closed_form(const AnyRule& rule);

/// The step of a rule for a parameter.
Graph step_graph(const AnyRule& rule, DType dtype, const Shape& param, const StepForm& form);
/// The closed form of steps that rows missed.  Precondition: the rule has one.
Graph missed_steps_graph(const AnyRule& rule, DType dtype, const Shape& param, bool is_random);
/// The sum of squares of the specified elements of a gradient times the Scalar `scale`, in float64.
Graph sum_of_squares_graph(DType dtype, const Shape& shape, bool is_masked);

}  // namespace frisket::optim
