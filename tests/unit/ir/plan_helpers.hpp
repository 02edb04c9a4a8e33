// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>
#include <catch2/catch_test_macros.hpp>

#include "../../../ir/planner/planner.hpp"

#include <numeric>
#include <optional>

/// Plans of expressions, which are not evaluated.
namespace frisket::testing {

/// The first plan of an expression.
struct Planned {
    std::optional<planning::Plan> plan;  // none: one body over whole tensors
    planning::ValueId arguments = 0;
};

template <class E>
Planned planned(const E& expression) {
    Planned made;
    static_cast<void>(detail::run(
        [&](const Graph& graph, std::span<const Argument> arguments) {
            std::vector<planning::ValueId> operands(arguments.size());
            std::iota(operands.begin(), operands.end(), 0);
            made.arguments = static_cast<planning::ValueId>(arguments.size());
            const planning::PlanFacts facts(arguments);
            const planning::PlanRequest request{graph, facts, operands, made.arguments};
            using planning::Branches;
            made.plan = planning::plan_whole_call(request, Branches::enumerated);
            CHECK(planning::plan_whole_call(request, Branches::enumerated) == made.plan);
            // Tensors are no part of the key of a plan.
            const planning::PlanFacts said({facts.formats().begin(), facts.formats().end()},
                                           [&](const planning::PlanTest& test) { return facts.is(test); });
            CHECK(planning::plan_whole_call({graph, said, operands, made.arguments}, Branches::enumerated) ==
                  made.plan);
            return std::vector<Result>(graph.results.size());
        },
        expression));
    return made;
}

inline MaskedTensor<float> listed(Layout layout) {
    return MaskedTensor<float>::coo({3, 4}, {{0, 1, 2}, {1, 3, 0}}, Tensor<float>({3}, {1, 2, 3})).to(layout);
}

}  // namespace frisket::testing
