// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frisket::codegen {

/// A device that a driver of the system knows.
struct DriverDevice {
    std::string name;
    std::uint64_t bytes = 0;   ///< its memory
    bool has_float64 = false;  ///< true if it computes in float64
};
/// The devices of the system's OpenCL loader; none if there is no loader.
std::vector<DriverDevice> opencl_devices();
/// The devices of the system's CUDA driver; none if there is no driver.
std::vector<DriverDevice> cuda_devices();

}  // namespace frisket::codegen
