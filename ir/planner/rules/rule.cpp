// SPDX-License-Identifier: MIT
#include "rule.hpp"

namespace frisket::planning {

const RuleInfo rules::whole{
    .name = "whole",
    .legal = "always",
    .pros = "no list is made or read: one pass over all elements",
    .cons = "unspecified elements are computed as well",
};

const RuleInfo rules::in_place{
    .name = "in_place",
    .legal = "updates are elementwise functions of arguments, numbers and values made before",
    .pros = "one pass, and nothing is stored but the targets",
    .cons = "none",
};

const RuleInfo rules::row_blocks{
    .name = "row_blocks",
    .legal = "the masked arguments list the same rows, and the step reads and writes no other row",
    .pros = "a block of rows stays in the cache through all stages",
    .cons = "the rows of a block are looked up for each",
};

}  // namespace frisket::planning
