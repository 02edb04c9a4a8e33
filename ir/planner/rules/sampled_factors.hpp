// SPDX-License-Identifier: MIT
#pragma once
#include "../list_products.hpp"
#include "../planner.hpp"

#include <map>

namespace frisket::planning {

/// A product that is made for the places of a list.
struct SampledFactor {
    ProductMatrices matrices;
    int list = 0;  ///< the symbol
};

/// The products of dense matrices that are read at the places of one list alone, which has less than a
/// quarter of their elements.
/// Cost: linear in the graph.
std::map<NodeId, SampledFactor> sampled_factors(const PlanRequest& request);

}  // namespace frisket::planning
