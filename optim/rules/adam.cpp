// SPDX-License-Identifier: MIT
#include "adam.hpp"

#include "../rule.hpp"

namespace frisket::optim {

template const RuleInfo& rule_info<Adam>();
template const RuleInfo& rule_info<AdamW>();
template const RuleInfo& rule_info<SparseAdam>();
template const RuleInfo& rule_info<Adamax>();
template const RuleInfo& rule_info<NAdam>();
template const RuleInfo& rule_info<RAdam>();

}  // namespace frisket::optim
