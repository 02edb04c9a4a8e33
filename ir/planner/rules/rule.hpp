// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace frisket::plan {

/// Decides how a part of a graph is evaluated.
struct Rule {
    std::string_view name;
    std::string_view legal;  ///< condition under which it may be chosen
    std::string_view pros;   ///< work that it saves against evaluating whole tensors
    std::string_view cons;   ///< its cost
};

/// Rules by name; those of plans stand in the header of the function that plans by them.
namespace rules {

extern const Rule whole, in_place, row_blocks;

}  // namespace rules

}  // namespace frisket::plan
