// SPDX-License-Identifier: MIT
#include "operation_steps.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace operations_pairwise_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A strategy and the storage whose loops it makes.
struct Way {
    Strategy strategy;
    const Storage& stored;
};

constexpr const Storage &dense = every_storage[0], &strided = every_storage[1], &bitmask = every_storage[2],
                        &shuffled = every_storage[4], &rows = every_storage[7];
constexpr Way ways[] = {
    {Strategy::dense, dense},   {Strategy::blend, strided},     {Strategy::gather, shuffled},
    {Strategy::bytes, strided}, {Strategy::skip, bitmask},      {Strategy::rows, rows},
    {Strategy::lines, bitmask}, {Strategy::predicate, strided}, {Strategy::segments, bitmask}};

}  // namespace

// Each pair of an operation and a dtype, of an operation and a strategy in turn, and of a dtype and a strategy.
TEMPLATE_TEST_CASE("every operation means in compiled loops what it means in the interpreter, pair by pair",
                   "[spec]", float, double, bool, std::int32_t, std::int64_t) {
    constexpr DType dtype = dtype_of<TestType>;
    std::size_t turn = static_cast<std::size_t>(dtype);
    for (const auto& [ulps, ops] : operation_groups(dtype)) {
        const Way& way = ways[turn++ % std::size(ways)];
        const Graph graph = graph_of(ops, dtype);
        CAPTURE(name_of(way.strategy));
        check<TestType>(ops, ulps, way.stored,
                        Compared(graph, jit(graph, Schedule{.strategy = way.strategy})));
    }
}

}  // namespace operations_pairwise_test
