// SPDX-License-Identifier: MIT
#include "golden.hpp"

#include "../../codegen/loops/schedule.hpp"
#include "../../ir/planner/report/report_writer.hpp"
#include "../support/child.hpp"
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace golden_test {

using namespace frisket;
using namespace frisket::testing;

/// Texts of Adagrad at each stage.
namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;

constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

/// Text from the title line of a stage up to the next title.
std::string shown(const std::string& output, const std::string& title) {
    const auto at = output.find("--- " + title + "\n");
    if (at == std::string::npos) return "";
    const auto begin = output.find('\n', at) + 1, end = output.find("\n--- ", begin);
    return output.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

constexpr const char* fixed_target = "x86-64-avx2";

bool has_fixed_target() {
    try {
        jit(adagrad, TargetName{fixed_target});
        return true;
    } catch (const TargetError&) { return false; }
}

}  // namespace

TEST_CASE("the graph of Adagrad reads as it did", "[golden]") {
    check_golden("adagrad.graph", to_string(describe(adagrad)));
}

TEST_CASE("the plan of every strategy of Adagrad reads as it did", "[golden]") {
    const Graph graph = describe(adagrad);
    const Signature signature = signature_of(graph);
    std::string text;
    for (const StrategyInfo& row : strategies) text += planning::plan_text(graph, signature, row.strategy);
    check_golden("adagrad.plan", text);
}

TEST_CASE("the schedule of every strategy reads as it did", "[golden]") {
    std::string text;
    for (const StrategyInfo& row : strategies)
        text += to_string(resolved(default_schedule(row.strategy), 8)) + "\n";
    check_golden("adagrad.schedule", text);
}

TEST_CASE("child: Adagrad by a list of positions and by one of rows", "[.child]") {
    const auto kernel = jit(adagrad, TargetName{fixed_target});
    const auto call = [&](const Tensor<float>& p, const MaskedTensor<float>& g) {
        const Tensor<float> s = full<float>(p.shape(), 0.5F);
        kernel(param = p, state_sum = s, grad = g, lr = 0.1, eps = 1e-10);
    };
    for (const Layout layout : {Layout::coo, Layout::rows})
        call(arange<float>(8).reshape({2, 4}), random_masked({2, 4}, specified(0.5), layout));
}

// Covers only lists: loops over tiles are unrolled to pages that nobody reads.
TEST_CASE("the loops of Adagrad over lists read as they did", "[golden]") {
    if (!has_fixed_target()) SKIP("this machine does not run " << fixed_target);
    // Names in loops are counted up by earlier compilations: nothing may come from the disk.
    const ChildResult found = run_child("child: Adagrad by a list of positions and by one of rows",
                                        "FRISKET_SHOW=loops FRISKET_NUM_THREADS=1 FRISKET_CACHE_DIR=off");
    REQUIRE(found.status == 0);
    for (const Strategy strategy : {Strategy::gather, Strategy::rows}) {
        const std::string name(name_of(strategy));
        const std::string text = shown(found.output, "loops: adagrad, strategy " + name);
        REQUIRE(text != "");
        check_golden("adagrad_" + name + ".loops", text);
    }
}

TEST_CASE("FRISKET_SHOW prints the stages it names, in the order of the work", "[golden]") {
    if (!has_fixed_target()) SKIP("this machine does not run " << fixed_target);
    const ChildResult found = run_child("child: Adagrad by a list of positions and by one of rows",
                                        "FRISKET_SHOW=graph,plan,schedule,loops");
    const auto graph = found.output.find("--- graph: adagrad\n"),
               plan = found.output.find("--- plan: adagrad\n");
    const auto schedule = found.output.find("--- schedule: adagrad\n");
    const auto loops = found.output.find("--- loops: adagrad, strategy gather\n");
    CHECK(graph < plan);
    CHECK(plan < schedule);
    CHECK(schedule < loops);
    CHECK(loops != std::string::npos);
    CHECK(shown(found.output, "graph: adagrad") == to_string(describe(adagrad)));
}

}  // namespace golden_test
