// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace frisket::aot {

std::string literal(std::string_view text) { return '"' + std::string(text) + '"'; }

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

std::string text_of(bool value) { return value ? "true" : "false"; }

std::string Constants::add(std::string_view type, const std::string& name,
                           const std::vector<std::string>& rows) {
    if (rows.empty()) return "{}";
    text_ += "constexpr " + std::string(type) + " " + name + "[] = {\n";
    for (const std::string& row : rows) text_ += "    " + row + ",\n";
    text_ += "};\n";
    return name;
}

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

std::string made_from(const Library& library) {
    return std::string("Made by ") + (library.header.ends_with(".py") ? "fk.build" : "frisket_add_kernels") +
           " from " + library.header + ".";
}

std::vector<std::size_t> best_first(const Library& library) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < library.targets.size(); ++i)
        if (!library.targets[i].is_device()) order.push_back(i);
    auto rank = [&](std::size_t i) {
        int features = 0;
        for (const std::uint64_t bits : library.targets[i].features) features += std::popcount(bits);
        return std::pair(library.targets[i].vector_bytes, features);
    };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
    return order;
}

std::vector<std::size_t> devices_of(const Library& library) {
    std::vector<std::size_t> devices;
    for (std::size_t i = 0; i < library.targets.size(); ++i)
        if (library.targets[i].is_device()) devices.push_back(i);
    return devices;
}

std::string devices_declared(const Library& library) {
    if (!library.has_devices()) return "";
    return "extern const frisket::aot::LinkedDevice devices[" + std::to_string(devices_of(library).size()) +
           "];\n";
}

namespace {

/// The table of a device, and the functions that it refers to.
std::string device_row(Constants& constants, const LibraryTarget& device, std::size_t target,
                       std::string& functions) {
    const std::string drives = "halide_" + device.name + "_device_interface";
    for (const LibraryDeviceKernel& kernel : device.kernels)
        functions += "int " + kernel.function + "_argv(const void** argv);\n";
    functions += "const halide_device_interface_t* " + drives + "(void);\n";
    const std::string kernels =
        constants.add("frisket::aot::LinkedDeviceKernel", "kernels_" + std::to_string(target), device.kernels,
                      [](const LibraryDeviceKernel& kernel) {
                          return "{" + literal(kernel.name) + ", " + literal(name_of(kernel.dtype)) + ", " +
                                 kernel.function + "_argv}";
                      });
    return "{" + literal(device.name) + ", " + literal(device.driver) + ", " + drives + ", " + kernels + "}";
}

}  // namespace

std::string devices_source(const Library& library) {
    if (!library.has_devices()) return "";
    Constants constants;
    std::string functions;
    const std::string rows = braced(devices_of(library), [&](std::size_t target) {
        return device_row(constants, library.targets[target], target, functions);
    });
    return fill("\n"
                "extern \"C\" {\n"
                "@FUNCTIONS@"
                "}\n"
                "\n"
                "namespace @NAME@::made {\n"
                "\n"
                "@KERNELS@"
                "@DECLARED@"
                "const frisket::aot::LinkedDevice devices[] = @ROWS@;\n"
                "\n"
                "namespace {\n"
                "[[maybe_unused]] const bool has_devices = frisket::aot::add_devices(devices);\n"
                "}  // namespace\n"
                "\n"
                "}  // namespace @NAME@::made\n",
                {{"FUNCTIONS", functions},
                 {"NAME", library.name},
                 {"KERNELS", constants.text()},
                 {"DECLARED", devices_declared(library)},
                 {"ROWS", rows}});
}

std::string features_text(Constants& constants, const LibraryTarget& target, const std::string& name) {
    return constants.add("std::uint64_t", name, target.features,
                         [](std::uint64_t bits) { return std::to_string(bits) + "u"; });
}

std::string signature_table(Constants& constants, const Signature& signature) {
    const auto number = [](int i) { return std::to_string(i); };
    int count = 0;
    const std::string parameters = constants.add(
        "frisket::aot::ParameterRow", "parameters", signature.parameters, [](const Parameter& p) {
            return "{" + literal(p.name) + ", " + literal(name_of(p.kind)) + ", " +
                   literal(name_of(p.dtype)) + "}";
        });
    std::vector<std::string> updates;
    for (const UpdateRule& update : signature.updates)
        updates.push_back("{" + number(update.target) + ", " +
                          constants.add("int", "operands_" + number(count++), update.operands, number) + "}");
    const std::string update_rows = constants.add("frisket::aot::UpdateRow", "updates", updates);
    const std::string masks = constants.add(
        "frisket::aot::EqualMasksRow", "equal_masks", signature.equal_masks,
        [&](const std::array<int, 2>& pair) { return "{" + number(pair[0]) + ", " + number(pair[1]) + "}"; });
    const std::string outputs = constants.add("int", "outputs", signature.outputs, number);
    return "{" + literal(signature.name) + ", " + parameters + ", " + update_rows + ", " + masks + ", " +
           number(signature.domain) + ", " + outputs + ", " + text_of(signature.has_shapes) + ", " +
           text_of(signature.needs_positions) + "}";
}

std::string description_of(Constants& constants, const LibraryStep& step) {
    if (step.recordings.empty()) return "{&described::" + step.name + "}";
    const std::string recordings =
        constants.add("const char*", "recordings", step.recordings,
                      [](const std::string& text) { return "R\"text(" + text + ")text\""; });
    return "{nullptr, " + recordings + ", &frisket::aot::recorded_steps}";
}

std::string declared_step(const Library& library, const LibraryStep& step) {
    if (!step.recordings.empty()) return "";
    return fill("\nnamespace @NAME@::described {\n"
                "extern const frisket::aot::NamedStep @STEP@;\n"
                "}  // namespace @NAME@::described\n",
                {{"NAME", library.name}, {"STEP", step.name}});
}

std::string source_of(const Library& library, const LibraryStep& step, const Constants& constants,
                      const SourceParts& parts) {
    return fill("// @MADE@\n"
                "#include <frisket/aot_tables.hpp>\n"
                "\n"
                "#include \"@NAME@.h\"\n"
                "\n"
                "extern \"C\" {\n"
                "@FUNCTIONS@"
                "}\n"
                "@STEPS@"
                "\n"
                "namespace @NAME@::made {\n"
                "\n"
                "@DEVICES@"
                "\n"
                "namespace @STEP@_rows {\n"
                "@CONSTANTS@"
                "constexpr frisket::aot::@TYPE@ table@TABLE@;\n"
                "}  // namespace @STEP@_rows\n"
                "\n"
                "extern const frisket::aot::@TYPE@ @STEP@ = @STEP@_rows::table;\n"
                "\n"
                "}  // namespace @NAME@::made\n"
                "@C_FUNCTION@",
                {{"MADE", made_from(library)},
                 {"NAME", library.name},
                 {"FUNCTIONS", parts.functions},
                 {"STEPS", parts.steps},
                 {"DEVICES", devices_declared(library)},
                 {"STEP", step.name},
                 {"CONSTANTS", constants.text()},
                 {"TYPE", std::string(parts.type)},
                 {"TABLE", parts.table},
                 {"C_FUNCTION", parts.c_function}});
}

std::string class_text(const WorkloadClass& call) {
    std::string numbers;
    for (const int number : {call.elements, call.row_length, call.density, call.lines})
        numbers += ", " + std::to_string(number);
    return "{" + literal(name_of(call.layout)) + numbers + "}";
}

}  // namespace frisket::aot
