// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../../../codegen/tuning/records/workload.hpp"
#include "../../support/child.hpp"
#include "../../support/folder.hpp"
#include "tuned_call.hpp"

namespace tuning_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("tuning tries schedules that all give the right bytes, and leaves the arguments alone",
          "[codegen]") {
    for (const Layout layout : {Layout::strided, Layout::coo, Layout::rows, Layout::csr, Layout::dense}) {
        const Given given({300, 200}, layout, layout == Layout::dense ? 1 : 0.1);
        const TuneResult result = given.tuned({.seconds = 1});
        INFO(to_string(result.call));
        CHECK(result.step == "adagrad");
        CHECK(result.candidates.size() >= 2);
        for (const Candidate& candidate : result.candidates) {
            INFO(to_string(candidate.schedule));
            CHECK(candidate.rejected.empty());
        }
        CHECK(result.default_s > 0);
        CHECK((!result.schedule || result.gain >= 1.05));
        CHECK(same(given.p, full<float>({300, 200}, 1)));
        CHECK(same(given.s, full<float>({300, 200}, 0.5f)));
    }
}

TEST_CASE("one wrong element of a result is seen wherever it stands", "[codegen]") {
    // Blocks of 16 KiB are compared at once, 64 of them by a thread.
    constexpr std::int64_t block = 4096, task = 64 * block;
    const Signature signature = signature_of(describe(step<"moved">(InOut<"x">{} += 1.0)));
    for (const std::int64_t size : {std::int64_t{1}, block - 1, block, block + 1, task - 1, task, task + 1}) {
        const Tensor<float> came = full<float>({size}, 1), right = full<float>({size}, 2);
        const Argument argument = came;
        codegen::Workload workload(signature, {&argument, 1});
        const Tensor<float> written(workload.arguments()[0].tensor());
        const AnyTensor wanted = right;
        INFO("of " << size);
        copy(right, written);
        CHECK(workload.has_written({&wanted, 1}));
        CHECK(same(written, came));
        for (const std::int64_t at : {std::int64_t{0}, size / 2, size - 1}) {
            copy(right, written);
            written.data()[at] = 3;
            INFO("element " << at);
            CHECK_FALSE(workload.has_written({&wanted, 1}));
            CHECK(same(written, came));
        }
    }
}

TEST_CASE("a search tells of every candidate why it left, and of schedules that there are not why",
          "[codegen]") {
    const TuneResult result = Given({300, 200}, Layout::bitmask, 0.1).tuned({.seconds = 2});
    REQUIRE_FALSE(result.curve.empty());
    CHECK(std::ranges::is_sorted(result.curve, std::ranges::greater{}, &TunePoint::best_s));
    CHECK_FALSE(result.default_times.empty());
    CHECK(result.default_s <= std::ranges::min(result.default_times));
    CHECK(result.against_itself.low <= result.against_itself.high);
    for (const Candidate& candidate : result.candidates) {
        INFO(to_string(candidate.schedule));
        CHECK(candidate.times.empty() == (candidate.best_s == 0));
        CHECK_FALSE((candidate.pairs && candidate.left_after > 0));
    }
    const auto refused = std::ranges::find_if(
        result.refused, [](const RefusedSchedule& one) { return one.schedule.strategy == Strategy::blend; });
    REQUIRE(refused != result.refused.end());
    CHECK(refused->why.find("a word of the mask has 64") != std::string::npos);
    for (const RefusedSchedule& one : result.refused)
        CHECK_THROWS_AS(schedule(to_string(one.schedule)), ScheduleError);
}

TEST_CASE("a search tries the schedules that it is given, and no others", "[codegen]") {
    const std::vector<Schedule> given{schedule("skip tile=256"), schedule("gather grain=1024")};
    const TuneResult result =
        Given({300, 200}, Layout::bitmask, 0.1).tuned({.seconds = 0.5, .schedules = given});
    CHECK(result.candidates.size() == 2);
    for (const Candidate& candidate : result.candidates)
        CHECK(std::ranges::find(given, candidate.schedule) != given.end());
    CHECK_THROWS_AS(Given({300, 200}, Layout::coo, 0.1).tuned({.seconds = 0.5, .schedules = given}),
                    ScheduleError);
}

