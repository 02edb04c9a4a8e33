// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

#include "../../runtime/tensor/error.hpp"

/// The C header of a kernel library, and its functions.
namespace frisket::aot {

namespace {

std::string c_type(const Parameter& parameter) {
    switch (parameter.kind) {
        case SymbolKind::masked: return "const frisket_masked* ";
        case SymbolKind::scalar: return parameter.dtype == DType::int64 ? "int64_t " : "double ";
        case SymbolKind::scalar_state: return "double* ";
        default: return "const frisket_tensor* ";
    }
}

/// Returns whether a call writes a parameter.
bool is_written(const LibraryStep& step, std::size_t i) {
    const Parameter& parameter = step.signature.parameters[i];
    const bool is_target = step.wanted ? parameter.kind == SymbolKind::in_out && step.result_count == 0
                                       : step.signature.writes(static_cast<int>(i));
    return is_target || parameter.kind == SymbolKind::scalar_state;
}

std::string c_comment(const LibraryStep& step) {
    std::string text = (step.result_count > 0 ? "/* Function " : "/* Step ") + step.signature.name + ".";
    if (!step.layouts.empty()) text += "  Layouts: " + layout_list(step) + ".";
    for (std::size_t i = 0; i < step.signature.parameters.size(); ++i) {
        const Parameter& parameter = step.signature.parameters[i];
        text += "\n *     " + parameter.name + ": " + std::string(name_of(parameter.kind)) + ", " +
                std::string(name_of(parameter.dtype));
        if (is_written(step, i)) text += ", written";
    }
    return text + "\n */\n";
}

/// The struct of a step's arguments, and the functions that take it.
std::string c_declaration(const Library& library, const LibraryStep& step) {
    std::string members;
    for (const Parameter& parameter : step.signature.parameters)
        members += "    " + c_type(parameter) + parameter.name + ";\n";
    if (step.result_count > 0)
        members += "    frisket_result* results[" + std::to_string(step.result_count) + "];\n";
    if (members.empty()) members = "    int no_arguments;\n";
    return fill("typedef struct @NAME@_@STEP@_args {\n"
                "@MEMBERS@"
                "} @NAME@_@STEP@_args;\n"
                "FRISKET_EXPORT int @NAME@_@STEP@_sized(const @NAME@_@STEP@_args* args, size_t size,\n"
                "                                       int abi_version);\n"
                "static inline int @NAME@_@STEP@(const @NAME@_@STEP@_args* args) {\n"
                "    return @NAME@_@STEP@_sized(args, sizeof *args, FRISKET_ABI_VERSION);\n"
                "}\n",
                {{"NAME", library.name}, {"STEP", step.name}, {"MEMBERS", members}});
}

}  // namespace

std::string c_definition(const Library& library, const LibraryStep& step) {
    const auto arguments =
        braced(step.signature.parameters, [](const Parameter& p) { return "own." + p.name; });
    const bool is_function = step.result_count > 0;
    return fill(
        "int @NAME@_@STEP@_sized(const @NAME@_@STEP@_args* args, size_t size, int abi_version) {\n"
        "    @NAME@_@STEP@_args own = {};\n"
        "    if (const int code = frisket::aot::take_struct(@STEP_NAME@, {args, size, abi_version}, &own,\n"
        "                                                   sizeof own))\n"
        "        return code;\n"
        "    static constinit frisket::aot::Callee<frisket::@TYPE@> callee{[]() -> const frisket::@TYPE@& {\n"
        "        return frisket::aot::@MAKE@(@NAME@::made::@STEP@);\n"
        "    }};\n"
        "    return frisket::aot::call_from_c(callee, @ARGUMENTS@@RESULTS@);\n"
        "}\n",
        {{"NAME", library.name},
         {"STEP", step.name},
         {"STEP_NAME", literal(step.signature.name)},
         {"TYPE", !step.wanted  ? "CompiledKernel"
                  : is_function ? "aot::PlannedValues"
                                : "aot::PlannedCall"},
         {"MAKE", !step.wanted  ? "c_kernel"
                  : is_function ? "c_function"
                                : "c_step"},
         {"ARGUMENTS", arguments},
         {"RESULTS", is_function ? ", own.results" : ""}});
}

namespace {

/// Functions for memory of devices, with which calls need no C++.
constexpr std::string_view device_functions_text =
    "/* Memory of a device that the library has kernels for, \"opencl\" for instance.  Its address is the "
    "`data` of\n"
    " * tensors, is not read by the processor, and ends with @NAME@_device_free. */\n"
    "FRISKET_EXPORT int @NAME@_device_malloc(const char* device, size_t bytes, void** memory);\n"
    "FRISKET_EXPORT int @NAME@_device_free(void* memory);\n"
    "/* Copies bytes between memory of devices and the processor's, or within a device; done when it "
    "returns. */\n"
    "FRISKET_EXPORT int @NAME@_device_copy(void* to, const void* from, size_t bytes);\n"
    "/* Waits for all calls that were begun on a device. */\n"
    "FRISKET_EXPORT int @NAME@_device_synchronize(const char* device);\n";

/// Items of JSON, each on a line of its own.
std::string json_list(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& item : items) all += (all.empty() ? "\n" : ",\n") + item;
    return "[" + all + "]";
}

std::string json_of(const LibraryStep& step) {
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < step.signature.parameters.size(); ++i) {
        const Parameter& parameter = step.signature.parameters[i];
        parameters.push_back(
            fill(R"(  {"name": "@NAME@", "kind": "@KIND@", "dtype": "@DTYPE@", "written": @WRITTEN@})",
                 {{"NAME", parameter.name},
                  {"KIND", std::string(name_of(parameter.kind))},
                  {"DTYPE", std::string(name_of(parameter.dtype))},
                  {"WRITTEN", is_written(step, i) ? "true" : "false"}}));
    }
    return fill(
        R"( {"name": "@STEP@", "layouts": "@LAYOUTS@", "results": @RESULTS@, "parameters": @PARAMETERS@})",
        {{"STEP", step.name},
         {"LAYOUTS", layout_list(step)},
         {"RESULTS", std::to_string(step.result_count)},
         {"PARAMETERS", json_list(parameters)}});
}

