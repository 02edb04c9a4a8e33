// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/evaluate.hpp"
#include "../ir/derivatives_table.hpp"

#include <catch2/catch_test_macros.hpp>

namespace derivatives_compiled_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Faults of every `step`-th group, compiled.
std::string faults(std::size_t first, std::size_t step) {
    return difference_of_derivatives(known_derivatives(KNOWN_DERIVATIVES), first, step,
                                     [](const Graph& graph, std::span<const Argument> arguments) {
                                         return codegen::jit_evaluate(graph, arguments);
                                     });
}

}  // namespace

TEST_CASE("compiled derivatives are those in 50 digits, at a sample") { CHECK(faults(7, 29) == ""); }

TEST_CASE("compiled derivatives of every operation and order are those in 50 digits", "[deep]") {
    CHECK(faults(0, 1) == "");
}

}  // namespace derivatives_compiled_test
