// SPDX-License-Identifier: MIT
#pragma once
#include "rule.hpp"
#include "rules/adadelta.hpp"
#include "rules/adafactor.hpp"
#include "rules/adagrad.hpp"
#include "rules/adam.hpp"
#include "rules/adamax.hpp"
#include "rules/adamw.hpp"
#include "rules/asgd.hpp"
#include "rules/ftrl.hpp"
#include "rules/lamb.hpp"
#include "rules/lars.hpp"
#include "rules/lion.hpp"
#include "rules/muon.hpp"
#include "rules/nadam.hpp"
#include "rules/radam.hpp"
#include "rules/rmsprop.hpp"
#include "rules/rowwise_adagrad.hpp"
#include "rules/rprop.hpp"
#include "rules/sgd.hpp"
#include "rules/sparse_adam.hpp"

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
