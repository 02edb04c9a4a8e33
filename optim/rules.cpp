// SPDX-License-Identifier: MIT
#include "optim.hpp"

#include <array>

namespace frisket::optim {

namespace {

#define FRISKET_NAME_OF_RULE(Rule) Rule::name,
constexpr std::array names{FRISKET_OPTIMIZER_RULES(FRISKET_NAME_OF_RULE)};
#undef FRISKET_NAME_OF_RULE

}  // namespace

AnyRule rule_of(std::string_view name) {
#define FRISKET_RULE_OF_NAME(Rule)                                                                           \
    if (name == Rule::name) return Rule{};
    FRISKET_OPTIMIZER_RULES(FRISKET_RULE_OF_NAME)
#undef FRISKET_RULE_OF_NAME
    std::string text = "there is no optimizer \"" + std::string(name) + "\"; there are";
    for (const std::string_view known : names) text += " " + std::string(known);
    throw ValueError(text);
}

std::span<const std::string_view> rule_names() { return names; }

}  // namespace frisket::optim
