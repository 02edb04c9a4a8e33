// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frisket::codegen {

/// A device that the system's OpenCL loader knows.
struct OpenclDevice {
    std::string name;
    std::uint64_t bytes = 0;   ///< its memory
    bool has_float64 = false;  ///< true if it computes in float64
};
/// The devices of the system's OpenCL loader; none if there is no loader.
std::vector<OpenclDevice> opencl_devices();

}  // namespace frisket::codegen
