// SPDX-License-Identifier: MIT
/// Graphs whose results are made only for single indices of dimension 0, and graphs where they are not.
#include "../../../ir/planner/batch_slices.hpp"
#include "build_helpers.hpp"

#include <vector>

namespace batch_slices_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t extent = 3;

/// A square, so that any of its dimensions may be taken for the batch.
Value square(Sheet& sheet) {
    return sheet.dense<float>({extent, extent}, std::vector<float>(extent * extent, 1));
}

bool is_sliced(Value result) {
    const std::vector<NodeId> results{result.id};
    return planning::batch_slices(result.graph->expression(results)).has_value();
}

}  // namespace

TEST_CASE("a batch is sliced where nothing is made of several of its indices") {
    Sheet sheet;
    const Value x = square(sheet);
    CHECK(is_sliced(x * x));
    CHECK(is_sliced(ir::sum(x, {{1}})));
    CHECK(is_sliced(ir::cumsum(x, 1)));
}

TEST_CASE("a batch whose indices are added up is not sliced, whatever has its extent") {
    Sheet sheet;
    const Value x = square(sheet);
    CHECK_FALSE(is_sliced(ir::sum(x, {{0}})));
    CHECK_FALSE(is_sliced(ir::sum(x, {{0}}) * x));
    CHECK_FALSE(is_sliced(ir::cumsum(x, 0)));
    CHECK_FALSE(is_sliced(ir::sum(x)));
}

}  // namespace batch_slices_test
