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

// Each pair of an operation and a dtype that it computes in, of an operation and a strategy in turn, and of
// a dtype and a strategy.  A case compiles each `parts`-th group of operations, from `part` on.
TEMPLATE_TEST_CASE_SIG(
    "every operation means in compiled loops what it means in the interpreter, pair by pair", "[spec]",
    ((class T, std::size_t part, std::size_t parts), T, part, parts), (float, 0, 4), (float, 1, 4),
    (float, 2, 4), (float, 3, 4), (double, 0, 8), (double, 1, 8), (double, 2, 8), (double, 3, 8),
    (double, 4, 8), (double, 5, 8), (double, 6, 8), (double, 7, 8), (bool, 0, 3), (bool, 1, 3), (bool, 2, 3),
    (std::int32_t, 0, 3), (std::int32_t, 1, 3), (std::int32_t, 2, 3), (std::int64_t, 0, 3),
    (std::int64_t, 1, 3), (std::int64_t, 2, 3)) {
    constexpr DType dtype = dtype_of<T>;
    const auto groups = operation_groups(dtype, [&](const OpInfo& row) { return computes_in(row, dtype); });
    for (std::size_t i = part; i < groups.size(); i += parts) {
        const auto& [ulps, ops] = groups[i];
        const Way& way = ways[(i + static_cast<std::size_t>(dtype)) % std::size(ways)];
        const Graph graph = graph_of(ops, dtype);
        CAPTURE(name_of(way.strategy));
        check<T>(ops, ulps, way.stored, Compared(graph, jit(graph, Schedule{.strategy = way.strategy})));
    }
}

}  // namespace operations_pairwise_test
