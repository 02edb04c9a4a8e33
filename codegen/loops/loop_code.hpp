// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "../../runtime/device/device_memory.hpp"
#include "loop_context.hpp"

namespace frisket::codegen {

/// A compiled loop nest: in memory, loaded from a file, or linked into the program.
/// Threads: any number may call it at once.
struct LoopFunction {
    using Call = std::function<int(std::span<const void*> argv, LoopContext& context)>;
    LoopFunction(Call function, std::size_t code_bytes, int kernel_count = 0)
        : call(std::move(function)), bytes(code_bytes), kernels(kernel_count) {}

    const Call call;          ///< takes loop_abi.hpp's arguments, and writes entry 0; returns Halide's code
    const std::size_t bytes;  ///< memory of the code
    const int kernels;        ///< number of kernels that a call launches on a device; 0 on the host
    mutable std::atomic<bool> was_called = false;
};

/// Calls a loop nest of an object, in the program or loaded into it.
inline int call_object(int (*function)(const void** argv), std::span<const void*> argv,
                       LoopContext& context) {
    void* const pointer = &context;
    argv[0] = static_cast<const void*>(&pointer);
    return function(argv.data());
}

/// Loops that can be called, and facts about them.
class LoopCode {
public:
    LoopCode() = default;
    LoopCode(std::shared_ptr<const LoopFunction> function, std::vector<std::int64_t> notes)
        : function_(std::move(function)), notes_(std::move(notes)) {}

    /// False if it is empty.
    explicit operator bool() const noexcept { return function_ != nullptr; }
    /// Gives Halide's code.  Errors: std::bad_alloc if the loops got no memory.
    int call(std::span<const void*> argv, LoopContext& context) const {
        const int status = function_->call(argv, context);
        if (context.lacks_memory) throw std::bad_alloc();
        return status;
    }
    /// Counts the kernels of a call on a device.  Those of the first call are waited for.
    void note_launches(const Device& device) const noexcept {
        runtime::count_launches(device, kernels());
        if (!function_->was_called.exchange(true, std::memory_order_relaxed))
            runtime::wait_for_new_kernels(device);
    }
    const std::vector<std::int64_t>& notes() const noexcept { return notes_; }
    int kernels() const noexcept { return function_ != nullptr ? function_->kernels : 0; }
    /// Memory of the code; 0 if it is empty.
    std::size_t bytes() const noexcept { return function_ != nullptr ? function_->bytes : 0; }

private:
    std::shared_ptr<const LoopFunction> function_;
    std::vector<std::int64_t> notes_;
};

}  // namespace frisket::codegen
