// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "machine.hpp"

#include "../../../runtime/support/fork.hpp"

namespace frisket::codegen {

std::string machine_name() {
    const runtime::NoFork whole;
    return processor_name() + ", " + Halide::get_host_target().to_string();
}

std::string machine_name(const TargetRow& target) {
    if (!target.gpu) return machine_name();
    std::string names;
    if (target.devices != nullptr)
        for (const runtime::DriverDevice& device : target.devices()) names += ", " + device.name;
    return names.empty() ? "" : machine_name() + names;
}

}  // namespace frisket::codegen
