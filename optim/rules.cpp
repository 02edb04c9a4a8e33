// SPDX-License-Identifier: MIT
#include "optim.hpp"

namespace frisket::optim {

AnyRule rule_of(std::string_view name) {
#define FRISKET_RULE_OF_NAME(Rule)                                                                           \
    if (name == Rule::name) return Rule{};
    FRISKET_OPTIMIZER_RULES(FRISKET_RULE_OF_NAME)
#undef FRISKET_RULE_OF_NAME
    std::string text = "there is no optimizer \"" + std::string(name) + "\"; there are";
    for (const std::string_view known : rule_names()) text += " " + std::string(known);
    throw ValueError(text);
}

}  // namespace frisket::optim
