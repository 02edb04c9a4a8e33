// SPDX-License-Identifier: MIT
#include "opencl_devices.hpp"

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

std::vector<OpenclDevice> opencl_devices() {
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);  // never unloaded: drivers have threads
    if (library == nullptr) return {};
    const auto get_platforms = function<GetPlatforms>(library, "clGetPlatformIDs");
    const auto get_devices = function<GetDevices>(library, "clGetDeviceIDs");
    const auto get_info = function<GetDeviceInfo>(library, "clGetDeviceInfo");
    if (get_platforms == nullptr || get_devices == nullptr || get_info == nullptr) return {};
    std::array<void*, most> platforms{}, devices{};
    std::uint32_t platform_count = 0, device_count = 0;
    if (get_platforms(most, platforms.data(), &platform_count) != 0) return {};
    std::vector<OpenclDevice> found;
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

}  // namespace frisket::codegen
