// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "machine.hpp"

#include <fstream>

#include "driver_devices.hpp"

namespace frisket::codegen {

namespace {

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
    return "a processor without a name";
}

}  // namespace

std::string machine_name() { return processor() + ", " + Halide::get_host_target().to_string(); }

std::string machine_name(const TargetRow& target) {
    if (!target.gpu) return machine_name();
    std::string names;
    if (target.name == "opencl")
        for (const DriverDevice& device : opencl_devices()) names += ", " + device.name;
    if (target.name == "cuda")
        for (const DriverDevice& device : cuda_devices()) names += ", " + device.name;
    return names.empty() ? "" : machine_name() + names;
}

std::string frisket_version() { return FRISKET_VERSION; }

std::string halide_version() {
    return std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
           std::to_string(HALIDE_VERSION_PATCH);
}

std::string build_name() { return "frisket " + frisket_version() + ", Halide " + halide_version(); }

}  // namespace frisket::codegen
