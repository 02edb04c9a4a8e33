// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <HalideRuntime.h>

#include <fstream>
#include <string>

namespace frisket::codegen {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
    return "a processor without a name";
}

std::string frisket_version() { return FRISKET_VERSION; }

std::string halide_version() {
    return std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
           std::to_string(HALIDE_VERSION_PATCH);
}

std::string build_name() { return "frisket " + frisket_version() + ", Halide " + halide_version(); }

bool is_found_here(const TuningRecord& record) {
    return record.build == build_name() && record.machine.starts_with(processor_name() + ", ");
}

}  // namespace frisket::codegen
