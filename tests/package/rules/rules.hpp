// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/optim.hpp>

/// Every rule, compiled ahead of time.
namespace rules {

using frisket::optim::OptimizerKernels;

#define KERNELS(Rule) inline const OptimizerKernels kernels_of_##Rule{.rule = frisket::optim::Rule{}};
FRISKET_OPTIMIZER_RULES(KERNELS)
#undef KERNELS

}  // namespace rules
