// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/optim.hpp>

/// Rules that are compiled for two processor families, of which both give the same bytes.
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
    RULE(LARS)

#define KERNELS(Rule) inline const OptimizerKernels kernels_of_##Rule{.rule = frisket::optim::Rule{}};
RULES(KERNELS)
#undef KERNELS

}  // namespace rules
