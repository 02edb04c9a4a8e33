// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "../../runtime/tensor/memory.hpp"
#include "../../runtime/tensor/result_memory.hpp"

namespace frisket::codegen {

/// State of a call of compiled loops: the memory that they take, and the first message.
struct LoopContext {
    static constexpr std::size_t alignment = 128;  // alignment of any vector, as in Halide's own
    LoopContext() = default;
    LoopContext(const LoopContext&) = delete;
    LoopContext& operator=(const LoopContext&) = delete;

    /// Memory of loops that run on the host: from `reserve` if other memory is short; null, remembered in
    /// lacks_memory, if that does not suffice.
    void* allocate(std::size_t bytes);
    void free(void* memory);
    /// Keeps the first message.  Throwing inside of loops would end the process.
    void report(const char* text) noexcept;
    /// Keeps it in the context at this address, as handlers of messages do.
    static void report_to(void* context, const char* text) {
        static_cast<LoopContext*>(context)->report(text);
    }

    std::string message;
    std::span<std::byte> reserve;  // aligned as the memory taken from it
    std::atomic<std::size_t> reserve_used = 0;
    std::atomic<bool> lacks_memory = false;

private:
    void* allocate_pooled(std::size_t bytes);
    bool free_pooled(const void* memory);

    std::mutex mutex_;  // guards pooled_: tasks take memory at once
    /// Large blocks in use; data is null in free slots.  Made with the first, as most calls take none.
    std::optional<std::array<runtime::PoolBlock, 16>> pooled_;
};

/// Throws the error of a call of loops that returned `status`.  `failed`: names the call, "the loop dense
/// failed" for instance.
/// Errors: TargetError for loops of a device, Bug for other loops.
[[noreturn]] void throw_failure(const std::string& failed, int status, const LoopContext& context,
                                const Device& device);

}  // namespace frisket::codegen
