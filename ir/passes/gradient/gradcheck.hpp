// SPDX-License-Identifier: MIT
// Compares gradients with differences.
#pragma once
#include "../../expressions/expression_context.hpp"

#include <functional>
#include <span>
#include <string>

namespace frisket::ir {

/// An expression of masked float64 tensors, to be differentiated.
using Differentiable = std::function<Value(ExpressionContext& session, std::span<const Value> inputs)>;

struct GradcheckOptions {
    /// Treats an unspecified element as no variable at all; else as a variable that is 0.
    bool masked = true;
    double eps = 1e-6;
    double rtol = 1e-3;
    double atol = 1e-5;
};

/// Two Jacobians.  Shape: a row for each element of the inputs, one input after the other, a column for each
/// element of the result, all row-major.
struct GradcheckReport {
    Tensor<double> numerical;   ///< by central differences
    Tensor<double> analytical;  ///< column by column, from gradients
    /// True if |analytical - numerical| <= atol + rtol * |numerical| everywhere.
    bool pass = false;

    /// "gradients agree", or both Jacobians and the element that is furthest off.
    std::string text() const;
};

/// Compares the gradient of a function with its differences.  The result is made dense with 0; its
/// unspecified elements are results if unspecified elements of the inputs are variables.  Rows of unspecified
/// elements that are variables hold the differences of the function of inputs in which they are specified;
/// all other rows hold 0 in `numerical`.  So a function passes with masked = true if its gradients reach only
/// specified elements, as gradients of to_dense do, and with masked = false if they reach all.
/// Source: torch.autograd.gradcheck with its argument `masked`, pull request 95405 of PyTorch.
/// Errors: DTypeError unless inputs and result are float64.
GradcheckReport gradcheck(const Differentiable& function, std::span<const AnyMasked> inputs,
                          GradcheckOptions options = {},
                          const ExpressionContext::Evaluate& evaluate = &frisket::evaluate);

}  // namespace frisket::ir
