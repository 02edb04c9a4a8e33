// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

#include <algorithm>
#include <vector>

/// The source of a step or a function that is planned for each call.
namespace frisket::aot {

namespace {

std::string key_text(const LoopKey& key) {
    return "{" + std::to_string(key[0]) + "u, " + std::to_string(key[1]) + "u}";
}

}  // namespace

std::string planned_notes(const LibraryStep& step) {
    std::string text;
    for (std::size_t target = 0; target < step.planned.size(); ++target)
        for (std::size_t i = 0; i < step.planned[target].size(); ++i) {
            const auto& notes = step.planned[target][i].notes;
            if (notes.empty()) continue;
            text += "constexpr std::int64_t notes_" + std::to_string(target) + "_" + std::to_string(i) +
                    "[] = " + braced(notes, [](std::int64_t note) { return std::to_string(note); }) + ";\n";
        }
    return text;
}

namespace {

/// The schedules of a target that tuning found.
std::string tuned_text(const LibraryStep& step, std::size_t target) {
    if (step.planned_schedules.empty() || step.planned_schedules[target].rows.empty()) return "";
    std::string rows;
    for (const PlannedSchedules::Row& row : step.planned_schedules[target].rows)
        rows += "\n              {" + key_text(row.text) + ", " + class_text(row.call) + ", " +
                literal(row.schedule) + "},";
    return ",\n          .tuned = {" + rows + "}";
}

/// The last members of a row for a device.
std::string device_text(const Library& library, std::size_t target) {
    if (!library.targets[target].is_device()) return "";
    const auto devices = devices_of(library);
    return ",\n          .device = &devices[" +
           std::to_string(std::ranges::find(devices, target) - devices.begin()) + "]";
}

}  // namespace

std::string planned_targets(const Library& library, const LibraryStep& step,
                            std::span<const std::size_t> targets) {
    return braced(targets, [&](std::size_t target) {
        const LibraryTarget& row = library.targets[target];
        std::string loops;
        for (std::size_t i = 0; i < step.planned[target].size(); ++i) {
            const LibraryLoop& loop = step.planned[target][i];
            loops += "\n              {" + key_text(loop.key) + ", " + loop.function + "_argv, ";
            loops += loop.notes.empty() ? "{}" : "notes_" + std::to_string(target) + "_" + std::to_string(i);
            loops += ", " + std::to_string(loop.kernels) + "},";
        }
        return "{.name = " + literal(row.name) + ",\n          .features = " +
               braced(row.features, [](std::uint64_t bits) { return std::to_string(bits) + "u"; }) +
               ",\n          .lanes = " + std::to_string(row.lanes()) + ",\n          .loops = {" + loops +
               "}" + tuned_text(step, target) + device_text(library, target) + "}";
    });
}

std::string planned_functions(const LibraryStep& step) {
    std::string functions;
    for (const auto& loops : step.planned)
        for (const LibraryLoop& loop : loops)
            functions += "int " + loop.function + "_argv(const void** argv);\n";
    return functions;
}

namespace {

constexpr std::string_view planned_source_text = "// @MADE@\n"
                                                 "#include <frisket/aot_kernel.hpp>\n"
                                                 "#include <frisket/dsl.hpp>\n"
                                                 "\n"
                                                 "#include <cstdint>\n"
                                                 "#include <memory>\n"
                                                 "#include <span>\n"
                                                 "#include <vector>\n"
                                                 "\n"
                                                 "#include \"@HEADER@\"\n"
                                                 "#include \"@NAME@.h\"\n"
                                                 "\n"
                                                 "extern \"C\" {\n"
                                                 "@FUNCTIONS@"
                                                 "}\n"
                                                 "\n"
                                                 "namespace @NAME@::made {\n"
                                                 "\n"
                                                 "@DEVICES@"
                                                 "namespace {\n"
                                                 "\n"
                                                 "@NOTES@"
                                                 "\n"
                                                 "}  // namespace\n"
                                                 "\n"
                                                 "std::vector<frisket::aot::PlannedTarget> @STEP@_loops() {\n"
                                                 "    return @TARGETS@;\n"
                                                 "}\n"
                                                 "@MAKER@"
                                                 "\n"
                                                 "}  // namespace @NAME@::made\n"
                                                 "@C_FUNCTION@";

constexpr std::string_view maker_text = "\n"
                                        "@TYPE@ @STEP@() {\n"
                                        "    return frisket::aot::@MAKE@(\n"
                                        "        {.name = @STEP_NAME@,\n"
                                        "         .describe = [](std::span<const frisket::Shape> shapes) {\n"
                                        "             return frisket::describe(@CPP_STEP@, shapes);\n"
                                        "         },\n"
                                        "         .targets = @STEP@_loops()}@PARAMETERS@);\n"
                                        "}\n";

constexpr std::string_view callee_text =
    "[]() -> const frisket::aot::@CALL_TYPE@& {\n"
    "        static const frisket::aot::@CALL_TYPE@ call = frisket::aot::@CALL@(\n"
    "        @SIGNATURE@,\n"
    "        @NAME@::made::@STEP@());\n"
    "        return call;\n"
    "    }";

}  // namespace

namespace {

/// The source of a table of loops, with what makes a step of it, and its C function.
std::string source_of(const Library& library, const LibraryStep& step, const std::string& maker,
                      const std::string& c_function) {
    std::vector<std::size_t> targets = best_first(library);
    const std::vector<std::size_t> devices = devices_of(library);
    targets.insert(targets.end(), devices.begin(), devices.end());
    return fill(planned_source_text, {{"MADE", made_from(library)},
                                      {"HEADER", library.header},
                                      {"NAME", library.name},
                                      {"STEP", step.name},
                                      {"FUNCTIONS", planned_functions(step)},
                                      {"DEVICES", devices_declared(library)},
                                      {"NOTES", planned_notes(step)},
                                      {"TARGETS", planned_targets(library, step, targets)},
                                      {"MAKER", maker},
                                      {"C_FUNCTION", c_function}});
}

}  // namespace

std::string planned_source(const Library& library, const LibraryStep& step) {
    const bool is_function = step.result_count > 0;
    const std::string callee =
        fill(callee_text, {{"CALL_TYPE", is_function ? "PlannedValues" : "PlannedCall"},
                           {"CALL", is_function ? "planned_values" : "planned_call"},
                           {"SIGNATURE", signature_text(step.signature)},
                           {"NAME", library.name},
                           {"STEP", step.name}});
    const std::string parameters =
        braced(step.signature.parameters, [](const Parameter& p) { return literal(p.name); });
    const std::string maker = fill(maker_text, {{"TYPE", planned_type(step)},
                                                {"STEP", step.name},
                                                {"MAKE", is_function ? "make_function" : "make_step"},
                                                {"STEP_NAME", literal(step.signature.name)},
                                                {"CPP_STEP", step.cpp_name},
                                                {"PARAMETERS", is_function ? ", " + parameters : ""}});
    return source_of(library, step, maker, "\n" + c_definition(library, step, callee));
}

std::string optimizer_source(const Library& library, const LibraryStep& optimizer) {
    return source_of(library, optimizer, "", "");
}

std::string provider_source(const Library& library) {
    if (library.optimizers.empty()) return "";
    std::string declared, tables;
    const auto add = [&](const LibraryStep& part) {
        declared += "std::vector<frisket::aot::PlannedTarget> " + part.name + "_loops();\n";
        tables += (tables.empty() ? "" : ", ") + ("made::" + part.name + "_loops()");
    };
    for (const LibraryStep& step : library.steps)
        if (step.wanted) add(step);
    for (const LibraryStep& optimizer : library.optimizers) add(optimizer);
    return fill("\n"
                "namespace @NAME@ {\n"
                "\n"
                "namespace made {\n"
                "@DECLARED@"
                "}  // namespace made\n"
                "\n"
                "const frisket::codegen::LoopProvider& kernels(const frisket::TargetName& target) {\n"
                "    frisket::aot::check_not_chosen(\"@NAME@\", target);\n"
                "    static const frisket::codegen::LoopProvider& provider =\n"
                "        frisket::aot::make_provider(\"@NAME@\", {@TABLES@});\n"
                "    return provider;\n"
                "}\n"
                "\n"
                "}  // namespace @NAME@\n",
                {{"NAME", library.name}, {"DECLARED", declared}, {"TABLES", tables}});
}

std::string planned_type(const LibraryStep& step) {
    return step.result_count > 0 ? "std::shared_ptr<frisket::plan::ShapedFunction>"
                                 : "std::shared_ptr<frisket::plan::ShapedStep>";
}

}  // namespace frisket::aot
