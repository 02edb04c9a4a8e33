// SPDX-License-Identifier: MIT
#include "aot_library.hpp"

#include <algorithm>
#include <array>
#include <bit>

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

std::string cpp_name(DType dtype) {
    constexpr std::array names{"boolean", "uint8", "int32", "int64", "float32", "float64"};
    return std::string("frisket::DType::") + names[static_cast<std::size_t>(dtype)];
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
        text += (first ? "" : fits ? ", " : ",\n" + indent) + declared;
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
    std::string text = "/* Step " + step.graph.name + ".";
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

/// What the loops and the runtime are called in their object files.
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
        for (const Strategy strategy : step.strategies)
            text += "int " + loop_name(library, step, target, strategy) + "_argv(void** argv);\n";
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
           ",\n         .outputs = " + braced(signature.outputs, number) + "}";
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

std::string targets_text(const Library& library, const LibraryStep& step) {
    return braced(best_first(library), [&](std::size_t target) {
        const LibraryTarget& row = library.targets[target];
        return "{.name = " + literal(row.name) + ",\n          .features = " +
               braced(row.features, [](std::uint64_t bits) { return std::to_string(bits) + "u"; }) +
               ",\n          .loops = " +
               braced(step.strategies,
                      [&](Strategy strategy) {
                          return "{" + literal(name_of(strategy)) + ", " +
                                 loop_name(library, step, target, strategy) + "_argv}";
                      }) +
               "}";
    });
}

std::string table_text(const Library& library, const LibraryStep& step) {
    const auto layouts = braced(step.layouts, [](const std::vector<Layout>& row) {
        return "std::vector" + braced(row, [](Layout layout) { return cpp_name(layout); });
    });
    const auto slots =
        braced(step.numbers.slots(), [](const HostSlot& slot) { return cpp_name(slot.dtype); });
    return "        {.signature =\n         " + signature_text(step.signature) +
           ",\n         .layouts = " + layouts + ",\n         .number_dtypes = " + slots +
           ",\n         .number_count = " + std::to_string(step.numbers.size()) +
           ",\n         .evaluate = " + step.name + "_evaluate,\n         .store_states = " + step.name +
           "_store_states,\n         .targets = " + targets_text(library, step) +
           ",\n         .halide = {halide_set_error_handler, halide_set_num_threads, halide_do_par_for,\n"
           "                    halide_can_use_target_features}}";
}

}  // namespace

std::string cpp_header(const Library& library) {
    std::string text = "// " + made_from(library) + R"(
#pragma once
#include <frisket/dsl.hpp>

#include <type_traits>

#include ")" + library.header +
                       R"("

/// Kernels compiled ahead of time, called with named arguments.
namespace )" + library.name +
                       " {\n\nnamespace made {\n";
    for (const LibraryStep& step : library.steps) text += "frisket::CompiledKernel " + step.name + "();\n";
    text += "}  // namespace made\n";
    for (const LibraryStep& step : library.steps) {
        text += "\n";
        if (!step.layouts.empty()) text += "/// Layouts: " + layout_list(step) + ".\n";
        text += "inline const frisket::Kernel<std::remove_cvref_t<decltype(" + step.cpp_name + ")>> " +
                step.name + "{made::" + step.name + "()};\n";
    }
    return text + "\n}  // namespace " + library.name + "\n";
}

std::string c_header(const Library& library) {
    std::string guard = "FRISKET_KERNELS_" + library.name + "_H";
    std::string text = "/* " + made_from(library) + " */\n#ifndef " + guard + "\n#define " + guard + R"(

#include <frisket/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each function gives 0, or an error's code after which frisket_last_error() says what was wrong. */
)";
    for (const LibraryStep& step : library.steps)
        text += "\n" + c_comment(step) + c_declaration(library, step) + ";\n";
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string step_source(const Library& library, const LibraryStep& step) {
    const auto names =
        braced(step.signature.parameters, [](const Parameter& parameter) { return parameter.name; });
    return "// " + made_from(library) + R"(
#include <frisket/aot_kernel.hpp>
#include <frisket/dsl.hpp>

#include <array>
#include <bit>
#include <limits>
#include <span>
#include <vector>

#include ")" +
           library.name + ".h\"\n\n" + declared_functions(library, step) + "\nnamespace " + library.name +
           "::made {\n\nnamespace {\n\n" + step.numbers.to_cpp(step.name) + "\n}  // namespace\n\n" +
           "frisket::CompiledKernel " + step.name + "() {\n    return frisket::aot::make_kernel(\n" +
           table_text(library, step) + ");\n}\n\n}  // namespace " + library.name + "::made\n\n" +
           c_declaration(library, step) + " {\n    return frisket::aot::call_from_c([]() -> const " +
           "frisket::CompiledKernel& {\n        static const frisket::CompiledKernel kernel = " +
           library.name + "::made::" + step.name + "();\n        return kernel;\n    }, " + names + ");\n}\n";
}

}  // namespace frisket::aot
