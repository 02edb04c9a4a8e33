// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/optim.hpp>

/// Every rule, compiled ahead of time.
namespace rules {

using frisket::optim::OptimizerKernels;

#define RULES(RULE)                                                                                          \
    RULE(SGD)                                                                                                \
    RULE(Adagrad)                                                                                            \
    RULE(RowwiseAdagrad)                                                                                     \
    RULE(Adam)                                                                                               \
    RULE(AdamW)                                                                                              \
    RULE(SparseAdam)                                                                                         \
    RULE(RMSprop)                                                                                            \
    RULE(Adadelta)                                                                                           \
    RULE(Adamax)                                                                                             \
    RULE(NAdam)                                                                                              \
    RULE(RAdam)                                                                                              \
    RULE(Rprop)                                                                                              \
    RULE(ASGD)                                                                                               \
    RULE(Lion)                                                                                               \
    RULE(FTRL)                                                                                               \
    RULE(LAMB)                                                                                               \
    RULE(LARS)                                                                                               \
    RULE(Adafactor)                                                                                          \
    RULE(Muon)
#define KERNELS(Rule) inline const OptimizerKernels kernels_of_##Rule{.rule = frisket::optim::Rule{}};
RULES(KERNELS)
#undef KERNELS

}  // namespace rules
