// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>
#include <frisket/tune.hpp>

#include <aot_planned_tuned.hpp>
#include <algorithm>

#include "../../../codegen/aot/aot.hpp"
#include "../../../codegen/aot/library.hpp"
#include "../../../codegen/loops/linked_loops.hpp"
#include "../../../codegen/loops/tuning_text.hpp"
#include "../../../codegen/tuning/records/record_text.hpp"
#include "../../support/child.hpp"
#include "../../support/folder.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "aot_planned_steps.hpp"

namespace aot_plan_schedules_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

const Shape shape{500, 300};

/// The arguments of a row-wise step.
struct Call {
    explicit Call(const Shape& shape)
        : grad(random_masked(shape, specified(0.5), Layout::strided, 3)),
          param(random_tensor<float>(shape, 1)),
          sums(full<float>({shape[0], 1}, 0.5F)) {}
    template <class Kernel>
    void run(const Kernel& kernel) const {
        kernel(planned::param = param, planned::row_sum = sums, planned::grad = grad, planned::lr = 0.1);
    }
    MaskedTensor<float> grad;
    Tensor<float> param, sums;
};

/// Records for the parts of a row-wise step; all bodies have one schedule, and all steps over a mask.
std::vector<codegen::TuningRecord> records_for(const std::string& target, const std::string& body,
                                               const std::string& step) {
    const Call call(shape);
    std::vector<codegen::TuningRecord> records;
    for (const TuneResult& part : tune_parts(planned::row_wise, {.seconds = 0.01, .database = "off"},
                                             planned::param = call.param, planned::row_sum = call.sums,
                                             planned::grad = call.grad, planned::lr = 0.1))
        for (const TuneResult::Key& key : part.keys)
            records.push_back({.step = key.text,
                               .target = target,
                               .machine = "another",
                               .build = "another",
                               .call = key.call,
                               .schedule = part.usual == Strategy::expression ? body
                                           : key.call.layout == Layout::dense ? ""
                                                                              : step,
                               .gain = 2});
    return records;
}

/// A library of the step, with the schedules of records.
struct Taken {
    aot::Library library{.name = "kernels"};
    std::vector<std::string> notes = {};
    std::string file = {};
};
Taken taken(const std::vector<codegen::TuningRecord>& records, const std::string& layout = "strided") {
    static constexpr auto row_wise = [] { return planned::row_wise; };
    const std::vector<std::string> layouts{layout}, targets{"host"},
        shapes{"param=rows,columns grad=rows,columns row_sum=rows,1"};
    const Folder folder;
    Taken made{.file = folder / "tuned.tsv"};
    made.library.targets = aot::library_targets(targets, "host");
    made.library.steps.push_back(
        aot::planned_step(aot::named_step<row_wise>("::planned::row_wise"), {layouts, shapes}));
    codegen::write_export(made.file, records);
    made.notes = aot::add_schedules(made.library, made.file);
    return made;
}

}  // namespace

// Run it in the folder of aot_plan_schedules.tsv, if the plan of the step has changed.
TEST_CASE("child: writes aot_plan_schedules.tsv", "[.]") {
    codegen::write_export("aot_plan_schedules.tsv",
                          records_for("x86-64", "expression vector=2 grain=1024", "skip tile=128 vector=2"));
}

TEST_CASE("child: a planned step with tuned loops", "[.]") {
    for (const Shape& each : {shape, Shape{7, 5}}) {
        const Call ahead(each), just_in_time(each);
        ahead.run(aot_planned_tuned::row_wise);
        just_in_time.run(jit(planned::row_wise, TargetName{"cpu"}));
        CHECK_THAT(ahead.param, HasTheBytesOf(just_in_time.param));
        CHECK_THAT(ahead.sums, HasTheBytesOf(just_in_time.sums));
    }
}

TEST_CASE("planned steps run the loops that tuning found, for calls like those alone", "[codegen]") {
    const ChildResult child =
        run_child("child: a planned step with tuned loops", "FRISKET_TUNING_DB=off FRISKET_SHOW=schedule");
    INFO(child.output);
    CHECK(child.status == 0);
    CHECK(count_of(child.output, "expression vector=2 grain=1024\n") >= 1);
    CHECK(count_of(child.output,
                   "rows of 2^8, 50 % specified, in 1e+02 % of the lines: skip tile=128 vector=2") == 1);
    CHECK(count_of(child.output, "chose skip for elements 0 to ") >= 1);
}

TEST_CASE("steps with equal bodies each have their loops", "[codegen]") {
    const aot::Library first = taken({}).library;
    const aot::Library of_lists = taken({}, "coo").library;
    const aot::Library second = taken({}).library;
    CHECK_FALSE(first.steps[0].wanted->empty());
    CHECK_FALSE(of_lists.steps[0].wanted->empty());
    CHECK(second.steps[0].wanted->size() == first.steps[0].wanted->size());
}

TEST_CASE("bodies that several steps of a library have are compiled once", "[codegen]") {
    aot::Library library = taken({}).library;
    library.steps.push_back(library.steps[0]);
    const aot::WantedLoops all = *library.steps[0].wanted;
    aot::share_loops(library);
    CHECK(library.steps[0].wanted->size() == all.size());
    CHECK(library.steps[0].shared.empty());
    CHECK(library.steps[1].wanted->empty());
    CHECK(library.steps[1].shared.size() == all.size());
    // Both have the loops of one object.
    for (aot::LibraryStep& step : library.steps) step.planned.resize(1);
    CHECK_FALSE(aot::planned_object(library, library.steps[0], 0).empty());
    aot::add_shared_loops(library);
    REQUIRE(library.steps[0].planned[0].size() == all.size());
    CHECK(std::ranges::equal(library.steps[0].planned[0], library.steps[1].planned[0], {},
                             &aot::LibraryLoop::function, &aot::LibraryLoop::function));
}

