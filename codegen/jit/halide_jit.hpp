// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "../../runtime/tensor/result_memory.hpp"
#include "../strategies/schedule.hpp"

/// State of Halide's JIT, common to its uses in this process.
namespace frisket::codegen {

/// Context of Halide's handlers: keeps the first message, runs parallel loops on the threads of threads.hpp.
/// Throwing inside a handler would end the process.
struct JitContext : Halide::JITUserContext {
    static constexpr std::size_t alignment = 128;  // alignment of any vector, as in Halide's own
    JitContext();
    /// Memory of loops that run on the host: of `reserve` if there is no other; null, remembered in
    /// lacks_memory, if that does not suffice.
    void* allocate(std::size_t bytes);
    void free(void* memory);
    std::string message;
    std::span<std::byte> reserve;  // aligned as what is taken from it
    std::atomic<std::size_t> reserve_used = 0;
    std::atomic<bool> lacks_memory = false;

private:
    void* allocate_pooled(std::size_t bytes);
    bool free_pooled(const void* memory);

    std::mutex mutex_;  // guards pooled_: tasks take memory at once
    /// Large blocks in use; data is null in free places.  Made with the first, as most calls take none.
    std::optional<std::array<runtime::PoolBlock, 16>> pooled_;
};

/// Compiler errors become Bugs, warnings nothing.  Once.
void set_up_halide();

/// Elementwise code is IEEE, bit for bit on every machine.  Calls are checked before they reach a loop,
/// so Halide's own checks are left out, except for devices, whose failures they report.
Halide::Target machine_of(const TargetRow& row);

/// Number of float32 in a vector of a target's.
int float_lanes(const TargetRow& row);

}  // namespace frisket::codegen