TEST_CASE("a kernel that is wrong in one element of a call is never taken", "[codegen]") {
    const Given given({300, 200}, Layout::bitmask, 0.3);
    // Step with equal names of symbols, and another formula.
    const auto other = step<"adagrad">(state += square(grad),
                                       param -= where(state > 30, 2, 1) * lr * grad / (sqrt(state) + 1e-10f));
    Tensor<float> huge = given.s.clone();
    huge.data()[huge.size() - 1] = 31;
    const TuneOptions options{.seconds = 0.5,
                              .others = {{schedule("blend grain=64"), jit(describe(other))},
                                         {schedule("skip"), jit(describe(adagrad_of_rate))}}};
    MaskedTensor<float> g = masked(random_tensor<float>({300, 200}, 3), full<bool>({300, 200}, true));
    const TuneResult result =
        tune(adagrad_of_rate, options, param = given.p, state = huge, grad = g.to(Layout::bitmask), lr = 0.1);
    const auto wrong = std::ranges::find_if(
        result.candidates, [](const Candidate& candidate) { return !candidate.rejected.empty(); });
    REQUIRE(wrong != result.candidates.end());
    CHECK(to_string(wrong->schedule) == "blend grain=64");
    CHECK(wrong->times.empty());
    CHECK((!result.schedule || !(*result.schedule == wrong->schedule)));
}

TEST_CASE("a tuner that is stopped gives what it has found", "[codegen]") {
    const Given given({300, 200}, Layout::bitmask, 0.1);
    int told = 0;
    TuneOptions options{.seconds = 3600};
    options.progress = [&](const TuneProgress& progress) {
        ++told;
        CHECK(progress.done <= 1);
    };
    options.is_stopped = [&] { return told > 2; };
    const TuneResult result = given.tuned(options);
    CHECK_FALSE(result.candidates.empty());
    CHECK_FALSE(result.is_exhausted);
    CHECK(result.spent_s < 3600);
}

TEST_CASE("calls alike are of one class, and of their neighbours", "[codegen]") {
    const WorkloadClass call{
        .layout = Layout::bitmask, .elements = 24, .row_length = 12, .density = -13, .lines = -5};
    CHECK(to_string(call) == "bitmask, 2^24 elements, rows of 2^12, 1.1 % specified, in 18 % of the lines");
    CHECK(distance(call, call) == 0);
    WorkloadClass other = call;
    other.elements = 25;
    CHECK(distance(call, other) == 1);
    other.elements = 26;
    CHECK_FALSE(distance(call, other).has_value());
    other = call;
    other.layout = Layout::coo;
    CHECK_FALSE(distance(call, other).has_value());
}

TEST_CASE("steps of functions that loops round in their own way can be tuned", "[codegen]") {
    const Tensor<float> p = full<float>({300, 200}, 0.7f);
    const TuneResult result =
        tune(step<"growth">(param = exp(param) + log(abs(param))), {.seconds = 2}, param = p);
    REQUIRE_FALSE(result.candidates.empty());
    for (const Candidate& candidate : result.candidates) {
        INFO(to_string(candidate.schedule));
        CHECK(candidate.rejected.empty());
    }
}

TEST_CASE("steps of several masks can be tuned, and those of one list for all of them", "[codegen]") {
    static constexpr Masked<"other"> other;
    constexpr auto two = step<"two">(param -= lr * grad, param -= other);
    const auto result_for = [&](const MaskedTensor<float>& first, const MaskedTensor<float>& second) {
        const Tensor<float> p = full<float>({300, 200}, 0.7f);
        TuneResult result = tune(two, {.seconds = 0.5}, param = p, grad = first, other = second, lr = 0.1);
        REQUIRE_FALSE(result.candidates.empty());
        for (const Candidate& candidate : result.candidates) CHECK(candidate.rejected.empty());
        return result;
    };
    const auto random = [](Layout layout, std::uint64_t seed) {
        return MaskedTensor<float>(random_masked<float>({300, 200}, specified(0.1), layout, seed));
    };
    const TuneResult several = result_for(random(Layout::bitmask, 1), random(Layout::strided, 2));
    CHECK(several.call.density == several_masks);
    CHECK(to_string(several.call) == "bitmask, 2^16 elements, rows of 2^8, several masks");
    CHECK(several.usual == Strategy::blend);
    CHECK(result_for(random(Layout::coo, 1), random(Layout::coo, 2)).call.density == several_masks);
    const TuneResult listed = result_for(random(Layout::coo, 1), random(Layout::coo, 1));
    CHECK(listed.call.layout == Layout::coo);
    CHECK(listed.usual == Strategy::gather);
}

TEST_CASE("child: a search of two schedules", "[.]") {
    Given({300, 200}, Layout::bitmask, 0.1)
        .tuned({.seconds = 0.5, .schedules = {schedule("skip tile=256"), schedule("gather grain=1024")}});
}

TEST_CASE("a search keeps nothing on disk but what it finds", "[codegen]") {
    const Folder folder;
    const ChildResult child = run_child("child: a search of two schedules",
                                        "FRISKET_SHOW=cache FRISKET_CACHE_DIR=" + (folder / "jit"));
    INFO(child.output);
    CHECK(child.status == 0);
    CHECK(count_of(child.output, "compiled in memory: they are a trial") >= 2);
    CHECK(count_of(child.output, "kept as") <= 1);
}

}  // namespace tuning_test
