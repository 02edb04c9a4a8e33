// SPDX-License-Identifier: MIT
#include <frisket/aot_kernel.hpp>
#include <frisket/frisket.hpp>
#include <frisket/tune.hpp>

#include <aot_tuned.hpp>
#include <array>

#include "../../../codegen/aot/library.hpp"
#include "../../../codegen/tuning/records/record_text.hpp"
#include "../../support/child.hpp"
#include "../../support/devices.hpp"
#include "../../support/folder.hpp"
#include "../devices/device_steps.hpp"
#include "aot_twice.hpp"

namespace aot_schedules_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr WorkloadClass tenth_of_bits{Layout::bitmask, 17, 9, -7, -1};
constexpr WorkloadClass tenth_of_rows{Layout::rows, 17, 9, -7, 0};

AnyMasked tenth(Layout layout) { return random_masked({256, 512}, specified(0.1), layout, 3); }

codegen::TuningRecord record_of(const Graph& step, const std::string& target, const WorkloadClass& call,
                                const std::string& schedule, double gain = 2) {
    return {.step = to_string(step),
            .target = target,
            .machine = "another",
            .build = "another",
            .call = call,
            .schedule = schedule,
            .gain = gain};
}

codegen::TuningRecord adagrad_record(const WorkloadClass& call, const std::string& schedule,
                                     double gain = 2) {
    return record_of(describe(steps::adagrad), "cpu", call, schedule, gain);
}

/// A library of Adagrad for masks of bits and for lists.
aot::Library library() {
    const std::vector<std::string> layouts{"bitmask", "coo"}, targets{"host"};
    aot::Library made{.name = "kernels"};
    made.targets = aot::library_targets(targets, "host");
    made.steps.push_back(
        aot::library_step("::steps::adagrad", describe(steps::adagrad), {.layouts = layouts, .shapes = {}}));
    return made;
}

/// Library made with a file of these records, and notes about the file.
struct Taken {
    aot::Library library;
    std::vector<std::string> notes;
    std::string file;
};
Taken taken(const std::vector<codegen::TuningRecord>& records) {
    const Folder folder;
    Taken result{.library = library(), .notes = {}, .file = folder / "tuned.tsv"};
    codegen::write_export(result.file, records);
    result.notes = aot::add_schedules(result.library, result.file);
    return result;
}

Twice adagrad_call(const AnyMasked& grad) {
    return std::move(Twice()
                         .writes("a", random_tensor(grad.shape(), 1))
                         .writes("b", full<float>(grad.shape(), 0.5F))
                         .reads("grad", grad)
                         .number("lr", 0.1)
                         .number("eps", 1e-10));
}

/// Loops that only count their calls.
std::array<int, 2> calls_of{};
template <int which>
int counted(void** /*argv*/) {
    ++calls_of[which];
    return 0;
}

constexpr aot::Loop counting_loops[] = {{"blend", counted<0>},
                                        {"skip", counted<0>},
                                        {"gather", counted<0>},
                                        {"lines", counted<0>},
                                        {"strided", counted<0>}};
constexpr aot::TunedLoop counting_tuned[] = {
    {.call = {"bitmask", 17, 9, -7, -1}, .schedule = "skip tile=512", .loop = {"skip", counted<1>}},
    {.call = {"strided", 17, 9, -7, -1}, .schedule = "bytes", .loop = {"bytes", counted<1>}},
    {.call = {"bitmask", 17, 9, -5, -1}, .schedule = "default"}};
constexpr aot::TargetLoops counting_targets[] = {
    {.name = "any", .features = {}, .loops = counting_loops, .tuned = counting_tuned}};
constexpr const char *bitmask[] = {"bitmask"}, *bytes[] = {"strided"};
constexpr aot::Rows<const char*> counting_layouts[] = {bitmask, bytes};
constexpr aot::ParameterRow parameters_of_adagrad[] = {{"b", "InOut", "float32"},
                                                       {"grad", "Masked", "float32"},
                                                       {"a", "InOut", "float32"},
                                                       {"lr", "Scalar", "float64"},
                                                       {"eps", "Scalar", "float64"}};
