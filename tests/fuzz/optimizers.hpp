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
    std::vector<Shape> shapes;  ///< shapes of the parameters
    optim::Untouched untouched = optim::Untouched::masked;
    bool is_rounded = false;  ///< stochastically
    optim::GradientOptions gradients;
    bool are_options_applied = false;  ///< `gradients`, but for a norm, by plain loops before the steps
    bool is_compiled = true;           ///< else only the interpreter's steps are checked
    int steps = 1;
    int changed_lr_at = 0;            ///< the step before which lr becomes 0.25; 0: none
    Layout layout = Layout::strided;  ///< layout of gradients that can have it
    Lies lies = Lies::rows;
    Listed listed = Listed::ascending;
};

Trajectory generate_trajectory(std::uint32_t seed);
/// A trajectory of other parameters and steps, for whose rule and options the same loops do.
Trajectory with_other_data(const Trajectory& trajectory, std::uint32_t seed);
/// Compares compiled loops, if they are wanted, with the interpreter, and with steps that are as plain as
/// they can be: parameters and state after the last step.
Comparison judge(const Trajectory& trajectory);
/// The smallest found that still differs, and it as text.
Trajectory minimised(Trajectory trajectory);
std::string text_of(const Trajectory& trajectory);

}  // namespace fuzz
