// SPDX-License-Identifier: MIT
#include "adagrad.hpp"

#include "../rule.hpp"

namespace frisket::optim {

template const RuleInfo& rule_info<Adagrad>();
template const RuleInfo& rule_info<RowwiseAdagrad>();
template const RuleInfo& rule_info<FTRL>();

}  // namespace frisket::optim
