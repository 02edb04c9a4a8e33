// SPDX-License-Identifier: MIT
#include "rmsprop.hpp"

#include "../rule.hpp"

namespace frisket::optim {

template const RuleInfo& rule_info<RMSprop>();
template const RuleInfo& rule_info<Adadelta>();

}  // namespace frisket::optim
