// SPDX-License-Identifier: MIT
#include <frisket/codegen.hpp>
#include <frisket/tune.hpp>

#include <algorithm>

#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "aot_planned_steps.hpp"
#include "functions.hpp"

namespace tuning_parts_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// The arguments of a row-wise step.
struct RowWise {
    explicit RowWise(Layout layout)
        : grad(random_masked({300, 200}, layout == Layout::dense ? specified(1.0) : specified(0.5), layout,
                             3)) {}

    std::vector<TuneResult> tuned(const TuneOptions& options) const {
        return tune_parts(planned::row_wise, options, planned::lr = 0.1, planned::grad = grad,
                          planned::row_sum = sums, planned::param = param);
    }
    MaskedTensor<float> grad;
    Tensor<float> param = random_tensor<float>({300, 200}, 1), sums = full<float>({300, 1}, 0.5F);
};

bool is_body(const TuneResult& result) { return result.usual == Strategy::expression; }

}  // namespace

TEST_CASE("a step with reductions is tuned in parts, each once, and nothing is written", "[codegen]") {
    const auto layout = GENERATE(Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::csc);
    INFO(name_of(layout));
    const RowWise call(layout);
    const Tensor<float> param(call.param.clone()), sums(call.sums.clone());
    const std::vector<TuneResult> found = call.tuned({.seconds = 0.6, .database = "off"});
    CHECK_THAT(call.param, HasTheBytesOf(param));
    CHECK_THAT(call.sums, HasTheBytesOf(sums));
    CHECK(std::ranges::count_if(found, is_body) >= 1);
    CHECK(std::ranges::count_if(found, std::not_fn(is_body)) >= 1);
    std::vector<std::string> texts;
    for (const TuneResult& result : found) {
        CHECK_FALSE(result.keys.empty());
        CHECK(result.default_s > 0);
        for (const Candidate& candidate : result.candidates) CHECK(candidate.rejected.empty());
        for (const TuneResult::Key& key : result.keys) texts.push_back(key.text + to_string(key.call));
    }
    std::ranges::sort(texts);
    CHECK(std::ranges::adjacent_find(texts) == texts.end());
}

TEST_CASE("parts take the schedules that they can have", "[codegen]") {
    const RowWise call(Layout::strided);
    const auto tried = [&](const char* text) {
        return call.tuned({.seconds = 1, .schedules = {schedule(text)}, .database = "off"});
    };
    for (const TuneResult& result : tried("expression grain=1024")) CHECK(is_body(result));
    CHECK_FALSE(tried("expression grain=1024").empty());
    for (const TuneResult& result : tried("skip tile=256")) CHECK_FALSE(is_body(result));
    CHECK_FALSE(tried("skip tile=256").empty());
}

TEST_CASE("steps over listed rows have no parts to tune", "[codegen]") {
    CHECK(RowWise(Layout::rows).tuned({.seconds = 0.2, .database = "off"}).empty());
}

TEST_CASE("a search that is stopped tunes no further part", "[codegen]") {
    const std::vector<TuneResult> found =
        RowWise(Layout::strided).tuned({.seconds = 5, .database = "off", .is_stopped = [] { return true; }});
    CHECK(found.empty());
}

TEST_CASE("functions are tuned as expressions are", "[codegen]") {
    const MaskedTensor<float> m(random_masked({300, 200}, specified(0.5), Layout::strided, 3));
    const TuneResult found =
        tune(functions::soft, {.seconds = 0.5, .database = "off"}, functions::scale = 2.0, functions::m = m);
    CHECK(is_body(found));
    CHECK_FALSE(found.keys.empty());
    // Its gradient reads nothing of u: the graph has fewer symbols than the function.
    const Tensor<float> u = random_tensor<float>({40, 3}, 1);
    CHECK(tune(functions::slope, {.seconds = 0.2, .database = "off"}, functions::v = u, functions::u = u)
              .default_s > 0);
}

}  // namespace tuning_parts_test