constexpr int operands_of_b[] = {0, 1}, operands_of_a[] = {0, 1, 2}, outputs_of_adagrad[] = {2, 0};
constexpr aot::UpdateRow updates_of_adagrad[] = {{0, operands_of_b}, {2, operands_of_a}};

/// Functions of a runtime that has one thread.
const aot::HalideFunctions one_thread{
    .set_error_handler = [](aot::HalideFunctions::ErrorHandler handler) { return handler; },
    .set_num_threads = [](int threads) { return threads; },
    .do_par_for =
        [](void* context, aot::HalideFunctions::Task task, int first, int count, std::uint8_t* closure) {
            for (int i = first; i < first + count; ++i) task(context, i, closure);
            return 0;
        },
    .can_use_target_features = [](int, const std::uint64_t*) { return 1; }};

CompiledKernel counting_kernel() {
    return aot::make_kernel({.signature = {.name = "adagrad",
                                           .parameters = parameters_of_adagrad,
                                           .updates = updates_of_adagrad,
                                           .domain = 1,
                                           .outputs = outputs_of_adagrad},
                             .layouts = counting_layouts,
                             .targets = counting_targets,
                             .halide = one_thread});
}

void call(const CompiledKernel& kernel, const AnyMasked& grad) {
    calls_of = {};
    const AnyTensor a(random_tensor(grad.shape(), 1)), b(random_tensor(grad.shape(), 2));
    const std::array<NamedArgument, 5> arguments{
        {{"a", a}, {"b", b}, {"grad", grad}, {"lr", 0.1}, {"eps", 0.1}}};
    kernel(std::span<const NamedArgument>(arguments));
}

}  // namespace

// Run it in the folder of aot_schedules.tsv, if the text of Adagrad's graph has changed.
TEST_CASE("child: writes aot_schedules.tsv", "[.]") {
    const Graph adagrad = describe(steps::adagrad);
    const std::vector<codegen::TuningRecord> records{
        record_of(adagrad, "x86-64", tenth_of_bits, "skip tile=512 vector=4 unroll=2"),
        record_of(adagrad, "x86-64", tenth_of_rows, "rows vector=2 tail=predicate"),
        record_of(describe(steps::plain), "x86-64", {Layout::dense, 17, 9, 0, 0}, "dense vector=2"),
        record_of(adagrad, "cpu", tenth_of_bits, "blend vector=2")};
    codegen::write_export("aot_schedules.tsv", records);
}

// Run it in the folder of device_schedules.tsv, if the texts of graphs or the classes of a device's calls
// have changed.
TEST_CASE("child: writes device_schedules.tsv", "[.]") {
    const Device gpu = there();
    std::vector<codegen::TuningRecord> records;
    const auto note = [&](const TuneResult& found, const std::string& schedule) {
        for (const TuneResult::Key& key : found.keys)
            records.push_back({.step = key.text,
                               .target = "opencl",
                               .machine = "another",
                               .build = "another",
                               .call = key.call,
                               .schedule = schedule,
                               .gain = 2});
    };
    const TuneOptions brief{.seconds = 0.01, .target = "opencl", .database = "off"};
    const Shape shape{64, 64};
    const Tensor<float> param = random_tensor(shape, 1).to(gpu), sums = full<float>(shape, 0.5F).to(gpu);
    for (const auto& [layout, schedule] : {std::pair(Layout::dense, "dense block=256"),
                                           {Layout::bitmask, "blend block=128"},
                                           {Layout::rows, "rows block=128"}}) {
        const AnyMasked grad = random_masked(shape, specified(0.5), layout, 3);
        note(tune(device_steps::adagrad, brief, device_steps::param = param, device_steps::state_sum = sums,
                  device_steps::grad = MaskedTensor<float>(grad.to(gpu)), device_steps::lr = 0.1,
                  device_steps::eps = 0.1),
             schedule);
    }
    note(tune(softmax(param, 1), brief), "expression inlined=1024");
    codegen::write_export("device_schedules.tsv", records);
}

TEST_CASE("child: a tuned kernel ahead of time", "[.]") {
    for (const Layout layout : {Layout::bitmask, Layout::rows})
        adagrad_call(tenth(layout))
            .check(aot::make_kernel(aot_tuned::made::adagrad), jit(describe(steps::adagrad)));
}

