// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
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
class LoopFunction {
public:
    LoopFunction() = default;
    LoopFunction(const LoopFunction&) = delete;
    LoopFunction& operator=(const LoopFunction&) = delete;
    virtual ~LoopFunction() = default;

    /// Takes what loop_abi.hpp says, and writes entry 0; gives Halide's code.
    virtual int call(std::span<const void*> argv, LoopContext& context) const = 0;
    /// Memory of the code.
    virtual std::size_t bytes() const noexcept = 0;
    /// Number of kernels that a call launches on a device; 0 on the host.
    virtual int kernels() const noexcept { return 0; }
    /// Notes a call; true of the first.
    bool is_first_call() const noexcept { return !was_called_.exchange(true, std::memory_order_relaxed); }

private:
    mutable std::atomic<bool> was_called_ = false;
};

/// A loop nest of an object, in the program or loaded into it.
class ObjectFunction final : public LoopFunction {
public:
    using Function = int (*)(const void** argv);
    /// `owner`: keeps the code, or null.
    ObjectFunction(Function function, std::size_t bytes, std::shared_ptr<const void> owner)
        : function_(function), bytes_(bytes), owner_(std::move(owner)) {}
    int call(std::span<const void*> argv, LoopContext& context) const override {
        void* const pointer = &context;
        argv[0] = static_cast<const void*>(&pointer);
        return function_(argv.data());
    }
    std::size_t bytes() const noexcept override { return bytes_; }

private:
    const Function function_;
    const std::size_t bytes_;
    const std::shared_ptr<const void> owner_;
};

/// Loops that can be called, and facts about them.
class LoopCode {
public:
    LoopCode() = default;
    LoopCode(std::shared_ptr<const LoopFunction> function, std::vector<std::int64_t> notes)
        : function_(std::move(function)), notes_(std::move(notes)) {}

    /// False if there are none.
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
        if (function_->is_first_call()) runtime::wait_for_new_kernels(device);
    }
    const LoopFunction& function() const noexcept { return *function_; }
    const std::vector<std::int64_t>& notes() const noexcept { return notes_; }
    int kernels() const noexcept { return function_ != nullptr ? function_->kernels() : 0; }
    /// Memory of the code; 0 if there is none.
    std::size_t bytes() const noexcept { return function_ != nullptr ? function_->bytes() : 0; }

private:
    std::shared_ptr<const LoopFunction> function_;
    std::vector<std::int64_t> notes_;
};

}  // namespace frisket::codegen
