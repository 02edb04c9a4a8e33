// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "../../runtime/support/fork.hpp"
#include "loop_provider.hpp"

namespace frisket::codegen {

/// Loops for all graphs of one pattern: an expression, or a step over listed rows.
class CompiledExpression {
public:
    /// `is_kept`: stored on disk.  `part`: a description of the loops for people, if they belong to no
    /// expression of their own.  Refers to the source.
    CompiledExpression(Pattern pattern, Specialization form, const LoopProvider& source, bool is_kept,
                       std::string part = {});

    bool is_for(const Pattern& pattern, const Specialization& form, const LoopProvider& source) const {
        return pattern_ == pattern && form_ == form && &source_ == &source;
    }
    /// Compiles once, at the first call; the members below are valid then.
    void prepare();
    /// False if the source has no loops for this pattern: then it cannot be called.
    bool is_there() const noexcept { return static_cast<bool>(code_); }

    const Graph& graph() const noexcept { return pattern_.graph; }
    const ir::ScalarProgram& numbers() const noexcept { return numbers_; }
    const kernel_calls::LoopAbi& abi() const noexcept { return abi_; }
    std::span<const SizeSlot> sizes() const noexcept { return notes_.sizes; }
    /// Nodes that the loops store and read again.
    std::span<const StoredNode> stored() const noexcept { return notes_.stored; }
    /// Memory of the loops' own, as a formula.
    std::span<const std::int64_t> memory() const noexcept { return notes_.memory; }
    LoopKinds kinds() const noexcept { return notes_.kinds; }
    /// Memory of the loops, 0 before they are compiled.
    std::size_t bytes() const noexcept { return bytes_; }
    /// The device on which the loops run.
    Device device() const { return source_.device(); }
    /// Number of kernels that a call starts on a device.
    int kernels() const noexcept { return code_.kernels(); }
    /// Runs the loops.  Takes memory of `reserve`, aligned as LoopContext's, if other memory is short.
    /// Errors: std::bad_alloc if that does not suffice, Bug if it fails, TargetError if a device does.
    void call(std::span<const void*> argv, std::span<std::byte> reserve = {}) const;

private:
    Pattern pattern_;
    Specialization form_;
    const LoopProvider& source_;
    const bool is_kept_;
    const std::string part_;
    ir::ScalarProgram numbers_;
    KernelMetadata notes_;
    kernel_calls::LoopAbi abi_;
    runtime::Once once_;
    LoopCode code_;
    std::atomic<std::size_t> bytes_{0};
};

}  // namespace frisket::codegen
