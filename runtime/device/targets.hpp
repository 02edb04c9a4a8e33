// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frisket {

namespace runtime {

struct NativeMemory;  // device_memory.hpp

/// A device that a driver of the system knows.
struct DriverDevice {
    std::string name;
    std::uint64_t bytes = 0;   ///< its memory
    bool has_float64 = false;  ///< true if it computes in float64
};

}  // namespace runtime

/// A row of the table of targets.
struct TargetRow {
    /// Roundings of products and sums by the compiler of a device.
    enum class Rounding : std::uint8_t {
        apart,  ///< one of each: it has no fused multiply-add
        fma,    ///< its function fma rounds once
        nvvm,   ///< once for both, unless a function of NVVM names the rounding of each
    };

    std::string_view name;    ///< frisket's
    std::string_view halide;  ///< Halide's target string
    bool gpu;                 ///< true if loops run as kernels of a device
    // Fields of devices.
    std::string_view title = {};          ///< name of the interface of its driver, in messages
    const char* driver = nullptr;         ///< the shared library that it needs
    std::string_view to_install = {};     ///< advice of `frisket doctor` where it is absent
    bool is_linkable = true;              ///< kernels for it can be compiled ahead of time
    int rank = 0;                         ///< its rank for device("auto"); 1 is the best
    Rounding rounding = Rounding::apart;  ///< that of its compiler
    int dlpack = 0;                       ///< type of its memory in DLPack
    /// The driver's memory behind a handle of Halide's runtime; null if it cannot be lent.
    runtime::NativeMemory (*native)(std::uint64_t handle) = nullptr;
    /// The devices that its driver knows, none if there is no driver; null if drivers are not asked.
    std::vector<runtime::DriverDevice> (*devices)() = nullptr;
};

/// THE table of targets.
std::span<const TargetRow> known_targets();

namespace runtime {

/// The rows of devices, the best first.
std::vector<const TargetRow*> ranked_devices();

}  // namespace runtime

}  // namespace frisket
