// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/optim.hpp>

#include "losses.hpp"

// [optimizer]
/// Adagrad of float32 parameters, whatever its options and the settings of a step.
inline const frisket::optim::OptimizerKernels factors{.rule = frisket::optim::Adagrad{}};
// [/optimizer]
