// SPDX-License-Identifier: MIT
#include <HalideRuntime.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../../runtime/device/device_kernels.hpp"
#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/kernel/aot_tables.hpp"
#include "../../runtime/kernel/loop_messages.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../loops/loop_context.hpp"

namespace frisket {

namespace codegen {

namespace {

class LinkedDriver {
public:
    explicit LinkedDriver(const aot::LinkedDevice& device)
        : device_(device),
          driver_{device.name, *device.functions(), call, std::bind_front(&LinkedDriver::run, this)} {}
    LinkedDriver(const LinkedDriver&) = delete;
    LinkedDriver& operator=(const LinkedDriver&) = delete;

    runtime::DeviceDriver& driver() noexcept { return driver_; }

private:
    static int call(const std::function<int(void*)>& body, std::string& message) {
        LoopContext context;
        const kernel_calls::MessageScope scope(&context, LoopContext::report_to);
        const int status = body(&context);
        message = context.message;
        return status;
    }
    int run(runtime::DeviceKernel kernel, DType dtype, std::span<const void*> argv, std::string& message) {
        const std::string_view name = runtime::info_of(kernel).name;
        const auto found = std::ranges::find_if(device_.kernels, [&](const aot::LinkedDeviceKernel& one) {
            return one.name == name && one.dtype == name_of(dtype);
        });
        if (found == device_.kernels.end())
            throw TargetError("device " + std::string(device_.name) + ": the program has no kernel " +
                              std::string(name) + " for it: build its libraries with one frisket");
        LoopContext context;
        const kernel_calls::MessageScope scope(&context, LoopContext::report_to);
        void* const pointer = &context;
        argv[0] = static_cast<const void*>(&pointer);
        const int status = found->run(argv.data());
        message = context.message;
        if (status != 0) return status;
        const Device device = runtime::device_with(driver_);
        runtime::count_launches(device, 1);
        if (!was_started_[static_cast<std::size_t>(found - device_.kernels.begin())].exchange(true))
            runtime::wait_for_new_kernels(device);
        return status;
    }

    const aot::LinkedDevice device_;
    runtime::DeviceDriver driver_;
    std::vector<std::atomic<bool>> was_started_ = std::vector<std::atomic<bool>>(device_.kernels.size());
};

/// Devices that the libraries of the program have loops for, and those that were opened.
struct Devices {
    runtime::Mutex mutex;
    std::vector<aot::LinkedDevice> known;
    std::vector<std::unique_ptr<LinkedDriver>> opened;
};

Devices& devices() {
    // Never destroyed: tensors in static variables of the user's may outlive it.
    return runtime::made_once([] { return Devices(); });
}

/// Errors: TargetError if the machine has no such device.
void check_present(const runtime::DeviceDriver& driver, const aot::LinkedDevice& device) {
    const std::string name(device.name);
    // It is looked for here, as Halide's runtime ends the process if the driver is missing, and never
    // unloaded.
    if (dlopen(std::string(device.driver).c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
        throw TargetError(
            "device " + name + ": there is no " + std::string(device.driver) +
            " on this machine: install the device's driver, or call with tensors of the processor");
    std::array<halide_dimension_t, 1> dims{{{0, 512, 1}}};
    halide_buffer_t buffer{};
    buffer.type = halide_type_t(halide_type_uint, 8);
    buffer.dimensions = 1;
    buffer.dim = dims.data();
    std::string message;
    const halide_device_interface_t& functions = driver.functions;
    const int status = driver.call(
        [&](void* context) {
            const int made = functions.device_malloc(context, &buffer, &functions);
            return made != 0 ? made : functions.device_free(context, &buffer);
        },
        message);
    if (status != 0)
        throw TargetError("device " + name + ": there is no such device on this machine: " + message);
}

runtime::DeviceDriver& open_linked_device(std::string_view name) {
    Devices& all = devices();
    const std::scoped_lock lock(all.mutex);
    for (const auto& known : all.opened)
        if (known->driver().name == name) return known->driver();
    const auto device = std::ranges::find(all.known, name, &aot::LinkedDevice::name);
    if (device == all.known.end())
        throw TargetError("device " + std::string(name) + ": the program has kernels for cpu" +
                          (all.known.empty() ? "" : ", ") +
                          runtime::joined(all.known, &aot::LinkedDevice::name) +
                          ": name it in TARGETS of frisket_add_kernels");
    kernel_calls::keep_messages(halide_set_error_handler);
    auto driver = std::make_unique<LinkedDriver>(*device);
    check_present(driver->driver(), *device);
    return all.opened.emplace_back(std::move(driver))->driver();
}

}  // namespace

}  // namespace codegen

bool aot::add_devices(Rows<LinkedDevice> given) {
    codegen::Devices& all = codegen::devices();
    const std::scoped_lock lock(all.mutex);
    for (const LinkedDevice& device : given)
        if (std::ranges::find(all.known, device.name, &LinkedDevice::name) == all.known.end())
            all.known.push_back(device);
    runtime::set_device_opener(codegen::open_linked_device, runtime::Opener::linked);
    return true;
}

}  // namespace frisket
