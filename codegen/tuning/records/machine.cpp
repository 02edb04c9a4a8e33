// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "machine.hpp"

#include "../../../runtime/support/fork.hpp"
#include "driver_devices.hpp"

namespace frisket::codegen {

std::string machine_name() {
    const runtime::NoFork whole;
    return processor_name() + ", " + Halide::get_host_target().to_string();
}

std::string machine_name(const TargetRow& target) {
    if (!target.gpu) return machine_name();
    std::string names;
    if (target.name == "opencl")
        for (const DriverDevice& device : opencl_devices()) names += ", " + device.name;
    if (target.name == "cuda")
        for (const DriverDevice& device : cuda_devices()) names += ", " + device.name;
    return names.empty() ? "" : machine_name() + names;
}

}  // namespace frisket::codegen
