// SPDX-License-Identifier: MIT
// Names the machine and the build to which tuning records belong.
#pragma once
#include <string>

#include "../../loops/schedule.hpp"
#include "record.hpp"

namespace frisket::codegen {

/// The name of this machine's processor, as reported by the system.
std::string processor_name();
/// The processor of this machine: its name, a comma, and the instruction set that Halide found.
std::string machine_name();
/// The machine of a record for a target: the processor, and the device if the target is one.  Empty for
/// devices whose name cannot be found.
std::string machine_name(const TargetRow& target);

/// "0.1.0": frisket's.
std::string frisket_version();
/// "21.0.0": Halide's.
std::string halide_version();
/// The sources of compiled loops: Halide's version and frisket's.
std::string build_name();
/// True if this build found a record on a processor of this machine's name.
bool is_found_here(const TuningRecord& record);

}  // namespace frisket::codegen
