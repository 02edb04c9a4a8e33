// SPDX-License-Identifier: MIT
#pragma once
#include "adadelta.hpp"
#include "adafactor.hpp"
#include "adagrad.hpp"
#include "adam.hpp"
#include "adamax.hpp"
#include "adamw.hpp"
#include "asgd.hpp"
#include "ftrl.hpp"
#include "lamb.hpp"
#include "lars.hpp"
#include "lion.hpp"
#include "muon.hpp"
#include "nadam.hpp"
#include "radam.hpp"
#include "rmsprop.hpp"
#include "rowwise_adagrad.hpp"
#include "rprop.hpp"
#include "rule.hpp"
#include "sgd.hpp"
#include "sparse_adam.hpp"

#include <span>

// THE list of rules: one more optimizer is one more header and one more line.
#define FRISKET_OPTIMIZER_RULES(RULE)                                                                        \
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

namespace frisket::optim {

#define FRISKET_EXTERN_RULE(Rule) extern template const RuleInfo& rule_info<Rule>();
FRISKET_OPTIMIZER_RULES(FRISKET_EXTERN_RULE)
#undef FRISKET_EXTERN_RULE

/// A rule of this folder by its name, with default options.  Errors: ValueError listing the names.
AnyRule rule_of(std::string_view name);
/// Names of the rules of this folder.
std::span<const std::string_view> rule_names();

}  // namespace frisket::optim
