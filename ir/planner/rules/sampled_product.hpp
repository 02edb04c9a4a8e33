// SPDX-License-Identifier: MIT
#pragma once
#include "../planner.hpp"

#include <optional>

/// Products of which few elements are wanted: `on(m, matmul(a, b))` for the specified elements of m alone.
namespace frisket::plan {

/// The cost of an element of a product on a list, in elements of the whole product: 5 to 15 were measured.
inline constexpr std::int64_t list_cost = 10;

/// The plan of an expression whose results are specified nowhere but where one of its masked arguments is:
/// reductions that keep their last dimension, as products do, are made for these positions alone, each in the
/// order in which it would be made among all.  Where so much is specified that the whole takes less time, the
/// graph stays as it is, with the same bits.  Nothing if no reduction would be spared.
/// Cost: linear in the graph, and where a mask is bits or bytes in its elements.
std::optional<Plan> sampled_product(const PlanRequest& request);

namespace rules {

extern const Rule sampled_product, sampled_whole;

}  // namespace rules

}  // namespace frisket::plan
