// SPDX-License-Identifier: MIT
// Rules that the Python package has compiled ahead of time: those of optim with default options, and
// SGD with momentum, which is another step.
#pragma once
#include "../../optim/optim.hpp"

/// Optimizers of the Python package: RULE for parameters of float32, RULE16 for parameters of 16 bits.
namespace frisket::python::rules {

using optim::OptimizerKernels;

#define FRISKET_KERNELS_OF(name, options)                                                                    \
    inline const OptimizerKernels name{.rule = options};                                                     \
    inline const OptimizerKernels name##16 {.rule = options, .dtypes = {DType::float16, DType::bfloat16}};
#define FRISKET_KERNELS(Rule) FRISKET_KERNELS_OF(Rule, optim::Rule{})
FRISKET_OPTIMIZER_RULES(FRISKET_KERNELS)
FRISKET_KERNELS_OF(SGDMomentum, optim::SGD{.momentum = 0.9})
#undef FRISKET_KERNELS
#undef FRISKET_KERNELS_OF

}  // namespace frisket::python::rules
