// SPDX-License-Identifier: MIT
// Allocates and copies memory of devices.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../tensor/dtype.hpp"
#include "../tensor/memory.hpp"

struct halide_device_interface_t;

/// Memory of devices, by the functions of a Halide runtime.
///
/// A block of device memory has an address that is unique in the process and that the processor cannot read:
/// a tag, the number of the block, and an offset in it.  So tensors of a device are sliced, compared and
/// checked for overlap as all tensors are.
namespace frisket::runtime {

/// Memory as a driver has it: a cl_mem of OpenCL, a device pointer of CUDA.
struct NativeMemory {
    std::uint64_t handle = 0;
    std::int64_t offset = 0;  ///< in bytes
};

enum class DeviceKernel : std::uint8_t;  // device_kernels.hpp

/// A device as a Halide runtime drives it.
struct DeviceDriver {
    std::string_view name;                       ///< name of its target
    const halide_device_interface_t& functions;  ///< of the runtime, for this device
    /// Calls `body` with the context that these functions take; returns its status.  `message`: receives the
    /// runtime's text on a failure.
    std::function<int(const std::function<int(void* context)>& body, std::string& message)> call;
    /// Starts a kernel of lists, for elements of this dtype, with the arguments of loops; returns its status.
    /// Errors: TargetError if the driver has none.
    std::function<int(DeviceKernel kernel, DType dtype, std::span<const void*> argv, std::string& message)>
        run;
};

/// The driver for a target, which lives until the process ends.
/// Errors: TargetError if the machine has no such device.
using OpenDevice = DeviceDriver& (*)(std::string_view target);
/// Origins of devices: a compiler just in time, or kernels that were compiled ahead of time.
enum class Opener : std::uint8_t { compiler, linked };
/// Says how devices are opened from now on; a compiler's stays.  Threads: any.
void set_device_opener(OpenDevice open, Opener origin) noexcept;
/// The rows of devices, the best first.
std::vector<const TargetRow*> ranked_devices();
/// The device of a driver, which must live as long as the process.
/// Errors: TargetError if there are too many.
Device device_with(DeviceDriver& driver);
/// The driver of a device that is not the processor.
DeviceDriver& driver_of(const Device& device) noexcept;

/// Bytes that a block has at most: the range of offsets in an address.
inline constexpr std::int64_t most_block_bytes = std::int64_t{1} << 40;

/// A block of device memory.
struct DeviceBlock {
    Device device;
    DeviceDriver* driver = nullptr;
    std::uint64_t handle = 0;  ///< as the runtime's buffers have it
    std::int64_t bytes = 0;
    std::size_t slot = 0;                ///< its number in the process
    std::atomic<bool> is_in_use = true;  ///< false: it is retained for the next tensor
};

/// New memory of a device, a multiple of 64 elements of any dtype long, and its address; its bytes hold
/// anything.
/// Errors: ShapeError with `what` if memory runs out, or less than this is left of the limit.
std::shared_ptr<void> device_block(const Device& device, std::int64_t bytes, const std::string& what,
                                   void*& address);

/// A block over the given number of bytes of the user's memory, which `owner` keeps, and its address.  Work
/// that was begun on the device is done before the owner is released.
/// Errors: TargetError if the device's driver does not take it.
std::shared_ptr<void> wrapped_block(const Device& device, std::uint64_t handle, std::int64_t bytes,
                                    std::shared_ptr<void> owner, void*& address);
/// The driver's memory at an address of a device, once all is done that was begun there.
/// Errors: TargetError, also if memory of the device cannot be lent.
NativeMemory native_memory(const void* address);

/// A block and an offset in device memory.
struct DevicePlace {
    const DeviceBlock* block;
    std::int64_t offset;  ///< in bytes
};
/// The place of an address, which must be one of a block that is held.
DevicePlace device_place(const void* address) noexcept;
/// Refuses memory of a device that nobody holds, or that reaches past its block; addresses of the processor
/// pass.  Errors: ValueError with `what`.
void check_on_device(const void* address, std::int64_t bytes, const std::string& what);
/// The device of an address; any other address is the processor's.
Device device_of(const void* address) noexcept;

/// Copies bytes of the processor to a device, or back, and counts them.  Errors: TargetError.
void upload(const void* from, void* to, std::int64_t bytes);
void download(const void* from, void* to, std::int64_t bytes);

/// Elements of device memory: their first, and the distances between them, outermost dimension first.
struct DeviceElements {
    void* first;
    std::span<const std::int64_t> strides;
};
/// Copies elements within a device.  Errors: TargetError.
void copy_on_device(const DeviceElements& from, const DeviceElements& to, std::span<const std::int64_t> shape,
                    DType dtype);

/// A bool of a device.  Lives as long as the process.
const void* bool_on(const Device& device, bool value);

/// Waits for all that was begun on the device of an address.  Errors: TargetError.
void wait_for_device(const void* address);

/// Waits for kernels that were started for the first time, which drivers may compile on threads of their own;
/// such a thread crashes if the process ends meanwhile.  From then on the end of the process waits, too.
void wait_for_new_kernels(const Device& device) noexcept;
/// Counts kernels that were started, and bytes that were copied.
void count_launches(const Device& device, std::int64_t launches) noexcept;
void count_copies(const Device& device, std::int64_t uploaded, std::int64_t downloaded) noexcept;

}  // namespace frisket::runtime
