// SPDX-License-Identifier: MIT
#pragma once
#include "oracle.hpp"

#include "../../optim/optimizer.hpp"

namespace fuzz {

/// An option that is not the rule's default.
struct Option { std::string name, text; };

/// Some steps of an optimizer, as plain data.
struct Trajectory {
    std::uint32_t seed = 0;
    std::string rule;
    std::vector<Option> options;
    DType dtype = DType::float32;
    std::vector<Shape> shapes;  ///< of the parameters
    optim::Untouched untouched = optim::Untouched::masked;
    bool is_rounded = false;  ///< stochastically
    optim::GradientOptions gradients;
    int steps = 1;
    Layout layout = Layout::strided;  ///< of gradients that can have it
    Lies lies = Lies::rows;
    Listed listed = Listed::ascending;
};

Trajectory generate_trajectory(std::uint32_t seed);
/// Compares compiled loops with the interpreter: parameters and state after the last step.
Comparison judge(const Trajectory& trajectory);
/// The smallest found that still differs, and it as text.
Trajectory minimised(Trajectory trajectory);
std::string text_of(const Trajectory& trajectory);

}  // namespace fuzz
