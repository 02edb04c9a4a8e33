// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

/// The C++ header of a kernel library.
namespace frisket::aot {

namespace {

/// The header of a shared library: its C functions, whose errors are exceptions.
std::string shared_header(const Library& library) {
    std::string kernels;
    for (const LibraryStep& step : library.steps)
        kernels += fill("/// Calls @NAME@_@STEP@.  Errors: Error.\n"
                        "inline void @STEP@(const @NAME@_@STEP@_args& args) {\n"
                        "    if (const int code = @NAME@_@STEP@(&args)) throw Error(code);\n"
                        "}\n",
                        {{"NAME", library.name}, {"STEP", step.name}});
    return fill("// @MADE@\n"
                "#pragma once\n"
                "#include \"@NAME@.h\"\n"
                "\n"
                "#include <stdexcept>\n"
                "\n"
                "/// Kernels compiled ahead of time, in a shared library.\n"
                "namespace @NAME@ {\n"
                "\n"
                "/// An error of a call, which has changed nothing.\n"
                "struct Error : std::runtime_error {\n"
                "    explicit Error(int found) : std::runtime_error(@NAME@_last_error()), code(found) {}\n"
                "    int code;  ///< enum frisket_error_code\n"
                "};\n"
                "\n"
                "@KERNELS@"
                "\n"
                "}  // namespace @NAME@\n",
                {{"MADE", made_from(library)}, {"NAME", library.name}, {"KERNELS", kernels}});
}

}  // namespace

std::string cpp_header(const Library& library) {
    if (!library.version.empty()) return shared_header(library);
    std::string declared, kernels;
    for (const LibraryStep& step : library.steps) {
        const bool is_function = step.result_count > 0;
        declared += fill("extern const frisket::aot::@TYPE@ @STEP@;\n",
                         {{"TYPE", step.wanted ? "PlannedTable" : "KernelTable"}, {"STEP", step.name}});
        const std::string layouts = step.layouts.empty() ? "" : "/// Layouts: " + layout_list(step) + ".\n";
        kernels +=
            fill("\n@LAYOUTS@inline const frisket::@KERNEL@<std::remove_cvref_t<decltype(@CPP_STEP@)>> "
                 "@STEP@{frisket::aot::@MAKE@(made::@STEP@)};\n",
                 {{"LAYOUTS", layouts},
                  {"KERNEL", is_function ? "FunctionKernel" : "Kernel"},
                  {"MAKE", !step.wanted  ? "make_kernel"
                           : is_function ? "make_function"
                                         : "make_step"},
                  {"CPP_STEP", step.cpp_name},
                  {"STEP", step.name}});
    }
    const std::string provider =
        library.optimizers.empty()
            ? ""
            : "\n/// Loops for optimizers, `Optimizer({.kernels = " + library.name +
                  "::kernels}, rule, parameters)`.\n"
                  "/// Errors: TargetError if none of its targets fits this processor, or one is asked for.\n"
                  "const frisket::codegen::LoopProvider& kernels(const frisket::TargetName& target);\n";
    return fill("// @MADE@\n"
                "#pragma once\n"
                "#include <frisket/aot_kernel.hpp>\n"
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
                "@PROVIDER@"
                "\n"
                "}  // namespace @NAME@\n",
                {{"MADE", made_from(library)},
                 {"HEADER", library.header},
                 {"NAME", library.name},
                 {"DECLARED", declared},
                 {"KERNELS", kernels},
                 {"PROVIDER", provider}});
}

}  // namespace frisket::aot
