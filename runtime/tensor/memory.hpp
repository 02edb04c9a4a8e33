// SPDX-License-Identifier: MIT
// Names devices, bounds the memory of their tensors, and controls the pool of results.
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
    Rounding rounding = Rounding::apart;  ///< its compiler's rounding
    int dlpack = 0;                       ///< type of its memory in DLPack
    /// The driver's memory behind a handle of Halide's runtime; null if it cannot be lent.
    runtime::NativeMemory (*native)(std::uint64_t handle) = nullptr;
    /// The devices that its driver knows, none without a driver; null if drivers are not asked.
    std::vector<runtime::DriverDevice> (*devices)() = nullptr;
};

/// THE table of targets.
std::span<const TargetRow> known_targets();

/// The processor, or a device with its own memory: tensors live and loops run there.
class Device {
public:
    /// The processor.
    constexpr Device() noexcept = default;
    /// The name of its target, "cpu" or "opencl".
    std::string_view name() const noexcept;
    /// True for the processor.
    constexpr bool is_cpu() const noexcept { return number_ == 0; }
    constexpr bool operator==(const Device&) const noexcept = default;
    /// Internal: its number in the process; the processor is 0.
    constexpr int number() const noexcept { return number_; }
    /// Internal: the device of a number.
    static constexpr Device numbered(int number) noexcept {
        Device device;
        device.number_ = static_cast<std::uint8_t>(number);
        return device;
    }

private:
    std::uint8_t number_ = 0;
};

/// The device of a target, "cpu", "opencl", "cuda" or "vulkan"; "auto": the best that is there, which may be
/// the processor.
/// Errors: TargetError if the name is unknown, the machine has no such device, or the program has no loops
/// for devices (it is not linked with the compiler).
Device device(std::string_view name);

/// Waits until everything that was begun on a device is done.
/// Errors: TargetError if the device reports a failure.
void synchronize(const Device& device);

/// Work and memory of a device since the process began.  For the processor, all are 0.
struct DeviceUse {
    std::int64_t bytes_in_use = 0;      ///< bytes that tensors hold
    std::int64_t bytes_kept = 0;        ///< bytes that no tensor holds, for the next tensors
    std::int64_t bytes_uploaded = 0;    ///< bytes that were copied to the device
    std::int64_t bytes_downloaded = 0;  ///< bytes that were copied from it
    std::int64_t launches = 0;          ///< kernels that were started
};
/// The present use of a device.
/// Threads: this function and those below may be called at any time from any thread.
DeviceUse device_use(const Device& device);

/// Limits the bytes of a device that tensors hold, including memory retained for the next tensors; no limit
/// unless it is set.  A tensor that goes past it is refused with a ShapeError.
/// Errors: ValueError if it is negative or the device is the processor.
void set_device_limit(const Device& device, std::int64_t bytes);

/// Gives all memory of a device that no tensor holds back to it.
void trim_device(const Device& device);

/// Memory of large results on the processor, which is retained for the next results when the last handle to
/// it goes: new memory costs a page fault every 4,096 bytes, more than most loops that fill it.
struct ResultPoolUse {
    std::int64_t limit = 0;          ///< limit of retained bytes
    std::int64_t bytes_kept = 0;     ///< bytes that no tensor holds
    std::int64_t bytes_in_use = 0;   ///< bytes that tensors hold
    std::int64_t blocks_made = 0;    ///< blocks that came from the system
    std::int64_t blocks_reused = 0;  ///< blocks that had been retained
};

/// The present use of the pool.
/// Threads: this function and those below may be called at any time from any thread.
ResultPoolUse result_pool_use();

/// Keeps at most the given number of bytes that no tensor holds, and frees the excess at once; 0 keeps
/// nothing.  The limit is the smaller of 1 GB and a quarter of the machine's memory unless it is set.
/// Errors: ValueError if it is negative.
void set_result_pool_limit(std::int64_t bytes);

/// Gives all memory that no tensor holds back to the system.
void trim_result_pool();

namespace detail {
/// True for addresses of device memory, which name it and lead nowhere on the processor.
inline bool is_device_address(const void* address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address) >> 62U == 1;
}
}  // namespace detail

}  // namespace frisket