TEST_CASE("a library takes the records of the bodies and steps of its plans", "[codegen]") {
    const auto records = records_for("cpu", "expression vector=2", "skip tile=128");
    const auto [library, notes, file] = taken(records);
    CHECK(notes.empty());
    const aot::LibraryStep& step = library.steps[0];
    REQUIRE(step.planned_schedules.size() == 1);
    const auto& [rows, loops] = step.planned_schedules[0];
    CHECK(rows.size() == records.size());
    CHECK(loops.size() > 1);
    int steps = 0;
    for (const aot::WantedLoop& loop : loops) {
        const Schedule& made = loop.form.schedule;
        if (loop.form.is_of_step())
            CHECK((made.tile == 128 && ++steps == 1));
        else
            CHECK(made == schedule("expression vector=2"));
    }
    CHECK(steps == 1);
    for (const codegen::TuningRecord& record : records) {
        const auto key = codegen::linked_key(record.step);
        CHECK(std::ranges::count(rows, key, &aot::PlannedSchedules::Row::text) == 1);
    }
    // The loops of both are in the object.
    aot::Library made = library;
    made.steps[0].planned.resize(1);
    static_cast<void>(aot::planned_object(made, made.steps[0], 0));
    CHECK(made.steps[0].planned[0].size() == step.wanted->size() + loops.size());
}

TEST_CASE("a library leaves out what is not of its plans, layouts and targets", "[codegen]") {
    auto records = records_for("x86-64-avx2", "expression vector=2", "skip tile=128");
    CHECK(taken(records).notes.size() == 1);  // tuned for another target
    records = records_for("cpu", "", "");
    CHECK(taken(records).notes.size() == 1);  // the default was the fastest of all
    records = records_for("cpu", "", "skip tile=128");
    std::erase_if(records, [](const codegen::TuningRecord& record) { return record.schedule.empty(); });
    CHECK_FALSE(records.empty());
    CHECK(taken(records, "coo").notes.size() == 1);  // records of bits, and lists are compiled
}

TEST_CASE("of many schedules of a body a library compiles those that gain most", "[codegen]") {
    std::vector<codegen::TuningRecord> records;
    const auto all = records_for("cpu", "expression vector=2", "");
    const auto body = std::ranges::find(all, "expression vector=2", &codegen::TuningRecord::schedule);
    REQUIRE(body != all.end());
    const std::string text = codegen::text_of_any_extents(body->step);
    for (int i = 0; i < 6; ++i) {
        codegen::TuningRecord record = *body;
        const std::string extents = "[" + std::to_string(64 << i) + ", 256]";
        for (std::size_t at = 0; (at = record.step.find("[512, 256]", at)) != std::string::npos;
             at += extents.size())
            record.step.replace(at, 10, extents);
        CHECK(codegen::text_of_any_extents(record.step) == text);
        record.schedule = "expression grain=" + std::to_string(64 << i);
        record.gain = 2 + i;
        records.push_back(std::move(record));
    }
    const auto [library, notes, file] = taken(records);
    CHECK(library.steps[0].planned_schedules[0].rows.size() == aot::most_tuned);
    REQUIRE(notes.size() == 2);
    CHECK_THAT(notes[0], Catch::Matchers::StartsWith("frisket: kernels: row_wise, target host: " + file));
    CHECK_THAT(notes[0],
               Catch::Matchers::EndsWith("is left out: 4 schedules of its strategy gain as much or more"));
}

TEST_CASE("a schedule that is not legal for a part of a plan ends a library's compilation", "[codegen]") {
    CHECK_THROWS_MATCHES(taken(records_for("cpu", "", "rows vector=2")), ScheduleError,
                         MessageMatches(Catch::Matchers::EndsWith(
                             ": its schedule is of rows, and layout bitmask is walked by skip, "
                             "blend, gather, lines, predicate, segments: take the line out, or "
                             "tune again")));
    CHECK_THROWS_MATCHES(
        taken(records_for("cpu", "skip tile=256", "")), ScheduleError,
        MessageMatches(Catch::Matchers::ContainsSubstring("kernels: row_wise, target host: ") &&
                       Catch::Matchers::ContainsSubstring(": line ")));
}

TEST_CASE("texts of tuning results keep what is 1 of their extents", "[codegen]") {
    CHECK(codegen::rounded_extent(0) == 0);
    CHECK(codegen::rounded_extent(1) == 1);
    CHECK(codegen::rounded_extent(2) == 2);
    CHECK(codegen::rounded_extent(3) == 4);
    CHECK(codegen::rounded_extent(5) == 4);
    CHECK(codegen::rounded_extent(6) == 8);
    CHECK(codegen::rounded_extent(1448) == 1024);
    CHECK(codegen::rounded_extent(1449) == 2048);
    CHECK(codegen::text_of_any_extents("expression x\n  %5 = view [1, 0] %3: bool[4096, 1] where %0\n  "
                                       "%6 = n1: weak float64\n  %7 = sum [1] %6: float32[0]\n") ==
          "expression x\n  %5 = view [1, 0] %3: bool[2, 1] where %0\n  "
          "%6 = n1: weak float64\n  %7 = sum [1] %6: float32[2]\n");
}

}  // namespace aot_plan_schedules_test
