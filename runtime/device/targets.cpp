// SPDX-License-Identifier: MIT
#include "device_memory.hpp"

#include <dlfcn.h>
#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>

namespace frisket {

using namespace runtime;

namespace {

// The few functions of the OpenCL loader that this needs, as the specification of OpenCL 1.2 declares them.
using GetPlatforms = std::int32_t (*)(std::uint32_t room, void** platforms, std::uint32_t* count);
using GetDevices = std::int32_t (*)(void* platform, std::uint64_t type, std::uint32_t room, void** devices,
                                    std::uint32_t* count);
using GetDeviceInfo = std::int32_t (*)(void* device, std::uint32_t what, std::size_t room, void* value,
                                       std::size_t* size);
constexpr std::uint64_t all_types = 0xffffffff;
constexpr std::uint32_t device_name = 0x102B, device_memory = 0x101F, device_float64 = 0x1032;
constexpr std::uint32_t most = 16;

// Functions of the CUDA driver, as its documentation declares them; 0 is success.
using CudaInitialize = int (*)(unsigned flags);
using CudaGetCount = int (*)(int* count);
using CudaGetDevice = int (*)(int* device, int ordinal);
using CudaGetName = int (*)(char* name, int room, int device);
using CudaGetMemory = int (*)(std::size_t* bytes, int device);

template <class Function>
Function function(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

/// A number that describes a device; 0 if the device reports none.
std::uint64_t number(GetDeviceInfo get_info, void* device, std::uint32_t what) {
    std::uint64_t value = 0;
    return get_info(device, what, sizeof value, &value, nullptr) == 0 ? value : 0;
}

std::vector<DriverDevice> opencl_devices() {
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);  // never unloaded: drivers have threads
    if (library == nullptr) return {};
    const auto get_platforms = function<GetPlatforms>(library, "clGetPlatformIDs");
    const auto get_devices = function<GetDevices>(library, "clGetDeviceIDs");
    const auto get_info = function<GetDeviceInfo>(library, "clGetDeviceInfo");
    if (get_platforms == nullptr || get_devices == nullptr || get_info == nullptr) return {};
    std::array<void*, most> platforms{}, devices{};
    std::uint32_t platform_count = 0, device_count = 0;
    if (get_platforms(most, platforms.data(), &platform_count) != 0) return {};
    std::vector<DriverDevice> found;
    for (std::uint32_t p = 0; p < std::min(platform_count, most); ++p) {
        if (get_devices(platforms[p], all_types, most, devices.data(), &device_count) != 0) continue;
        for (std::uint32_t d = 0; d < std::min(device_count, most); ++d) {
            std::array<char, 256> name{};
            if (get_info(devices[d], device_name, name.size() - 1, name.data(), nullptr) == 0)
                found.push_back({name.data(), number(get_info, devices[d], device_memory),
                                 number(get_info, devices[d], device_float64) != 0});
        }
    }
    return found;
}

std::vector<DriverDevice> cuda_devices() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);  // never unloaded, as above
    if (library == nullptr) return {};
    const auto initialize = function<CudaInitialize>(library, "cuInit");
    const auto get_count = function<CudaGetCount>(library, "cuDeviceGetCount");
    const auto get_device = function<CudaGetDevice>(library, "cuDeviceGet");
    const auto get_name = function<CudaGetName>(library, "cuDeviceGetName");
    const auto get_memory = function<CudaGetMemory>(library, "cuDeviceTotalMem_v2");
    if (initialize == nullptr || get_count == nullptr || get_device == nullptr || get_name == nullptr ||
        get_memory == nullptr)
        return {};
    int count = 0;
    if (initialize(0) != 0 || get_count(&count) != 0) return {};
    std::vector<DriverDevice> found;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        int device = 0;
        std::array<char, 256> name{};
        std::size_t bytes = 0;
        if (get_device(&device, ordinal) == 0 && get_memory(&bytes, device) == 0 &&
            get_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0)
            found.push_back({name.data(), bytes, true});
    }
    return found;
}

/// Memory as Halide's runtime for OpenCL keeps it of a buffer.
NativeMemory opencl_memory(std::uint64_t handle) {
    struct OpenClBuffer { std::uint64_t offset, memory; };
    const auto& buffer = *reinterpret_cast<const OpenClBuffer*>(handle);
    return {buffer.memory, static_cast<std::int64_t>(buffer.offset)};
}

NativeMemory cuda_memory(std::uint64_t handle) { return {handle, 0}; }

using enum TargetRow::Rounding;

constexpr TargetRow target_table[] = {
    {.name = "cpu", .halide = "host", .gpu = false},
    // Halide rounds huge numbers wrongly below SSE4.1.
    {.name = "x86-64", .halide = "x86-64-linux-sse41", .gpu = false},
    {.name = "x86-64-avx2", .halide = "x86-64-linux-avx-avx2-f16c-fma-sse41", .gpu = false},
    {.name = "x86-64-avx512",
     .halide = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41",
     .gpu = false},
    {.name = "arm-64", .halide = "arm-64-linux", .gpu = false},
    {.name = "opencl",
     .halide = "host-opencl-cl_doubles",
     .gpu = true,
     .title = "OpenCL",
     .driver = "libOpenCL.so.1",
     .to_install = "the driver of an OpenCL device and the loader; for processors, on Debian: apt-get "
                   "install pocl-opencl-icd ocl-icd-libopencl1",
     .rank = 2,
     .rounding = fma,
     .dlpack = kDLOpenCL,
     .native = opencl_memory,
     .devices = opencl_devices},
    // Halide 21 knows capabilities up to 86; code for 80 runs on all later devices.
    {.name = "cuda",
     .halide = "host-cuda-cuda_capability_80",
     .gpu = true,
     .title = "CUDA",
     .driver = "libcuda.so.1",
     .to_install = "the driver of an NVIDIA device",
     .rank = 1,
     .rounding = nvvm,
     .dlpack = kDLCUDA,
     .native = cuda_memory,
     .devices = cuda_devices},
    {.name = "vulkan",
     .halide = "host-vulkan-vk_int8-vk_int64-vk_float64-vk_v13",
     .gpu = true,
     .title = "Vulkan",
     .driver = "libvulkan.so.1",
     .to_install = "the driver of a Vulkan device and the loader; on Debian: apt-get install libvulkan1 "
                   "mesa-vulkan-drivers",
     .is_linkable = false,
     .rank = 3,
     .dlpack = kDLVulkan},
};

}  // namespace

std::span<const TargetRow> known_targets() { return target_table; }

std::vector<const TargetRow*> runtime::ranked_devices() {
    std::vector<const TargetRow*> found;
    for (const TargetRow& row : target_table)
        if (row.gpu) found.push_back(&row);
    std::ranges::sort(found, {}, &TargetRow::rank);
    return found;
}

}  // namespace frisket
