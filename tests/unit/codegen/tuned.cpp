// SPDX-License-Identifier: MIT
#include "../../../codegen/tuning/records/database.hpp"
#include "../../../codegen/tuning/records/machine.hpp"
#include "../../spec/both_ways.hpp"
#include "../../support/child.hpp"

#include <filesystem>

namespace tuned_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr Masked<"other"> other;
constexpr auto descent = step<"descent">(param -= 0.1f * grad);
constexpr auto two_masks = step<"two_masks">(param -= 0.1f * grad, param -= other);

const AnyMasked& gradient() {
    static const AnyMasked made = random_masked<float>({512, 512}, specified(0.1), Layout::bitmask, 3);
    return made;
}

AnyMasked another(Layout layout, double density) {
    return random_masked<float>({512, 512}, specified(density), layout, 4);
}

/// Record for calls with that gradient.
codegen::TuningRecord record_of(const std::string& schedule) {
    const WorkloadClass call{
        .layout = Layout::bitmask, .elements = 18, .row_length = 9, .density = -7, .lines = -1};
    return {.step = to_string(describe(descent)),
            .target = "cpu",
            .machine = codegen::machine_name(),
            .build = codegen::build_name(),
            .call = call,
            .schedule = schedule,
            .gain = 2};
}

codegen::TuningRecord record_of_two(const WorkloadClass& call, const std::string& schedule) {
    codegen::TuningRecord record = record_of(schedule);
    record.step = to_string(describe(two_masks));
    record.call = call;
    return record;
}

/// Output of a process that runs a step with such a database.
ChildResult run_with(const std::vector<codegen::TuningRecord>& records,
                     const std::string& test = "child: one tuned step") {
    const auto path =
        std::filesystem::temp_directory_path() / ("frisket_tuned_" + std::to_string(getpid()) + ".db");
    for (const codegen::TuningRecord& record : records) codegen::TuningDatabase(path.string()).put(record);
    ChildResult child = run_child(test, "FRISKET_SHOW=schedule FRISKET_TUNING_DB=" + path.string());
    for (const char* suffix : {"", ".mirror", ".lock"}) std::filesystem::remove(path.string() + suffix);
    return child;
}

}  // namespace

TEST_CASE("child: one tuned step", "[.]") {
    const Compared compared(describe(descent));
    CHECK(Trial(compared)
              .writes("param", wild_target<float>(gradient(), 1))
              .reads("grad", gradient())
              .difference() == "");
}

TEST_CASE("child: a tuned step over bytes", "[.]") {
    const Compared compared(describe(descent));
    const AnyMasked bytes = gradient().to(Layout::strided);
    CHECK(Trial(compared).writes("param", wild_target<float>(bytes, 1)).reads("grad", bytes).difference() ==
          "");
}

TEST_CASE("a kernel takes what tuning has found for calls like its own", "[codegen]") {
    const ChildResult found = run_with({record_of("blend vector=4 unroll=2")});
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "tuned: bitmask, 2^18 elements") == 1);
    CHECK(count_of(found.output, "--- schedule: descent\nblend vector=4 unroll=2 grain=262144\n") == 1);
    CHECK(count_of(found.output,
                   "chose blend for elements 0 to 16383 of 262144, as tuning found: of 256 words") == 1);
}

TEST_CASE("what tuning has found for masks of bytes is taken before they become bits", "[codegen]") {
    codegen::TuningRecord record = record_of("bytes tile=128");
    record.call.layout = Layout::strided;
    const ChildResult over_bytes = run_with({record}, "child: a tuned step over bytes");
    INFO(over_bytes.output);
    CHECK(over_bytes.status == 0);
    CHECK(count_of(over_bytes.output,
                   "chose bytes for elements 0 to 16383 of 262144, as tuning found: of 64 words") == 1);
    const ChildResult over_bits = run_with({record});
    INFO(over_bits.output);
    CHECK(over_bits.status == 0);
    CHECK(count_of(over_bits.output, "chose bytes") == 0);
}

TEST_CASE("a record that no longer says a schedule is left out, with a word to who asks", "[codegen]") {
    const ChildResult found = run_with({record_of("leap vector=4")});
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "it begins with \"leap\"") == 1);
    CHECK(count_of(found.output, "tuned: ") == 0);
}

TEST_CASE("where tuning found the default to be the fastest, no record of calls that are alike changes that",
          "[codegen]") {
    codegen::TuningRecord denser = record_of("blend vector=4 unroll=2");
    denser.call.density = -6;
    const ChildResult found = run_with({record_of(""), denser});
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "tuned: bitmask, 2^18 elements") == 2);
    CHECK(count_of(found.output, ": default") == 1);
    // It is compiled for calls of its class, and so are the defaults.
    CHECK(count_of(found.output, "--- schedule: descent\nblend vector=4") == 1);
    CHECK(count_of(found.output, "--- schedule: descent\ngather") == 1);
}

TEST_CASE("child: tuned steps of several masks", "[.]") {
    const auto run = [](const AnyMasked& first, const AnyMasked& second) {
        const Compared compared(describe(two_masks));
        CHECK(Trial(compared)
                  .writes("param", wild_target<float>(first, 1))
                  .reads("grad", first)
                  .reads("other", second)
                  .difference() == "");
    };
    run(gradient(), another(Layout::strided, 0.3));
    const AnyMasked listed = gradient().to(Layout::coo);
    run(listed, listed);
}

TEST_CASE("calls of several masks take what tuning has found for them, and of one list for all of them",
          "[codegen]") {
    const ChildResult found =
        run_with({record_of_two({Layout::bitmask, 18, 9, several_masks}, "blend vector=4 unroll=2"),
                  record_of_two({Layout::coo, 18, 9, -7}, "gather unroll=4 grain=1024")},
                 "child: tuned steps of several masks");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "tuned: bitmask, 2^18 elements, rows of 2^9, several masks: blend") == 2);
    CHECK(count_of(found.output,
                   "chose blend for elements 0 to 16383 of 262144, as tuning found: updates have "
                   "several masks") == 1);
    CHECK(count_of(found.output, "--- schedule: two_masks\ngather unroll=4 grain=1024\n") == 1);
}

TEST_CASE("child: tuned steps of few elements", "[.]") {
    for (const double density : {0.1, 0.9}) {
        const Compared compared(describe(descent));
        const AnyMasked few = random_masked<float>({64, 64}, specified(density), Layout::bitmask, 3);
        CHECK(Trial(compared).writes("param", wild_target<float>(few, 1)).reads("grad", few).difference() ==
              "");
    }
}

TEST_CASE("calls of few elements take what tuning has found for them", "[codegen]") {
    codegen::TuningRecord few = record_of("blend vector=4 unroll=2");
    few.call.elements = 12;
    few.call.row_length = 6;
    const ChildResult found = run_with({few}, "child: tuned steps of few elements");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "chose ") == 1);
    CHECK(count_of(found.output,
                   "chose blend for elements 0 to 4095 of 4096, as tuning found: of 64 words") == 1);
}

}  // namespace tuned_test
