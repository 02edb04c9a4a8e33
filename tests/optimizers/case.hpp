// SPDX-License-Identifier: MIT
#pragma once
#include "../support/case_program.hpp"

#include "../../optim/optim.hpp"

#include <optional>

#include <string>
#include <vector>

/// Golden trajectories of optimizers: files of schema 1, run through Optimizer.
namespace goldens {

using namespace frisket::testing;

struct Options {
    bool interpret = false;
    frisket::TargetName target = {};
    frisket::Device device = {};  ///< place of parameters, state and gradients
    /// Gradients are stored like this where the layout can hold them; else as in the case.
    std::optional<frisket::Layout> layout;
};

/// The rule of a case with its options.
frisket::optim::AnyRule rule_of_case(const Json& test);

/// Runs a case in float64 and in float32 and compares parameter and state after every step: within
/// 1e-12 * max(1, |x|), and within max(1e-5, 8 * float32_floor).  Where a masked rule skips an element its
/// bytes stay.
Verdict run_case(const Json& test, const Options& options);

}  // namespace goldens
