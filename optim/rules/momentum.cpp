// SPDX-License-Identifier: MIT
#include "momentum.hpp"

#include "../rule.hpp"

namespace frisket::optim {

template const RuleInfo& rule_info<SGD>();
template const RuleInfo& rule_info<Rprop>();
template const RuleInfo& rule_info<ASGD>();
template const RuleInfo& rule_info<Lion>();

}  // namespace frisket::optim
