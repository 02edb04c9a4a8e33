// SPDX-License-Identifier: MIT
#include "../../codegen/tuning/database.hpp"
#include "../../codegen/tuning/machine.hpp"
#include "../spec/both_ways.hpp"
#include "../support/child.hpp"

#include <filesystem>

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr auto descent = step<"descent">(param -= 0.1f * grad);

const AnyMasked& gradient() {
    static const AnyMasked made = random_masked<float>({512, 512}, specified(0.1), Layout::bitmask, 3);
    return made;
}

/// Of calls with that gradient.
TuningRecord record_of(const std::string& schedule) {
    const CallClass call{
        .layout = Layout::bitmask, .elements = 18, .row_length = 9, .density = -7, .lines = -1};
    return {.step = to_string(describe(descent)),
            .target = "cpu",
            .machine = machine_name(),
            .build = build_name(),
            .call = call,
            .schedule = schedule,
            .gain = 2};
}

/// What a process says that runs the step with such a database.
ChildResult run_with(const std::vector<TuningRecord>& records) {
    const auto path =
        std::filesystem::temp_directory_path() / ("frisket_tuned_" + std::to_string(getpid()) + ".db");
    for (const TuningRecord& record : records) TuningDatabase(path.string()).put(record);
    ChildResult child =
        run_child("child: one tuned step", "FRISKET_SHOW=schedule FRISKET_TUNING_DB=" + path.string());
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

TEST_CASE("a kernel takes what tuning has found for calls like its own", "[codegen]") {
    const ChildResult found = run_with({record_of("blend vector=4 unroll=2")});
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "tuned: bitmask, 2^18 elements") == 1);
    CHECK(count_of(found.output, "--- schedule: descent\nblend vector=4 unroll=2 grain=65536\n") == 1);
    CHECK(count_of(found.output,
                   "chose blend for elements 0 to 16383 of 262144, as tuning found: of 256 words") == 1);
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
    TuningRecord denser = record_of("blend vector=4 unroll=2");
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
