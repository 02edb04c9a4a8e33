// SPDX-License-Identifier: MIT
#include "driver_devices.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace frisket::codegen {

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

/// A number that describes a device; 0 if it says none.
std::uint64_t number(GetDeviceInfo get_info, void* device, std::uint32_t what) {
    std::uint64_t value = 0;
    return get_info(device, what, sizeof value, &value, nullptr) == 0 ? value : 0;
}

}  // namespace

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

}  // namespace frisket::codegen