TEST_CASE("kernels with tuned loops give the same bytes as just in time", "[codegen]") {
    const ChildResult child = run_child("child: a tuned kernel ahead of time", "FRISKET_SHOW=schedule");
    INFO(child.output);
    CHECK(child.status == 0);
    CHECK(count_of(child.output, "--- schedule: adagrad\ntarget x86-64\ntuned: ") == 2);
    CHECK(count_of(child.output, ": skip tile=512 vector=4 unroll=2 grain=262144\n") == 2);
    CHECK(count_of(child.output, ": rows vector=2 unroll=1 tail=predicate\n") == 2);
}

TEST_CASE("a kernel runs a tuned loop for calls near its class alone", "[codegen]") {
    const CompiledKernel kernel = counting_kernel();
    call(kernel, tenth(Layout::bitmask));
    CHECK(calls_of[0] == 0);
    CHECK(calls_of[1] > 0);
    call(kernel, random_masked({256, 512}, specified(0.6), Layout::bitmask, 3));
    CHECK(calls_of[0] > 0);
    CHECK(calls_of[1] == 0);
    call(kernel, random_masked({16, 512}, specified(0.1), Layout::bitmask, 3));
    CHECK(calls_of[1] == 0);
}

TEST_CASE("a kernel runs a tuned loop over bytes where masks are bytes", "[codegen]") {
    const CompiledKernel kernel = counting_kernel();
    call(kernel, tenth(Layout::strided));
    CHECK(calls_of[0] == 0);
    CHECK(calls_of[1] > 0);
}

TEST_CASE("where tuning found a kernel's default to be the fastest, no record nearby changes that",
          "[codegen]") {
    // Calls of the class `denser`, which is as near to the class of the tuned loop as a class may be.
    const CompiledKernel kernel = counting_kernel();
    call(kernel, random_masked({256, 512}, specified(0.18), Layout::bitmask, 3));
    CHECK(calls_of[0] > 0);
    CHECK(calls_of[1] == 0);
}

TEST_CASE("a library takes the records of its steps, targets and layouts, whoever found them", "[codegen]") {
    const auto [library, notes, file] =
        taken({adagrad_record(tenth_of_bits, "skip tile=256", 2),
               record_of(describe(steps::adagrad), "x86-64-avx2", tenth_of_bits, "skip tile=512"),
               record_of(describe(steps::plain), "cpu", {}, "dense vector=4"),
               adagrad_record(tenth_of_rows, "rows vector=4"), adagrad_record({Layout::coo, 17, 9, -7}, ""),
               adagrad_record({Layout::coo, 20, 9, -7}, "gather unroll=4", 3)});
    CHECK(notes.empty());
    REQUIRE(library.steps[0].tuned.size() == 1);
    const auto& tuned = library.steps[0].tuned[0];
    REQUIRE(tuned.size() == 3);
    CHECK(tuned[2].call == WorkloadClass{Layout::coo, 17, 9, -7});
    CHECK_FALSE(tuned[2].schedule.has_value());
    CHECK(tuned[0].schedule == schedule("gather unroll=4"));
    CHECK(tuned[1].call == tenth_of_bits);
    CHECK(tuned[1].schedule->tile == 256);
    CHECK(aot::schedules_of(library, library.steps[0], 0).size() == library.steps[0].strategies.size() + 2);
    CHECK(aot::loop_name(library, library.steps[0], 0, *tuned[0].schedule) ==
          "frisket_kernels_adagrad_0_gather_unroll_4_grain_4096");
}

