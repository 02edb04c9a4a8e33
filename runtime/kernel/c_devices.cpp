// SPDX-License-Identifier: MIT
#include "../support/fork.hpp"
#include "../support/made_once.hpp"
#include "aot_module.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "../device/device_memory.hpp"
#include "../tensor/error.hpp"
#include "../tensor/tensor.hpp"

/// Memory of devices for programs in C.
namespace frisket::aot {

namespace {

/// Blocks that a program holds, by their addresses.
struct HeldBlocks {
    runtime::Mutex mutex;
    std::map<const void*, std::shared_ptr<void>> blocks;
};

HeldBlocks& held() {
    // Never destroyed: a program may end without giving them back.
    return runtime::made_once([] { return HeldBlocks(); });
}

Device device_named(const char* name, const char* function) {
    if (name == nullptr)
        throw ValueError(std::string(function) + ": the device's name is a null pointer: give it \"opencl\", "
                                                 "for instance");
    const Device device = frisket::device(name);
    if (device.is_cpu())
        throw ValueError(std::string(function) + ": cpu is no device with memory of its own: use malloc");
    return device;
}

/// A part of memory as a tensor of bytes.  Errors: ValueError if it reaches past memory of a device.
AnyTensor bytes_at(const void* address, std::int64_t bytes, const char* side) {
    const std::string begin = std::string("device_copy: ") + side;
    if (address == nullptr && bytes > 0) throw ValueError(begin + " is a null pointer");
    runtime::check_on_device(address, bytes, begin);
    return {DType::uint8, const_cast<void*>(address), {bytes}, {1}, true, {}};
}

}  // namespace

int device_malloc(const char* device, std::size_t bytes, void** memory) noexcept {
    return report_errors([&] {
        if (memory == nullptr) throw ValueError("device_malloc: the place for the address is a null pointer");
        const Device where = device_named(device, "device_malloc");
        if (bytes > static_cast<std::size_t>(runtime::most_block_bytes))
            throw ShapeError("device_malloc: " + std::to_string(bytes) + " bytes are more than a device has");
        void* address = nullptr;
        std::shared_ptr<void> block = runtime::device_block(where, static_cast<std::int64_t>(bytes),
                                                            "device_malloc: the memory", address);
        const std::scoped_lock lock(held().mutex);
        held().blocks.emplace(address, std::move(block));
        *memory = address;
    });
}

int device_free(void* memory) noexcept {
    return report_errors([&] {
        if (memory == nullptr) return;
        std::shared_ptr<void> block;  // given back outside of the lock
        const std::scoped_lock lock(held().mutex);
        const auto known = held().blocks.find(memory);
        if (known == held().blocks.end())
            throw ValueError(
                "device_free: this is no address that device_malloc gave, or it was freed before");
        block = std::move(known->second);
        held().blocks.erase(known);
    });
}

int device_copy(void* to, const void* from, std::size_t bytes) noexcept {
    return report_errors([&] {
        if (bytes > static_cast<std::size_t>(runtime::most_block_bytes))
            throw ShapeError("device_copy: " + std::to_string(bytes) + " bytes are more than a device has");
        const auto count = static_cast<std::int64_t>(bytes);
        const AnyTensor source = bytes_at(from, count, "the source"),
                        target = bytes_at(to, count, "the target");
        if (count > 0) copy(source, target);
        for (const AnyTensor& side : {source, target})
            if (count > 0 && !side.device().is_cpu()) synchronize(side.device());
    });
}

int device_synchronize(const char* device) noexcept {
    return report_errors([&] { synchronize(device_named(device, "device_synchronize")); });
}

}  // namespace frisket::aot
