// SPDX-License-Identifier: MIT
#include "rule.hpp"

#include <algorithm>
#include <iterator>

namespace frisket {

namespace {

constexpr RuleRow table[] = {
    {Rule::whole, "whole", "always", "no list is made or read: one pass over all elements",
     "unspecified elements are computed as well"},
    {Rule::same_pattern, "same_pattern",
     "the masked arguments are lists of one layout with the same positions, and no result needs another "
     "position",
     "stored values are read and written in their order, and the result shares the list",
     "the lists are compared"},
    {Rule::union_of, "union_of",
     "the masked arguments of the largest shape are lists, and results are 0 or unspecified at positions of "
     "none",
     "time and memory are those of the listed positions",
     "the lists are merged, and each argument is located in the union"},
    {Rule::segmented_reduce, "segmented_reduce",
     "a reduction along some dimensions reads single elements of a list, and other positions add nothing to "
     "it",
     "one pass over the list; slices without an entry cost nothing",
     "entries of a slice that are apart are ordered first"},
    {Rule::permutation, "permutation", "a view, a reshape or a cat shows each element of a list once",
     "positions are computed anew, values are gathered once", "the new positions are sorted"},
    {Rule::spmm, "spmm", "a matrix product has a list as a factor, and the other factor is a list or dense",
     "a row of the other factor is read for each entry, nothing else", "entries are ordered by rows"},
    {Rule::dense_operand, "dense_operand", "the dense factor of a product of lists is itself an expression",
     "it is evaluated once", "it is stored"},
    {Rule::sampled_product, "sampled_product",
     "results are specified where one masked argument is, and it specifies less than a tenth of a "
     "reduction's elements",
     "the reduction is made for the specified elements alone",
     "an element costs about ten times as much as one of a whole product"},
    {Rule::sampled_whole, "sampled_whole",
     "results are specified where one masked argument is, and it specifies a tenth of a reduction's elements "
     "or more",
     "the whole product is faster than its parts", "unspecified elements are computed as well"},
    {Rule::in_place, "in_place",
     "updates are elementwise functions of arguments, numbers and values made before",
     "one pass, and nothing is stored but the targets", "none"},
    {Rule::row_blocks, "row_blocks",
     "the masked arguments list the same rows, and the step reads and writes no other row",
     "a block of rows stays in the cache through all stages", "the rows of a block are looked up for each"},
};

}  // namespace

std::span<const RuleRow> rule_table() { return table; }

const RuleRow& row_of(Rule rule) { return *std::ranges::find(table, rule, &RuleRow::rule); }

}  // namespace frisket
