// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace frisket {

/// Decides how a part of a graph is evaluated; a row of the table each.
enum class Rule : std::uint8_t {
    whole,
    same_pattern,
    union_of,
    segmented_reduce,
    permutation,
    spmm,
    dense_operand,
    sampled_product,
    sampled_whole,
    in_place,
    row_blocks,
};

struct RuleRow {
    Rule rule;
    std::string_view name;
    std::string_view legal;  ///< when it may be chosen
    std::string_view pros;   ///< what it saves against evaluating whole tensors
    std::string_view cons;   ///< what it costs
};

/// All of them, in the order of the enumeration.
std::span<const RuleRow> rule_table();
const RuleRow& row_of(Rule rule);

}  // namespace frisket
