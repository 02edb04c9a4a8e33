// SPDX-License-Identifier: MIT
#include "layerwise.hpp"

#include "../rule.hpp"

namespace frisket::optim {

template const RuleInfo& rule_info<LAMB>();
template const RuleInfo& rule_info<LARS>();

}  // namespace frisket::optim
