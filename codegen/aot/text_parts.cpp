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
    return "Made by frisket_add_kernels from " + library.header + ".";
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

std::string devices_source(const Library& library) {
    if (!library.has_devices()) return "";
    std::string functions, kernels;
    const auto function_of = [&](std::size_t target) {
        return "halide_" + library.targets[target].name + "_device_interface";
    };
    const std::vector<std::size_t> devices = devices_of(library);
    const auto kernels_of = [](std::size_t target) { return "kernels_" + std::to_string(target); };
    for (const std::size_t target : devices) {
        for (const LibraryDeviceKernel& kernel : library.targets[target].kernels)
            functions += "extern \"C\" int " + kernel.function + "_argv(const void** argv);\n";
        kernels += "const frisket::aot::LinkedDeviceKernel " + kernels_of(target) + "[] = " +
                   braced(library.targets[target].kernels,
                          [](const LibraryDeviceKernel& kernel) {
                              return "{" + literal(kernel.name) + ", " + cpp_name(kernel.dtype) + ", " +
                                     kernel.function + "_argv}";
                          }) +
                   ";\n";
        functions += "extern \"C\" const halide_device_interface_t* " + function_of(target) + "();\n";
    }
    const std::string rows = braced(devices, [&](std::size_t target) {
        const LibraryTarget& device = library.targets[target];
        return "{" + literal(device.name) + ", " + literal(device.driver) + ", " + function_of(target) +
               ", " + kernels_of(target) + "}";
    });
    return fill("\n@FUNCTIONS@\n"
                "namespace @NAME@::made {\n"
                "\n"
                "@DECLARED@"
                "@KERNELS@"
                "const frisket::aot::LinkedDevice devices[] = @ROWS@;\n"
                "\n"
                "namespace {\n"
                "[[maybe_unused]] const bool has_devices = frisket::aot::add_devices(devices);\n"
                "}  // namespace\n"
                "\n"
                "}  // namespace @NAME@::made\n",
                {{"FUNCTIONS", functions},
                 {"NAME", library.name},
                 {"DECLARED", devices_declared(library)},
                 {"KERNELS", kernels},
                 {"ROWS", rows}});
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

std::string class_text(const WorkloadClass& call) {
    std::string numbers;
    for (const int number : {call.elements, call.row_length, call.density, call.lines})
        numbers += ", " + std::to_string(number);
    return "{" + cpp_name(call.layout) + numbers + "}";
}

}  // namespace frisket::aot
