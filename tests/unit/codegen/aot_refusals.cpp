// SPDX-License-Identifier: MIT
#include "../../../codegen/aot/library.hpp"
#include "../../support/matchers.hpp"

#include <frisket/aot.hpp>

#include "aot_steps.hpp"

namespace aot_refusals_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

std::vector<Strategy> strategies_of(const Graph& graph, const std::vector<std::string>& layouts) {
    return aot::library_step("::steps::it", graph, {.layouts = layouts, .shapes = {}}).strategies;
}

}  // namespace

TEST_CASE("a library has the loops that its layouts need, and the strided one", "[codegen]") {
    using enum Strategy;
    const Graph adagrad = describe(steps::adagrad), two_masks = describe(steps::two_masks);
    CHECK(strategies_of(adagrad, {"coo"}) == std::vector{gather, strided});
    CHECK(strategies_of(adagrad, {"rows"}) == std::vector{rows, strided});
    CHECK(strategies_of(adagrad, {"dense"}) == std::vector{dense, strided});
    CHECK(strategies_of(adagrad, {"csr", "coo"}) == std::vector{gather, strided});
    CHECK(strategies_of(adagrad, {"bitmask"}) == std::vector{blend, skip, gather, lines, strided});
    CHECK(strategies_of(adagrad, {"grad=coo", "rows"}) == std::vector{gather, rows, strided});
    CHECK(strategies_of(two_masks, {"grad=coo,other=strided"}) == std::vector{blend, strided});
    const std::vector<std::string> both{"csr", "coo"};
    CHECK(aot::library_step("::steps::it", adagrad, {.layouts = both, .shapes = {}}).layouts ==
          std::vector<std::vector<Layout>>{{Layout::coo}});
    CHECK(strategies_of(describe(steps::plain), {}) == std::vector{dense, strided});
}

TEST_CASE("layouts that do not fit the step are refused", "[codegen]") {
    const Graph adagrad = describe(steps::adagrad), two_masks = describe(steps::two_masks);
    CHECK_THROWS_MATCHES(strategies_of(adagrad, {}), LayoutError,
                         Says("adagrad: LAYOUTS names no layout: name one or more"));
    CHECK_THROWS_AS(strategies_of(adagrad, {"heap"}), LayoutError);
    CHECK_THROWS_MATCHES(
        strategies_of(adagrad, {"mask=coo"}), LayoutError,
        Says("adagrad: LAYOUTS says mask=coo, and the step has no Masked symbol of that name: write "
             "SYMBOL=LAYOUT for each"));
    CHECK_THROWS_MATCHES(strategies_of(two_masks, {"grad=coo"}), LayoutError,
                         Says("two_masks: LAYOUTS gives no layout to other: write SYMBOL=LAYOUT for each"));
}

TEST_CASE("targets that a library cannot have are refused", "[codegen]") {
    const auto targets = [](std::vector<std::string> names) { return aot::library_targets(names, "host"); };
    CHECK(targets({"host", "x86-64", "x86-64-linux-avx2"}).size() == 3);
    CHECK(targets({"opencl", "host", "cuda"})[0].is_device());
    CHECK_THROWS_MATCHES(targets({"opencl", "cuda"}), TargetError,
                         Says("target opencl: a library for devices has loops for a processor too: add host, "
                              "x86-64 for instance, to TARGETS"));
    for (const std::string name : {"x86-64-linux-cuda", "vulkan"})
        CHECK_THROWS_MATCHES(
            targets({"host", name}), TargetError,
            Says("target " + name +
                 ": its kernels are compiled just in time only; ahead of time there are opencl "
                 "and cuda, by these names"));
    CHECK_THROWS_MATCHES(targets({"arm-64"}), TargetError,
                         Says("target arm-64: the library is linked for x86-64-linux: name targets of this "
                              "processor family; `frisket build --cross` compiles for others"));
    CHECK(aot::library_targets(std::vector<std::string>{"arm-64", "arm-64-linux-arm_dot_prod"}, "arm-64")
              .size() == 2);
    CHECK_THROWS_AS(aot::library_targets(std::vector<std::string>{"arm-64", "x86-64"}, "arm-64"),
                    TargetError);
    CHECK_THROWS_MATCHES(targets({"cpu", "cpu"}), TargetError, Says("target cpu is given twice"));
    CHECK_THROWS_MATCHES(
        targets({"avx2"}), TargetError,
        Says("target: there is no target \"avx2\": there are host, cpu, x86-64, x86-64-avx2, "
             "x86-64-avx512, arm-64, opencl, cuda, and Halide's target strings, x86-64-linux-avx2 for "
             "instance"));
}

}  // namespace aot_refusals_test
