// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

#include <string_view>

/// The source of an elementwise step.
namespace frisket::aot {

namespace {

/// Declarations of the loops and of the runtime's functions, as their object files name them.
std::string declared_functions(const Library& library, const LibraryStep& step) {
    std::string text = R"(frisket::aot::HalideFunctions::ErrorHandler
halide_set_error_handler(frisket::aot::HalideFunctions::ErrorHandler handler);
int halide_set_num_threads(int threads);
int halide_do_par_for(void* context, frisket::aot::HalideFunctions::Task task, int first, int count,
                      std::uint8_t* closure);
int halide_can_use_target_features(int count, const std::uint64_t* features);
)";
    for (const std::size_t target : best_first(library))
        for (const Schedule& schedule : schedules_of(library, step, target))
            text += "int " + loop_name(library, step, target, schedule) + "_argv(void** argv);\n";
    return text + planned_functions(step);
}

/// The row of a target.
std::string kernel_target(Constants& constants, const Library& library, const LibraryStep& step,
                          std::size_t target) {
    const LibraryTarget& row = library.targets[target];
    const std::string number = std::to_string(target);
    const auto loop_text = [&](const Schedule& schedule) {
        return "{" + literal(name_of(schedule.strategy)) + ", " + loop_name(library, step, target, schedule) +
               "_argv}";
    };
    const std::string loops =
        constants.add("frisket::aot::Loop", "loops_" + number, step.strategies,
                      [&](Strategy strategy) { return loop_text(default_schedule(strategy, row)); });
    const std::string tuned =
        constants.add("frisket::aot::TunedLoop", "tuned_" + number,
                      step.tuned.empty() ? std::vector<codegen::TunedCall>() : step.tuned[target],
                      [&](const codegen::TunedCall& call) {
                          if (!call.schedule) return "{" + class_text(call.call) + ", \"default\"}";
                          return "{" + class_text(call.call) + ", " + literal(to_string(*call.schedule)) +
                                 ", " + loop_text(*call.schedule) + "}";
                      });
    return "{" + literal(row.name) + ", " + features_text(constants, row, "features_" + number) + ", " +
           loops + ", " + tuned + "}";
}

std::string number_row(const NumberRow& row) {
    constexpr std::string_view kinds[] = {"constant", "argument", "op", "convert"};
    return "{frisket::aot::NumberRow::Kind::" + std::string(kinds[static_cast<std::size_t>(row.kind)]) +
           ", " + std::to_string(row.result) + ", " + literal(row.dtype) + ", " +
           braced(row.operands, [](int operand) { return std::to_string(operand); }) + ", " +
           (row.name == nullptr ? "nullptr" : literal(row.name)) + ", " + std::to_string(row.bits) + "u}";
}

std::string numbers_table(Constants& constants, const ir::ScalarProgram& numbers) {
    const std::string dtypes = constants.add("const char*", "dtypes", numbers.dtypes(),
                                             [](DType dtype) { return literal(name_of(dtype)); });
    const std::string instructions =
        constants.add("frisket::aot::NumberRow", "instructions", numbers.instructions(), number_row);
    const std::string states =
        constants.add("frisket::aot::StateRow", "states", numbers.states(), [](const StateRow& row) {
            return "{" + std::to_string(row.argument) + ", " + std::to_string(row.number) + "}";
        });
    return "{" + dtypes + ", " + instructions + ", " + states + ", " + std::to_string(numbers.size()) + "}";
}

std::string layout_rows(Constants& constants, const LibraryStep& step) {
    std::vector<std::string> rows;
    for (const std::vector<Layout>& layouts : step.layouts)
        rows.push_back(constants.add("const char*", "layouts_" + std::to_string(rows.size()), layouts,
                                     [](Layout layout) { return literal(name_of(layout)); }));
    return constants.add("frisket::aot::Rows<const char*>", "layouts", rows);
}

/// The last members of the table: those for devices.
std::string device_members(Constants& constants, const Library& library, const LibraryStep& step) {
    if (!library.has_devices()) return "";
    return ",\n    " + description_of(constants, step) + ", " +
           planned_targets(constants, library, step, devices_of(library)) + ", &frisket::aot::device_kernels";
}

}  // namespace

std::string step_source(const Library& library, const LibraryStep& step) {
    if (step.wanted) return planned_source(library, step);
    Constants constants;
    const std::string signature = signature_table(constants, step.signature);
    const std::string layouts = layout_rows(constants, step);
    const std::string numbers = numbers_table(constants, step.numbers);
    std::vector<std::string> targets;
    for (const std::size_t target : best_first(library))
        targets.push_back(kernel_target(constants, library, step, target));
    const std::string kernel_targets = constants.add("frisket::aot::TargetLoops", "targets", targets);
    const std::string devices = device_members(constants, library, step);
    const std::string table = "{\n    " + signature + ",\n    " + layouts + ", " + numbers + ", " +
                              kernel_targets +
                              ",\n    {halide_set_error_handler, halide_set_num_threads, halide_do_par_for, "
                              "halide_can_use_target_features}" +
                              devices + "}";
    return source_of(library, step, constants,
                     {.functions = declared_functions(library, step),
                      .steps = library.has_devices() ? declared_step(library, step) : "",
                      .type = "KernelTable",
                      .table = table,
                      .c_function = "\n" + c_definition(library, step)});
}

}  // namespace frisket::aot