TEST_CASE("a library takes the records of its devices", "[codegen]") {
    const std::vector<std::string> layouts{"dense", "bitmask"}, targets{"host", "opencl"};
    aot::Library library{.name = "kernels"};
    library.targets = aot::library_targets(targets, "host");
    library.steps.push_back(aot::library_step("::steps::adagrad", describe(steps::adagrad),
                                              {.layouts = layouts, .shapes = {}, .has_devices = true}));
    const auto record = [](const WorkloadClass& call, const std::string& schedule) {
        return record_of(describe(steps::adagrad), "opencl", call, schedule);
    };
    const Folder folder;
    const std::string file = folder / "tuned.tsv";
    const std::vector<codegen::TuningRecord> records{record({Layout::dense, 17, 9, 0, 0}, "dense block=256"),
                                                     record(tenth_of_bits, "predicate block=128"),
                                                     record(tenth_of_rows, "rows block=128")};
    codegen::write_export(file, records);
    CHECK(aot::add_schedules(library, file).empty());
    const aot::LibraryStep& step = library.steps[0];
    REQUIRE(step.planned_schedules.size() == 2);
    CHECK(step.planned_schedules[0].rows.empty());
    CHECK(step.tuned[0].empty());
    REQUIRE(step.planned_schedules[1].rows.size() == 2);  // rows is no layout of the library
    CHECK(step.planned_schedules[1].loops.size() == 2);
    for (const std::string wrong : {"dense vector=2", "gather block=128"}) {
        const std::vector<codegen::TuningRecord> one{record({Layout::dense, 17, 9, 0, 0}, wrong)};
        codegen::write_export(file, one);
        CHECK_THROWS_AS(aot::add_schedules(library, file), ScheduleError);
    }
}

TEST_CASE("of many schedules a library compiles those that gain most, and says which it leaves out",
          "[codegen]") {
    std::vector<codegen::TuningRecord> records;
    for (int i = 0; i < 5; ++i)
        records.push_back(adagrad_record({Layout::coo, 10 + 3 * i, 0, -7},
                                         "gather grain=" + std::to_string(64 << i), 2 + i));
    records.push_back(adagrad_record({Layout::coo, 25, 0, -7}, "gather grain=1024", 1.1));
    const auto [library, notes, file] = taken(records);
    CHECK(library.steps[0].tuned[0].size() == 5);
    CHECK(aot::schedules_of(library, library.steps[0], 0).size() ==
          library.steps[0].strategies.size() + aot::most_tuned);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == "frisket: kernels: adagrad, target host: " + file +
                          ": line 3 is left out: 4 schedules of its strategy gain as much or more");
}

TEST_CASE("a file without a schedule for a library says so", "[codegen]") {
    const auto [library, notes, file] = taken(
        {record_of(describe(steps::plain), "cpu", {}, "dense vector=4"), adagrad_record(tenth_of_bits, "")});
    CHECK(library.steps[0].tuned[0].empty());
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == "frisket: kernels: " + file +
                          " has no schedule for its steps, layouts and targets: tune them, or leave "
                          "SCHEDULES out");
}

TEST_CASE("a damaged line, or a schedule that is not legal, ends a library's compilation", "[codegen]") {
    const Folder folder;
    const std::string file = folder / "tuned.tsv";
    const auto add = [&](const std::string& text) {
        write_bytes(file, text);
        aot::Library made = library();
        aot::add_schedules(made, file);
    };
    const auto exported = [](const WorkloadClass& call, const std::string& schedule) {
        return codegen::export_text(std::vector{adagrad_record(call, schedule)});
    };
    std::string text = exported(tenth_of_bits, "skip tile=256");
    text[text.find("tile=256") + 5] = '5';
    CHECK_THROWS_MATCHES(add(text), IoError,
                         Says("kernels: tuning records " + file +
                              ": line 3 is refused: it is not whole, or its checksum is wrong: write the "
                              "file anew with frisket tuning export"));
    CHECK_THROWS_MATCHES(
        add(exported(tenth_of_bits, "leap tile=256")), ScheduleError,
        Says("kernels: adagrad, target host: " + file +
             ": line 3: schedule \"leap tile=256\": it begins with \"leap\", wanted a "
             "strategy: dense, blend, skip, predicate, bytes, gather, lines, segments, rows, strided, "
             "strided_bits, strided_lists; for an expression: expression"));
    CHECK_THROWS_MATCHES(add(exported(tenth_of_bits, "rows vector=4")), ScheduleError,
                         Says("kernels: adagrad, target host: " + file +
                              ": line 3: its schedule is of rows, and layout bitmask is walked by skip, "
                              "blend, gather, lines, predicate, segments: take the line out, or tune again"));
    CHECK_THROWS_AS(add("none of ours"), IoError);
}

}  // namespace aot_schedules_test
