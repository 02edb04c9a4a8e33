// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_driver.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../device/device_kernels.hpp"
#include "compiled_loops.hpp"
#include "halide_jit.hpp"
#include "jit.hpp"

namespace frisket::codegen {

namespace {

/// A device of the runtime that Halide shares among loops which it compiles just in time.
class JitDevice {
public:
    JitDevice(const TargetRow& target, const halide_device_interface_t& functions)
        : target_(target), driver_{target.name, functions, call, std::bind_front(&JitDevice::run, this)} {}
    JitDevice(const JitDevice&) = delete;
    JitDevice& operator=(const JitDevice&) = delete;

    runtime::DeviceDriver& driver() noexcept { return driver_; }

private:
    static int call(const std::function<int(void*)>& body, std::string& message) {
        LoopContext own;
        JitContext context(own);
        const int status = body(static_cast<Halide::JITUserContext*>(&context));
        message = own.message;
        return status;
    }
    int run(runtime::DeviceKernel kernel, DType dtype, std::span<const void*> argv, std::string& message) {
        const LoopCode& loops = device_kernel(kernel, dtype);
        LoopContext context;
        const int status = loops.call(argv, context);
        message = context.message;
        if (status == 0) loops.note_launches(device_of(target_));
        return status;
    }

    const LoopCode& device_kernel(runtime::DeviceKernel kernel, DType dtype) {
        const std::scoped_lock lock(mutex_);
        LoopCode& known = device_kernels_[{kernel, dtype}];
        if (known) return known;
        const std::string name = "device_" + std::string(runtime::info_of(kernel).name);
        KeyText key;
        key.add(name).add(name_of(dtype));
        return known = loop_code(
                   {.name = name,
                    .loops = std::string(name_of(dtype)),
                    .title = name,
                    .target = target_,
                    .key = key,
                    .build = [&] { return build_device_kernel(kernel, dtype, machine_of(target_)); }});
    }

    const TargetRow& target_;
    runtime::DeviceDriver driver_;
    runtime::Mutex mutex_;
    std::map<std::pair<runtime::DeviceKernel, DType>, LoopCode> device_kernels_;
};

runtime::DeviceDriver& open_device(std::string_view name) {
    const TargetRow& target = check_present({std::string(name)});
    if (!target.gpu)
        throw TargetError("device " + std::string(name) +
                          ": it is a target of the processor, whose tensors are on device cpu");
    static constinit runtime::Mutex mutex;
    // Never destroyed: tensors in static variables of the user's may outlive it.
    auto& opened = runtime::made_once([] { return std::vector<std::unique_ptr<JitDevice>>(); });
    const std::scoped_lock lock(mutex);
    for (const auto& known : opened)
        if (known->driver().name == name) return known->driver();
    set_up_halide();
    const Halide::Target machine = machine_of(target);
    const halide_device_interface_t* const functions = Halide::get_device_interface_for_device_api(
        Halide::get_default_device_api_for_target(machine), machine, nullptr);
    if (functions == nullptr)
        throw TargetError("device " + std::string(name) + ": its driver cannot be opened");
    return opened.emplace_back(std::make_unique<JitDevice>(target, *functions))->driver();
}

}  // namespace

const bool opens_devices = (runtime::set_device_opener(open_device, runtime::Opener::compiler), true);

Device device_of(const TargetRow& target) { return target.gpu ? device(target.name) : Device(); }

}  // namespace frisket::codegen
