// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

#include <string_view>

/// The source of an elementwise step.
namespace frisket::aot {

namespace {

/// Declarations of the loops and of the runtime's functions, as their object files name them.
std::string declared_functions(const Library& library, const LibraryStep& step) {
    std::string text = R"(extern "C" {
using frisket_error_handler = frisket::aot::HalideFunctions::ErrorHandler;
frisket_error_handler halide_set_error_handler(frisket_error_handler handler);
int halide_set_num_threads(int threads);
int halide_do_par_for(void* context, frisket::aot::HalideFunctions::Task task, int first, int count,
                      std::uint8_t* closure);
int halide_can_use_target_features(int count, const std::uint64_t* features);
)";
    for (const std::size_t target : best_first(library))
        for (const Schedule& schedule : schedules_of(library, step, target))
            text += "int " + loop_name(library, step, target, schedule) + "_argv(void** argv);\n";
    return text + planned_functions(step) + "}\n";
}

std::string targets_text(const Library& library, const LibraryStep& step) {
    return braced(best_first(library), [&](std::size_t target) {
        const LibraryTarget& row = library.targets[target];
        const auto loop_text = [&](const Schedule& schedule) {
            return "{" + literal(name_of(schedule.strategy)) + ", " +
                   loop_name(library, step, target, schedule) + "_argv}";
        };
        return "{.name = " + literal(row.name) + ",\n          .features = " +
               braced(row.features, [](std::uint64_t bits) { return std::to_string(bits) + "u"; }) +
               ",\n          .loops = " +
               braced(step.strategies,
                      [&](Strategy strategy) { return loop_text(default_schedule(strategy, row)); }) +
               ",\n          .tuned = " +
               braced(step.tuned.empty() ? std::vector<codegen::TunedCall>() : step.tuned[target],
                      [&](const codegen::TunedCall& tuned) {
                          if (!tuned.schedule) return "{" + class_text(tuned.call) + ", \"default\"}";
                          return "{" + class_text(tuned.call) + ", " + literal(to_string(*tuned.schedule)) +
                                 ", " + loop_text(*tuned.schedule) + "}";
                      }) +
               "}";
    });
}

/// The member that gives the step's kernel for a device.
std::string on_device_text(const Library& library, const LibraryStep& step) {
    if (!library.has_devices()) return "";
    return fill(",\n         .on_device = [](const frisket::Device& device) {\n"
                "             return frisket::aot::make_device_kernel(frisket::describe(@CPP_STEP@),\n"
                "                                                     @STEP@_devices(), device);\n"
                "         }",
                {{"CPP_STEP", step.cpp_name}, {"STEP", step.name}});
}

/// The tables of the step's loops for devices.
std::string devices_text(const Library& library, const LibraryStep& step) {
    if (!library.has_devices()) return "";
    return fill("@DECLARED@"
                "\n"
                "namespace {\n"
                "@NOTES@"
                "std::vector<frisket::aot::PlannedTarget> @STEP@_devices() {\n"
                "    return @TARGETS@;\n"
                "}\n"
                "}  // namespace\n"
                "\n",
                {{"DECLARED", devices_declared(library)},
                 {"NOTES", planned_notes(step)},
                 {"STEP", step.name},
                 {"TARGETS", planned_targets(library, step, devices_of(library))}});
}

std::string table_text(const Library& library, const LibraryStep& step) {
    const auto layouts = braced(step.layouts, [](const std::vector<Layout>& row) {
        return "std::vector" + braced(row, [](Layout layout) { return cpp_name(layout); });
    });
    const auto slots =
        braced(step.numbers.slots(), [](const ir::HostSlot& slot) { return cpp_name(slot.dtype); });
    return "        {.signature =\n         " + signature_text(step.signature) +
           ",\n         .layouts = " + layouts + ",\n         .number_dtypes = " + slots +
           ",\n         .number_count = " + std::to_string(step.numbers.size()) +
           ",\n         .evaluate = " + step.name + "_evaluate,\n         .store_states = " + step.name +
           "_store_states,\n         .targets = " + targets_text(library, step) +
           ",\n         .halide = {halide_set_error_handler, halide_set_num_threads, halide_do_par_for,\n"
           "                    halide_can_use_target_features}" +
           on_device_text(library, step) + "}";
}

constexpr std::string_view step_source_text = "// @MADE@\n"
                                              "#include <frisket/aot_kernel.hpp>\n"
                                              "#include <frisket/dsl.hpp>\n"
                                              "\n"
                                              "#include <array>\n"
                                              "#include <limits>\n"
                                              "#include <span>\n"
                                              "#include <vector>\n"
                                              "\n"
                                              "@HEADER@"
                                              "#include \"@NAME@.h\"\n"
                                              "\n"
                                              "@FUNCTIONS@"
                                              "\n"
                                              "namespace @NAME@::made {\n"
                                              "\n"
                                              "@DEVICES@"
                                              "namespace {\n"
                                              "\n"
                                              "@NUMBERS@"
                                              "\n"
                                              "}  // namespace\n"
                                              "\n"
                                              "frisket::CompiledKernel @STEP@() {\n"
                                              "    return frisket::aot::make_kernel(\n"
                                              "@TABLE@);\n"
                                              "}\n"
                                              "\n"
                                              "}  // namespace @NAME@::made\n"
                                              "\n"
                                              "@C_FUNCTION@";

}  // namespace

std::string step_source(const Library& library, const LibraryStep& step) {
    if (step.wanted) return planned_source(library, step);
    const std::string callee =
        fill("[]() -> const frisket::CompiledKernel& {\n"
             "        static const frisket::CompiledKernel kernel = @NAME@::made::@STEP@();\n"
             "        return kernel;\n"
             "    }",
             {{"NAME", library.name}, {"STEP", step.name}});
    return fill(step_source_text,
                {{"MADE", made_from(library)},
                 {"NAME", library.name},
                 {"STEP", step.name},
                 {"HEADER", library.has_devices() ? "#include \"" + library.header + "\"\n" : std::string()},
                 {"DEVICES", devices_text(library, step)},
                 {"FUNCTIONS", declared_functions(library, step)},
                 {"NUMBERS", step.numbers.to_cpp(step.name)},
                 {"TABLE", table_text(library, step)},
                 {"C_FUNCTION", c_definition(library, step, callee)}});
}

}  // namespace frisket::aot