/// The names of codes of c_api.h from 0 to a last one, as JSON.
template <class Code>
std::string names_to(Code last) {
    std::string names;
    for (int code = 0; code <= static_cast<int>(last); ++code)
        names += (names.empty() ? "" : ", ") + literal(name_of(static_cast<Code>(code)));
    return "[" + names + "]";
}

/// A library's steps, their parameters, layouts and targets as JSON; names of layouts, dtypes and errors in
/// the order of their codes in c_api.h.
std::string description(const Library& library) {
    std::vector<std::string> steps, targets;
    for (const LibraryStep& step : library.steps) steps.push_back(json_of(step));
    for (const LibraryTarget& target : library.targets) targets.push_back(" " + literal(target.name));
    return fill(R"({"name": "@NAME@", "version": "@VERSION@",
 "errors": @ERRORS@,
 "dtypes": @DTYPES@,
 "masked_layouts": @LAYOUTS@,
 "targets": @TARGETS@, "steps": @STEPS@})",
                {{"NAME", library.name},
                 {"ERRORS", names_to(ErrorCode::bug)},
                 {"DTYPES", names_to(DType::bfloat16)},
                 {"LAYOUTS", names_to(Layout::two_four)},
                 {"VERSION", library.version},
                 {"TARGETS", json_list(targets)},
                 {"STEPS", json_list(steps)}});
}

}  // namespace

std::string c_header(const Library& library) {
    std::string declared;
    for (const LibraryStep& step : library.steps)
        declared += "\n" + c_comment(step) + c_declaration(library, step);
    return fill(
        "/* @MADE@ */\n"
        "#ifndef FRISKET_KERNELS_@NAME@_H\n"
        "#define FRISKET_KERNELS_@NAME@_H\n"
        "\n"
        "#include <frisket/c_api.h>\n"
        "\n"
        "#ifdef __cplusplus\n"
        "extern \"C\" {\n"
        "#endif\n"
        "\n"
        "/* Message of this thread's last call of this library that failed, as \"frisket: ...\"; \"\" if\n"
        " * none has.  Valid until the next failure on this thread. */\n"
        "FRISKET_EXPORT const char* @NAME@_last_error(void);\n"
        "/* A tensor of DLPack's, a DLTensor* in memory of the host, as one of ours. */\n"
        "FRISKET_EXPORT int @NAME@_from_dlpack(const void* dl_tensor, frisket_tensor* tensor);\n"
        "/* The library's steps, their parameters and layouts as JSON, for programs that load it by its "
        "path:\n"
        " * the members of NAME_STEP_args are the parameters in their order, then the results; names of "
        "errors,\n"
        " * dtypes and layouts of masked tensors are in the order of their codes. */\n"
        "FRISKET_EXPORT const char* @NAME@_describe(void);\n"
        "@DEVICES@"
        "@DECLARED@"
        "\n"
        "#ifdef __cplusplus\n"
        "}\n"
        "#endif\n"
        "\n"
        "#endif\n",
        {{"MADE", made_from(library)},
         {"NAME", library.name},
         {"DEVICES", library.has_devices() ? fill(device_functions_text, {{"NAME", library.name}}) : ""},
         {"DECLARED", declared}});
}

namespace {

constexpr std::string_view device_definitions_text =
    "\n"
    "int @NAME@_device_malloc(const char* device, size_t bytes, void** memory) {\n"
    "    return frisket::aot::device_malloc(device, bytes, memory);\n"
    "}\n"
    "int @NAME@_device_free(void* memory) { return frisket::aot::device_free(memory); }\n"
    "int @NAME@_device_copy(void* to, const void* from, size_t bytes) {\n"
    "    return frisket::aot::device_copy(to, from, bytes);\n"
    "}\n"
    "int @NAME@_device_synchronize(const char* device) {\n"
    "    return frisket::aot::device_synchronize(device);\n"
    "}\n";

}  // namespace

std::string library_source(const Library& library) {
    return fill("// @MADE@\n"
                "#include <frisket/aot_tables.hpp>\n"
                "\n"
                "#include \"@NAME@.h\"\n"
                "\n"
                "const char* @NAME@_last_error(void) { return frisket::aot::last_error_text(); }\n"
                "\n"
                "int @NAME@_from_dlpack(const void* dl_tensor, frisket_tensor* tensor) {\n"
                "    return frisket::aot::from_dlpack(dl_tensor, tensor);\n"
                "}\n"
                "\n"
                "const char* @NAME@_describe(void) { return R\"json(@DESCRIPTION@)json\"; }\n"
                "@DEVICE_FUNCTIONS@"
                "@DEVICES@"
                "@PROVIDER@",
                {{"MADE", made_from(library)},
                 {"NAME", library.name},
                 {"DESCRIPTION", description(library)},
                 {"DEVICE_FUNCTIONS",
                  library.has_devices() ? fill(device_definitions_text, {{"NAME", library.name}}) : ""},
                 {"DEVICES", devices_source(library)},
                 {"PROVIDER", provider_source(library)}});
}

}  // namespace frisket::aot
