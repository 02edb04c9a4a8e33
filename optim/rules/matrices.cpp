// SPDX-License-Identifier: MIT
#include "matrices.hpp"

#include "../rule.hpp"

namespace frisket::optim {

template const RuleInfo& rule_info<Adafactor>();
template const RuleInfo& rule_info<Muon>();

}  // namespace frisket::optim
