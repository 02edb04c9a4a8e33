// SPDX-License-Identifier: MIT
// Finds products of dense matrices that are read at the positions of lists only.
#pragma once
#include "../list_products.hpp"
#include "../planner.hpp"

#include <map>
#include <set>
#include <vector>

namespace frisket::planning {

/// A product that is made for the places of a list.
struct SampledFactor {
    ProductMatrices matrices;
    int list = 0;  ///< the symbol
};

/// The products of dense matrices that are read only at some positions.
struct SampledFactors {
    std::map<NodeId, SampledFactor>
        of_lists;  ///< at positions of one list, less than a quarter of their elements
    std::set<NodeId>
        unions;  ///< masks that are true where any of several lists is specified, and read other masks
    std::map<NodeId, std::vector<int>> of_several = {};  ///< at positions of several lists
};

/// Cost: linear in the graph.
SampledFactors sampled_factors(const PlanRequest& request);

}  // namespace frisket::planning
