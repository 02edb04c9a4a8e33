// SPDX-License-Identifier: MIT
// Collects the optimizers, and lists their rules.
#pragma once
#include "optimizer.hpp"
#include "rule.hpp"
#include "rules/adagrad.hpp"
#include "rules/adam.hpp"
#include "rules/layerwise.hpp"
#include "rules/matrices.hpp"
#include "rules/momentum.hpp"
#include "rules/rmsprop.hpp"

#include <array>
#include <string_view>

/// THE list of rules: one more optimizer is one more struct in rules/, and one more line.
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

/// Optimizers, each a step of a few lines, and the class that keeps their state.
namespace frisket::optim {

/// Says that a rule is compiled once, in the library (rules/*.cpp).
#define FRISKET_EXTERN_RULE(Rule) extern template const RuleInfo& rule_info<Rule>();
FRISKET_OPTIMIZER_RULES(FRISKET_EXTERN_RULE)
#undef FRISKET_EXTERN_RULE

/// The name of a rule.
#define FRISKET_NAME_OF_RULE(Rule) Rule::name,
/// Names of the rules of rules/.
constexpr auto rule_names() { return std::array{FRISKET_OPTIMIZER_RULES(FRISKET_NAME_OF_RULE)}; }
#undef FRISKET_NAME_OF_RULE

/// A rule of rules/ by its name, with default options.  Errors: ValueError listing the names.
AnyRule rule_of(std::string_view name);

}  // namespace frisket::optim
