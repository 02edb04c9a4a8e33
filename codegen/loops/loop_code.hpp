// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

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
    const LoopFunction& function() const noexcept { return *function_; }
    const std::vector<std::int64_t>& notes() const noexcept { return notes_; }
    /// Memory of the code; 0 if there is none.
    std::size_t bytes() const noexcept { return function_ != nullptr ? function_->bytes() : 0; }

private:
    std::shared_ptr<const LoopFunction> function_;
    std::vector<std::int64_t> notes_;
};

}  // namespace frisket::codegen
