// SPDX-License-Identifier: MIT
#pragma once
#include "../optim/rule.hpp"
#include "../runtime/kernel/argument.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace frisket::cli {

/// Description of a gradient's mask.
struct Pattern {
    std::string kind =
        {};  ///< random elements, whole rows, or blocks of 16 by 16; empty: as the layout needs
    double density = 0.01;  ///< share of what is specified
    std::string mask;       ///< a .npy file instead
};

/// Errors: ValueError, IoError, ShapeError if the file's mask has another shape.
Tensor<bool> mask_of(const Pattern& pattern, const Shape& shape);

/// The numbers that a step is called with, for tensors of a shape; those that it does not name are 1.
using NumbersOf = std::function<std::vector<optim::Number>(const Shape& shape)>;

/// Arguments for a step: tensors of numbers that stay what they are, and its numbers.
class StepArguments {
public:
    /// Errors: LayoutError if the layout cannot hold the mask; ValueError for a step of whole tensors.
    StepArguments(const Graph& step, const NumbersOf& numbers_of, const Shape& shape,
                  const Tensor<bool>& mask, Layout layout);
    std::span<const Argument> arguments() const { return arguments_; }

private:
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> tensors_;
    std::deque<AnyMasked> masked_;
    std::deque<double> states_;
};

}  // namespace frisket::cli
