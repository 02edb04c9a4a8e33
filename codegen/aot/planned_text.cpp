// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

#include <algorithm>
#include <vector>

/// The source of a step or a function that is planned for each call.
namespace frisket::aot {

namespace {

std::string key_text(const LoopKey& key) {
    return "{" + std::to_string(key.high) + "u, " + std::to_string(key.low) + "u}";
}

std::string loop_row(Constants& constants, const LibraryLoop& loop, const std::string& number) {
    const std::string notes = constants.add("std::int64_t", "notes_" + number, loop.notes,
                                            [](std::int64_t note) { return std::to_string(note); });
    return "{" + key_text(loop.key) + ", " + loop.function + "_argv, " + notes + ", " +
           std::to_string(loop.kernels) + "}";
}

/// The schedules of a target that tuning found.
std::string tuned_rows(Constants& constants, const LibraryStep& step, std::size_t target) {
    if (step.planned_schedules.empty()) return "{}";
    return constants.add("frisket::aot::PlannedTuning", "planned_tuning_" + std::to_string(target),
                         step.planned_schedules[target].rows, [](const PlannedSchedules::Row& row) {
                             return "{" + key_text(row.text) + ", " + class_text(row.call) + ", " +
                                    literal(row.schedule) + "}";
                         });
}

std::string device_of(const Library& library, std::size_t target) {
    if (!library.targets[target].is_device()) return "nullptr";
    const auto devices = devices_of(library);
    return "&devices[" + std::to_string(std::ranges::find(devices, target) - devices.begin()) + "]";
}

std::string target_row(Constants& constants, const Library& library, const LibraryStep& step,
                       std::size_t target) {
    const LibraryTarget& row = library.targets[target];
    const std::string number = std::to_string(target);
    std::vector<std::string> loops;
    for (const LibraryLoop& loop : step.planned[target])
        loops.push_back(loop_row(constants, loop, number + "_" + std::to_string(loops.size())));
    const std::string loop_rows =
        constants.add("frisket::aot::PlannedLoop", "planned_loops_" + number, loops);
    return "{" + literal(row.name) + ", " + features_text(constants, row, "planned_features_" + number) +
           ", " + std::to_string(row.lanes()) + ", " + loop_rows + ", " +
           tuned_rows(constants, step, target) + ", " + device_of(library, target) + "}";
}

/// Targets of processors, best first, then devices.
std::vector<std::size_t> all_targets(const Library& library) {
    std::vector<std::size_t> targets = best_first(library);
    const std::vector<std::size_t> devices = devices_of(library);
    targets.insert(targets.end(), devices.begin(), devices.end());
    return targets;
}

}  // namespace

std::string planned_targets(Constants& constants, const Library& library, const LibraryStep& step,
                            std::span<const std::size_t> targets) {
    return constants.add("frisket::aot::PlannedTarget", "planned_targets", targets,
                         [&](std::size_t target) { return target_row(constants, library, step, target); });
}

std::string planned_functions(const LibraryStep& step) {
    std::string functions;
    for (const auto& loops : step.planned)
        for (const LibraryLoop& loop : loops)
            functions += "int " + loop.function + "_argv(const void** argv);\n";
    return functions;
}

std::string planned_source(const Library& library, const LibraryStep& step) {
    Constants constants;
    const std::string signature = signature_table(constants, step.signature);
    const std::string targets = planned_targets(constants, library, step, all_targets(library));
    const std::string description = description_of(constants, step);
    return source_of(library, step, constants,
                     {.functions = planned_functions(step),
                      .steps = declared_step(library, step),
                      .type = "PlannedTable",
                      .table = "{\n    " + signature + ",\n    " + description + ", " + targets + "}",
                      .c_function = "\n" + c_definition(library, step)});
}

std::string optimizer_source(const Library& library, const LibraryStep& optimizer) {
    Constants constants;
    const std::string targets = planned_targets(constants, library, optimizer, all_targets(library));
    return source_of(library, optimizer, constants,
                     {.functions = planned_functions(optimizer),
                      .type = "Rows<frisket::aot::PlannedTarget>",
                      .table = "(" + targets + ")"});
}

std::string provider_source(const Library& library) {
    if (library.optimizers.empty()) return "";
    std::string declared, tables;
    const auto add = [&](const LibraryStep& part, std::string_view type, std::string_view member) {
        declared += "extern const frisket::aot::" + std::string(type) + " " + part.name + ";\n";
        tables += (tables.empty() ? "made::" : ", made::") + part.name + std::string(member);
    };
    for (const LibraryStep& step : library.steps)
        if (step.wanted) add(step, "PlannedTable", ".targets");
    for (const LibraryStep& optimizer : library.optimizers)
        add(optimizer, "Rows<frisket::aot::PlannedTarget>", "");
    return fill("\n"
                "namespace @NAME@ {\n"
                "\n"
                "namespace made {\n"
                "@DECLARED@"
                "}  // namespace made\n"
                "\n"
                "const frisket::codegen::LoopProvider& kernels(const frisket::TargetName& target) {\n"
                "    frisket::aot::check_not_chosen(\"@NAME@\", target);\n"
                "    static constinit std::atomic<const frisket::codegen::LoopProvider*> provider{nullptr};\n"
                "    return frisket::aot::make_provider(provider, \"@NAME@\", {@TABLES@});\n"
                "}\n"
                "\n"
                "}  // namespace @NAME@\n",
                {{"NAME", library.name}, {"DECLARED", declared}, {"TABLES", tables}});
}

}  // namespace frisket::aot
