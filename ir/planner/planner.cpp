// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include "rules/coiterate.hpp"
#include "rules/sampled_product.hpp"
#include "rules/sparse_prologue.hpp"

namespace frisket {

std::optional<Plan> plan_call(const PlanRequest& request) {
    if (auto plan = coiterate(request)) return plan;
    if (auto plan = sparse_prologue(request)) return plan;
    return sampled_product(request);
}

}  // namespace frisket
