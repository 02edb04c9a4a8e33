// SPDX-License-Identifier: MIT
#include "device_memory.hpp"

#include <HalideRuntime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <vector>

#include "../support/fork.hpp"
#include "../tensor/error.hpp"

namespace frisket {

using namespace runtime;

namespace {

constexpr int place_bits = std::countr_zero(static_cast<std::uint64_t>(most_block_bytes)), slot_bits = 16;
constexpr std::uintptr_t tag = std::uintptr_t{1} << 62U;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
/// Bytes that are retained for the next tensors, at most.
constexpr std::int64_t most_kept = std::int64_t{1} << 30;

constexpr std::size_t most_devices = 8;

/// Blocks by their numbers.
std::array<std::atomic<const DeviceBlock*>, std::size_t{1} << slot_bits> slots;

/// Size of the block for the given number of bytes: powers of two and those times 1.5, from 512 on, which is
/// 64 elements of the widest dtype.
std::int64_t block_size(std::int64_t bytes) {
    std::int64_t size = 512;
    while (size < bytes && size + size / 2 < bytes) size *= 2;
    return size < bytes ? size + size / 2 : size;
}

/// Sizes of blocks past which they are as large as their contents, rounded up to 64 elements.
constexpr std::int64_t most_rounded = std::int64_t{1} << 26;

std::int64_t padded(std::int64_t bytes) {
    return bytes < most_rounded ? block_size(bytes) : (bytes + 511) / 512 * 512;
}

/// An opened device.
class OpenedDevice {
public:
    OpenedDevice(Device device, DeviceDriver& driver) : device_(device), driver_(driver) {}

    DeviceDriver& driver() const { return driver_; }

    /// A retained block, or a new one; null if memory runs out.
    DeviceBlock* take(std::int64_t bytes) {
        const std::scoped_lock lock(mutex_);
        DeviceBlock* block = reuse(bytes);
        if (block == nullptr && use_.bytes_in_use + use_.bytes_kept + bytes > limit_) drop(unlimited);
        if (block == nullptr && use_.bytes_in_use + bytes <= limit_) block = make(bytes);
        if (block == nullptr) return nullptr;
        use_.bytes_in_use += block->bytes;
        block->is_in_use = true;
        return block;
    }
    /// A block over memory of the user's.
    DeviceBlock* wrap(std::uint64_t handle, std::int64_t bytes) {
        const std::scoped_lock lock(mutex_);
        halide_buffer_t buffer{};
        std::string message;
        const int status = driver_.call(
            [&](void* context) {
                return driver_.functions.wrap_native(context, &buffer, handle, &driver_.functions);
            },
            message);
        if (status != 0)
            throw TargetError("device " + std::string(driver_.name) +
                              ": it does not take memory of the caller's: " + message);
        DeviceBlock* const block = held(buffer.device, bytes);
        if (block == nullptr) throw ShapeError("device: a process has 65536 blocks of device memory at most");
        return block;
    }
    void unwrap(DeviceBlock* block) noexcept {
        const std::scoped_lock lock(mutex_);
        forget(block, [this](void* context, halide_buffer_t& buffer) {
            return driver_.functions.detach_native(context, &buffer);
        });
    }
    void give(DeviceBlock* block) noexcept {
        const std::scoped_lock lock(mutex_);
        use_.bytes_in_use -= block->bytes;
        block->is_in_use = false;
        use_.bytes_kept += block->bytes;
        try {
            kept_.push_back(block);
        } catch (const std::bad_alloc&) {
            use_.bytes_kept -= block->bytes;
            return unmake(block);
        }
        keep_limit();
    }
    void set_limit(std::int64_t bytes) {
        const std::scoped_lock lock(mutex_);
        limit_ = bytes;
        keep_limit();
    }
    void trim() {
        const std::scoped_lock lock(mutex_);
        drop(unlimited);
    }
    std::string memory_text() {
        const std::scoped_lock lock(mutex_);
        return std::to_string(use_.bytes_in_use) + " bytes are in use" +
               (limit_ == unlimited ? "" : ", and the limit is " + std::to_string(limit_));
    }
    DeviceUse use() {
        const std::scoped_lock lock(mutex_);
        DeviceUse use = use_;
        use.bytes_uploaded = uploaded;
        use.bytes_downloaded = downloaded;
        use.launches = launches;
        return use;
    }

