// SPDX-License-Identifier: MIT
#include "library.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <utility>

/// The sources of a kernel library.
namespace frisket::aot {

namespace {

std::string literal(std::string_view text) { return '"' + std::string(text) + '"'; }

/// "{a, b, c}"
template <class List, class Text>
std::string braced(const List& list, Text&& text) {
    std::string all;
    for (const auto& item : list) all += (all.empty() ? "" : ", ") + std::string(text(item));
    return "{" + all + "}";
}

/// A text with its @NAMES@ replaced.
std::string fill(std::string_view text,
                 std::initializer_list<std::pair<std::string_view, std::string>> values) {
    std::string filled;
    while (!text.empty()) {
        const auto begin = text.find('@');
        filled += text.substr(0, begin);
        if (begin == text.npos) break;
        const auto end = text.find('@', begin + 1);
        const std::string_view name = text.substr(begin + 1, end - begin - 1);
        filled += std::ranges::find(values, name, &std::pair<std::string_view, std::string>::first)->second;
        text.remove_prefix(end + 1);
    }
    return filled;
}

std::string cpp_name(DType dtype) {
    constexpr std::array names{"boolean", "uint8",   "int32",   "int64",
                               "float32", "float64", "float16", "bfloat16"};
    return std::string("frisket::DType::") + names[static_cast<std::size_t>(info(dtype).dtype)];
}

std::string cpp_name(SymbolKind kind) {
    constexpr std::array names{"in_out", "in", "masked", "scalar", "scalar_state", "let"};
    return std::string("frisket::SymbolKind::") + names[static_cast<std::size_t>(kind)];
}

std::string cpp_name(Layout layout) { return "frisket::Layout::" + std::string(name_of(layout)); }

std::string c_type(const Parameter& parameter) {
    switch (parameter.kind) {
        case SymbolKind::masked: return "const frisket_masked* ";
        case SymbolKind::scalar: return parameter.dtype == DType::int64 ? "int64_t " : "double ";
        case SymbolKind::scalar_state: return "double* ";
        default: return "const frisket_tensor* ";
    }
}

std::string c_declaration(const Library& library, const LibraryStep& step) {
    std::string text = "int " + library.name + "_" + step.name + "(";
    const std::string indent(text.size(), ' ');
    std::size_t column = text.size();
    for (const Parameter& parameter : step.signature.parameters) {
        const std::string declared = c_type(parameter) + parameter.name;
        const bool first = text.back() == '(';
        const bool fits = column + declared.size() + 4 < 110;
        if (!first) text += fits ? ", " : ",\n" + indent;
        text += declared;
        column = fits ? column + declared.size() + 2 : indent.size() + declared.size();
    }
    return text + (step.signature.parameters.empty() ? "void)" : ")");
}

/// "strided, coo", or "grad=coo,mask=strided" where Masked parameters differ.
std::string layout_list(const LibraryStep& step) {
    std::string all;
    for (const auto& layouts : step.layouts) {
        std::string one;
        std::size_t masked = 0;
        const bool same = std::ranges::all_of(layouts, [&](Layout l) { return l == layouts[0]; });
        if (same) one = name_of(layouts[0]);
        for (const Parameter& parameter : step.signature.parameters)
            if (!same && parameter.kind == SymbolKind::masked)
                one +=
                    (one.empty() ? "" : ",") + parameter.name + "=" + std::string(name_of(layouts[masked++]));
        all += (all.empty() ? "" : ", ") + one;
    }
    return all;
}

std::string c_comment(const LibraryStep& step) {
    std::string text = "/* Step " + step.signature.name + ".";
    if (!step.layouts.empty()) text += "  Layouts: " + layout_list(step) + ".";
    for (std::size_t i = 0; i < step.signature.parameters.size(); ++i) {
        const Parameter& parameter = step.signature.parameters[i];
        text += "\n *     " + parameter.name + ": " + std::string(name_of(parameter.kind)) + ", " +
                std::string(name_of(parameter.dtype));
        if (step.signature.writes(static_cast<int>(i)) || parameter.kind == SymbolKind::scalar_state)
            text += ", written";
    }
    return text + "\n */\n";
}

std::string made_from(const Library& library) {
    return "Made by frisket_add_kernels from " + library.header + ".";
}

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
    for (std::size_t target = 0; target < library.targets.size(); ++target)
        for (const Schedule& schedule : schedules_of(library, step, target))
            text += "int " + loop_name(library, step, target, schedule) + "_argv(void** argv);\n";
    return text + "}\n";
}

std::string signature_text(const Signature& signature) {
    auto number = [](int i) { return std::to_string(i); };
    return "{.name = " + literal(signature.name) + ",\n         .parameters = " +
           braced(signature.parameters,
                  [](const Parameter& p) {
                      return "{" + literal(p.name) + ", " + cpp_name(p.kind) + ", " + cpp_name(p.dtype) + "}";
                  }) +
           ",\n         .updates = " +
           braced(signature.updates,
                  [&](const UpdateRule& update) {
                      return "{.target = " + number(update.target) +
                             ", .operands = " + braced(update.operands, number) + "}";
                  }) +
           ",\n         .equal_masks = " +
           braced(signature.equal_masks,
                  [&](const std::array<int, 2>& pair) {
                      return "std::array{" + number(pair[0]) + ", " + number(pair[1]) + "}";
                  }) +
           ",\n         .domain = " + number(signature.domain) +
           ",\n         .outputs = " + braced(signature.outputs, number) +
           (signature.has_shapes ? ",\n         .has_shapes = true" : "") +
           (signature.needs_positions ? ",\n         .needs_positions = true}" : "}");
}

/// Targets in the order in which a processor tries them: the widest vectors first, then the most features.
std::vector<std::size_t> best_first(const Library& library) {
    std::vector<std::size_t> order(library.targets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    auto rank = [&](std::size_t i) {
        int features = 0;
        for (const std::uint64_t bits : library.targets[i].features) features += std::popcount(bits);
        return std::pair(library.targets[i].vector_bytes, features);
    };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
    return order;
}

std::string class_text(const WorkloadClass& call) {
    std::string numbers;
    for (const int number : {call.elements, call.row_length, call.density, call.lines})
        numbers += ", " + std::to_string(number);
    return "{" + cpp_name(call.layout) + numbers + "}";
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
           "                    halide_can_use_target_features}}";
}

constexpr std::string_view step_source_text =
    "// @MADE@\n"
    "#include <frisket/aot_kernel.hpp>\n"
    "#include <frisket/dsl.hpp>\n"
    "\n"
    "#include <array>\n"
    "#include <limits>\n"
    "#include <span>\n"
    "#include <vector>\n"
    "\n"
    "#include \"@NAME@.h\"\n"
    "\n"
    "@FUNCTIONS@"
    "\n"
    "namespace @NAME@::made {\n"
    "\n"
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
    "@C_FUNCTION@ {\n"
    "    return frisket::aot::call_from_c([]() -> const frisket::CompiledKernel& {\n"
    "        static const frisket::CompiledKernel kernel = @NAME@::made::@STEP@();\n"
    "        return kernel;\n"
    "    }, @ARGUMENTS@);\n"
    "}\n";

/// Facts about the loops of a planned step, as arrays of numbers.
std::string notes_text(const LibraryStep& step) {
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

std::string planned_targets(const Library& library, const LibraryStep& step) {
    return braced(best_first(library), [&](std::size_t target) {
        const LibraryTarget& row = library.targets[target];
        std::string loops;
        for (std::size_t i = 0; i < step.planned[target].size(); ++i) {
            const LibraryLoop& loop = step.planned[target][i];
            loops += "\n              {{" + std::to_string(loop.key[0]) + "u, " +
                     std::to_string(loop.key[1]) + "u}, " + loop.function + "_argv, ";
            loops += loop.notes.empty() ? "{}" : "notes_" + std::to_string(target) + "_" + std::to_string(i);
            loops += "},";
        }
        return "{.name = " + literal(row.name) + ",\n          .features = " +
               braced(row.features, [](std::uint64_t bits) { return std::to_string(bits) + "u"; }) +
               ",\n          .lanes = " + std::to_string(row.vector_bytes / 4) + ",\n          .loops = {" +
               loops + "}}";
    });
}

constexpr std::string_view planned_source_text =
    "// @MADE@\n"
    "#include <frisket/aot_kernel.hpp>\n"
    "#include <frisket/dsl.hpp>\n"
    "\n"
    "#include <cstdint>\n"
    "#include <memory>\n"
    "#include <span>\n"
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
    "namespace {\n"
    "\n"
    "@NOTES@"
    "\n"
    "}  // namespace\n"
    "\n"
    "std::shared_ptr<frisket::plan::ShapedStep> @STEP@() {\n"
    "    return frisket::aot::make_step(\n"
    "        {.name = @STEP_NAME@,\n"
    "         .describe = [](std::span<const frisket::Shape> shapes) {\n"
    "             return frisket::describe(@CPP_STEP@, shapes);\n"
    "         },\n"
    "         .targets = @TARGETS@});\n"
    "}\n"
    "\n"
    "}  // namespace @NAME@::made\n"
    "\n"
    "@C_FUNCTION@ {\n"
    "    return frisket::aot::call_from_c([]() -> const frisket::aot::PlannedCall& {\n"
    "        static const frisket::aot::PlannedCall call = frisket::aot::planned_call(\n"
    "        @SIGNATURE@,\n"
    "        @NAME@::made::@STEP@());\n"
    "        return call;\n"
    "    }, @ARGUMENTS@);\n"
    "}\n";

std::string planned_source(const Library& library, const LibraryStep& step) {
    std::string functions;
    for (const auto& loops : step.planned)
        for (const LibraryLoop& loop : loops) functions += "int " + loop.function + "_argv(void** argv);\n";
    const auto arguments = braced(step.signature.parameters, [](const Parameter& p) { return p.name; });
    return fill(planned_source_text, {{"MADE", made_from(library)},
                                      {"HEADER", library.header},
                                      {"NAME", library.name},
                                      {"STEP", step.name},
                                      {"STEP_NAME", literal(step.signature.name)},
                                      {"CPP_STEP", step.cpp_name},
                                      {"FUNCTIONS", functions},
                                      {"NOTES", notes_text(step)},
                                      {"TARGETS", planned_targets(library, step)},
                                      {"SIGNATURE", signature_text(step.signature)},
                                      {"C_FUNCTION", c_declaration(library, step)},
                                      {"ARGUMENTS", arguments}});
}

}  // namespace

std::string cpp_header(const Library& library) {
    std::string declared, kernels;
    for (const LibraryStep& step : library.steps) {
        declared += fill(
            "@TYPE@ @STEP@();\n",
            {{"TYPE", step.wanted ? "std::shared_ptr<frisket::plan::ShapedStep>" : "frisket::CompiledKernel"},
             {"STEP", step.name}});
        const std::string layouts = step.layouts.empty() ? "" : "/// Layouts: " + layout_list(step) + ".\n";
        kernels += fill("\n@LAYOUTS@inline const frisket::Kernel<std::remove_cvref_t<decltype(@CPP_STEP@)>> "
                        "@STEP@{made::@STEP@()};\n",
                        {{"LAYOUTS", layouts}, {"CPP_STEP", step.cpp_name}, {"STEP", step.name}});
    }
    return fill("// @MADE@\n"
                "#pragma once\n"
                "#include <frisket/dsl.hpp>\n"
                "\n"
                "#include <type_traits>\n"
                "\n"
                "#include \"@HEADER@\"\n"
                "\n"
                "/// Kernels compiled ahead of time, called with named arguments.\n"
                "namespace @NAME@ {\n"
                "\n"
                "namespace made {\n"
                "@DECLARED@"
                "}  // namespace made\n"
                "@KERNELS@"
                "\n"
                "}  // namespace @NAME@\n",
                {{"MADE", made_from(library)},
                 {"HEADER", library.header},
                 {"NAME", library.name},
                 {"DECLARED", declared},
                 {"KERNELS", kernels}});
}

std::string c_header(const Library& library) {
    std::string declared;
    for (const LibraryStep& step : library.steps)
        declared += "\n" + c_comment(step) + c_declaration(library, step) + ";\n";
    return fill("/* @MADE@ */\n"
                "#ifndef FRISKET_KERNELS_@NAME@_H\n"
                "#define FRISKET_KERNELS_@NAME@_H\n"
                "\n"
                "#include <frisket/c_api.h>\n"
                "\n"
                "#ifdef __cplusplus\n"
                "extern \"C\" {\n"
                "#endif\n"
                "\n"
                "/* Each function gives 0, or an error's code after which frisket_last_error() says what was "
                "wrong. */\n"
                "@DECLARED@"
                "\n"
                "#ifdef __cplusplus\n"
                "}\n"
                "#endif\n"
                "\n"
                "#endif\n",
                {{"MADE", made_from(library)}, {"NAME", library.name}, {"DECLARED", declared}});
}

std::string step_source(const Library& library, const LibraryStep& step) {
    if (step.wanted) return planned_source(library, step);
    const auto arguments = braced(step.signature.parameters, [](const Parameter& p) { return p.name; });
    return fill(step_source_text, {{"MADE", made_from(library)},
                                   {"NAME", library.name},
                                   {"STEP", step.name},
                                   {"FUNCTIONS", declared_functions(library, step)},
                                   {"NUMBERS", step.numbers.to_cpp(step.name)},
                                   {"TABLE", table_text(library, step)},
                                   {"C_FUNCTION", c_declaration(library, step)},
                                   {"ARGUMENTS", arguments}});
}

}  // namespace frisket::aot
