// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace frisket::codegen {

/// Names of the devices that the system's OpenCL loader knows; none if there is no loader.
std::vector<std::string> opencl_devices();

}  // namespace frisket::codegen
