// SPDX-License-Identifier: MIT
// Defines the description of planning rules, and declares rules that several files share.
#pragma once
#include <string_view>

namespace frisket::planning {

/// Decides how a part of a graph is evaluated.
struct RuleInfo {
    std::string_view name;
    std::string_view legal;  ///< condition under which it may be chosen
    std::string_view pros;   ///< work that it saves against evaluating whole tensors
    std::string_view cons;   ///< its cost
};

/// Rules that more than one file knows; all other rules are where they are used.
namespace rules {

extern const RuleInfo whole, in_place, row_blocks;
extern const RuleInfo same_pattern, intersection_of, union_of, spmm, dense_operand, gathered_sum;
extern const RuleInfo sampled_factor, sampled_product, sampled_whole, scattered_list, shared_value;

}  // namespace rules

}  // namespace frisket::planning