    std::atomic<std::int64_t> uploaded{0}, downloaded{0}, launches{0};

private:
    DeviceBlock* reuse(std::int64_t bytes) {
        const auto newest = std::ranges::find(kept_.rbegin(), kept_.rend(), bytes, &DeviceBlock::bytes);
        if (newest == kept_.rend()) return nullptr;
        DeviceBlock* const block = *newest;
        kept_.erase(std::prev(newest.base()));
        use_.bytes_kept -= block->bytes;
        return block;
    }
    DeviceBlock* make(std::int64_t bytes) {
        halide_dimension_t dims[] = {{0, 64, 1}, {0, static_cast<std::int32_t>(bytes / 64), 64}};
        halide_buffer_t buffer{};
        buffer.type = halide_type_t(halide_type_uint, 8);
        buffer.dimensions = 2;
        buffer.dim = dims;
        std::string message;
        const auto allocate = [&](void* context) {
            return driver_.functions.device_malloc(context, &buffer, &driver_.functions);
        };
        int status = driver_.call(allocate, message);
        if (status != 0 && !kept_.empty()) {
            drop(unlimited);
            status = driver_.call(allocate, message);
        }
        if (status != 0 || buffer.device == 0) return nullptr;
        DeviceBlock* const block = held(buffer.device, bytes);
        if (block == nullptr)
            driver_.call([&](void* context) { return driver_.functions.device_free(context, &buffer); },
                         message);
        return block;
    }
    /// A block with a number; null if all numbers are taken.
    DeviceBlock* held(std::uint64_t handle, std::int64_t bytes) {
        const auto slot = std::ranges::find(
            slots, nullptr, [](const auto& one) { return one.load(std::memory_order_relaxed); });
        if (slot == slots.end()) return nullptr;
        auto* const block =
            new DeviceBlock{device_, &driver_, handle, bytes, static_cast<std::size_t>(slot - slots.begin())};
        *slot = block;
        return block;
    }
    /// Ends a block, whose memory goes back by one of the driver's functions.
    void forget(DeviceBlock* block, const auto& give_back) noexcept {
        halide_buffer_t buffer{};
        buffer.device = block->handle;
        buffer.device_interface = &driver_.functions;
        std::string message;
        driver_.call([&](void* context) { return give_back(context, buffer); }, message);
        slots[block->slot] = nullptr;
        delete block;
    }
    void unmake(DeviceBlock* block) noexcept {
        forget(block, [this](void* context, halide_buffer_t& buffer) {
            return driver_.functions.device_free(context, &buffer);
        });
    }
    /// Returns the oldest retained blocks to the driver, at least the given number of bytes.
    void drop(std::int64_t bytes) noexcept {
        std::size_t count = 0;
        for (; count < kept_.size() && bytes > 0; ++count) {
            bytes -= kept_[count]->bytes;
            use_.bytes_kept -= kept_[count]->bytes;
            unmake(kept_[count]);
        }
        kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    void keep_limit() noexcept {
        const std::int64_t most = std::min(most_kept, std::max<std::int64_t>(limit_ - use_.bytes_in_use, 0));
        if (use_.bytes_kept > most) drop(use_.bytes_kept - most);
    }

    const Device device_;
    DeviceDriver& driver_;
    runtime::Mutex mutex_;
    DeviceUse use_;
    std::int64_t limit_ = unlimited;
    std::vector<DeviceBlock*> kept_;  // the oldest first
};

/// The devices that were opened; the processor, number 0, has no entry.  Never destroyed: tensors in static
/// variables of the user's may outlive any order that could be chosen.
std::array<std::atomic<OpenedDevice*>, most_devices> opened;
std::atomic<OpenDevice> opener{nullptr};

OpenedDevice& opened_device(const Device& device) {
    return *opened[static_cast<std::size_t>(device.number())].load(std::memory_order_acquire);
}

/// Waits for the pending work of a device: threads of a driver crash once the process has ended objects they
/// use.
void finish(const Device& device) noexcept {
    const auto slot = std::ranges::find_if(
        slots, [&](const DeviceBlock* block) { return block != nullptr && block->device == device; });
    if (slot == slots.end()) return;
    try {
        wait_for_device(reinterpret_cast<const void*>(tag | static_cast<std::uintptr_t>(slot - slots.begin())
                                                                << place_bits));
    } catch (const std::exception&) {
        // The next call, if any, reports the failure.
    }
}

}  // namespace

std::string_view Device::name() const noexcept {
    return is_cpu() ? "cpu" : opened_device(*this).driver().name;
}

Device device(std::string_view name) {
    if (name == "cpu") return {};
    const OpenDevice open = opener;
    if (open == nullptr)
        throw TargetError(
            "device " + std::string(name) +
            ": the program has no loops for devices: name it in TARGETS of frisket_add_kernels, or link "
            "with frisket::frisket");
    const auto opened_with = [open](std::string_view target) {
        const Device device = device_with(open(target));
        for (const bool value : {false, true}) bool_on(device, value);  // calls that read them copy nothing
        return device;
    };
    if (name != "auto") return opened_with(name);
    for (const TargetRow* const best : ranked_devices()) {
        try {
            return opened_with(best->name);
        } catch (const TargetError&) {
            // The machine has no such device.
        }
    }
    return {};
}

DeviceUse device_use(const Device& device) {
    return device.is_cpu() ? DeviceUse{} : opened_device(device).use();
}

void set_device_limit(const Device& device, std::int64_t bytes) {
    if (device.is_cpu())
        throw ValueError(
            "set_device_limit: the processor's memory has no limit of frisket's: give it a device");
    if (bytes < 0)
        throw ValueError("set_device_limit: " + std::to_string(bytes) + " bytes: give it 0 or more");
    opened_device(device).set_limit(bytes);
}

void trim_device(const Device& device) {
    if (!device.is_cpu()) opened_device(device).trim();
}

namespace runtime {

void set_device_opener(OpenDevice open, Opener origin) noexcept {
    OpenDevice none = nullptr;
    if (origin == Opener::compiler)
        opener = open;
    else
        opener.compare_exchange_strong(none, open);
}

Device device_with(DeviceDriver& driver) {
    static runtime::Mutex mutex;
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 1; i < opened.size(); ++i) {
        const auto device = Device::numbered(static_cast<int>(i));
        const OpenedDevice* const known = opened[i].load(std::memory_order_acquire);
        if (known == nullptr) opened[i].store(new OpenedDevice(device, driver), std::memory_order_release);
        if (known == nullptr || &known->driver() == &driver) return device;
    }
    throw TargetError("device: a process has 7 devices at most");
}

DeviceDriver& driver_of(const Device& device) noexcept { return opened_device(device).driver(); }

std::shared_ptr<void> device_block(const Device& device, std::int64_t bytes, const std::string& what,
                                   void*& address) {
    OpenedDevice& home = opened_device(device);
    DeviceBlock* const block = home.take(padded(bytes));
    if (block == nullptr)
        throw ShapeError(what + " takes " + std::to_string(bytes) + " bytes of device " +
                         std::string(device.name()) + ", where " + home.memory_text() +
                         ": make it smaller, or free some");
    address = reinterpret_cast<void*>(tag | block->slot << place_bits);
    return {block, [&home](void* held) { home.give(static_cast<DeviceBlock*>(held)); }};
}

std::shared_ptr<void> wrapped_block(const Device& device, std::uint64_t handle, std::int64_t bytes,
                                    std::shared_ptr<void> owner, void*& address) {
    OpenedDevice& home = opened_device(device);
    DeviceBlock* const block = home.wrap(handle, bytes);
    address = reinterpret_cast<void*>(tag | block->slot << place_bits);
    return {block, [&home, device, owner = std::move(owner)](void* held) {
                finish(device);
                home.unwrap(static_cast<DeviceBlock*>(held));
            }};
}

NativeMemory native_memory(const void* address) {
    wait_for_device(address);
    const DevicePlace place = device_place(address);
    const std::string_view name = place.block->driver->name;
    const auto row = std::ranges::find(known_targets(), name, &TargetRow::name);
    if (row == known_targets().end() || row->native == nullptr)
        throw TargetError("device " + std::string(name) +
                          ": its memory cannot be lent: move the tensor with .to(device(\"cpu\"))");
    NativeMemory memory = row->native(place.block->handle);
    memory.offset += place.offset;
    return memory;
}

DevicePlace device_place(const void* address) noexcept {
    const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(address) & ~tag;
    constexpr std::uintptr_t in_block = (std::uintptr_t{1} << place_bits) - 1;
    return {slots[place >> place_bits].load(std::memory_order_acquire),
            static_cast<std::int64_t>(place & in_block)};
}

void check_on_device(const void* address, std::int64_t bytes, const std::string& what) {
    if (!detail::is_device_address(address)) return;
    const std::uintptr_t number = (reinterpret_cast<std::uintptr_t>(address) & ~tag) >> place_bits;
    const DevicePlace place = number < slots.size() ? device_place(address) : DevicePlace{nullptr, 0};
    if (place.block == nullptr || !place.block->is_in_use)
        throw ValueError(what +
                         " lies in memory of a device that was freed, or never was: give memory that is "
                         "held");
    if (place.offset + bytes > place.block->bytes)
        throw ValueError(what + " has " + std::to_string(bytes) + " bytes at place " +
                         std::to_string(place.offset) + " of a block of " +
                         std::to_string(place.block->bytes) + " on device " +
                         std::string(place.block->device.name()) + ": give memory of its size");
}

Device device_of(const void* address) noexcept {
    return detail::is_device_address(address) ? device_place(address).block->device : Device();
}

void count_launches(const Device& device, std::int64_t launches) noexcept {
    opened_device(device).launches += launches;
}

void wait_for_new_kernels(const Device& device) noexcept {
    finish(device);
    // The process destroys, in the opposite order, the objects that drivers made to compile these kernels and
    // those registered here: kernels that still run are done before their objects go.
    static_cast<void>(std::atexit([] {
        for (int i = 1; i < static_cast<int>(opened.size()); ++i)
            if (opened[static_cast<std::size_t>(i)] != nullptr) finish(Device::numbered(i));
    }));
}

void count_copies(const Device& device, std::int64_t uploaded, std::int64_t downloaded) noexcept {
    opened_device(device).uploaded += uploaded;
    opened_device(device).downloaded += downloaded;
}

}  // namespace runtime

}  // namespace frisket
