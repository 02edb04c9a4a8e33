// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/interpreter/interpret.hpp"
#include "../../ir/scalar_program.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "loop_code.hpp"
#include "schedule.hpp"
#include "specialization.hpp"

namespace frisket::codegen {

/// Source of compiled loops for a target: a compiler, or loops that were linked into the program.
/// Threads: any number may call it.
class LoopProvider {
public:
    LoopProvider() = default;
    LoopProvider(const LoopProvider&) = delete;
    LoopProvider& operator=(const LoopProvider&) = delete;
    virtual ~LoopProvider() = default;

    /// Number of float32 in a vector of the processor that runs expressions.
    virtual int lanes() const noexcept = 0;
    /// A schedule with numbers for the knobs that it leaves to the target.
    Schedule resolved(const Schedule& schedule) const {
        return device().is_cpu() ? frisket::resolved(schedule, lanes()) : resolved_for_device(schedule);
    }
    /// The schedule that tuning found for a body; nothing: the default.
    virtual std::optional<Schedule> tuned(const Graph& /*body*/, const Pattern& /*pattern*/,
                                          const Specialization& /*form*/) const {
        return {};
    }
    /// A number that changes when tuned() may give other schedules.
    virtual std::uint64_t tuning_number() const noexcept { return 0; }
    /// Loops of an expression, or of an elementwise step; none if the source lacks them.  FRISKET_SHOW prints
    /// the loops that it compiles.
    virtual LoopCode loop(const LoopRequest& request) const = 0;
    /// Refuses a body whose loops it lacks and cannot compile; a compiler leaves it to the interpreter.
    /// Errors: LayoutError, TargetError.
    virtual void refuse(const Graph& /*body*/) const {}
    /// True if it has loops for only some forms of arguments: loops ahead of time.
    virtual bool is_linked() const noexcept { return false; }
    /// The device on which its loops run, and where the tensors of calls live.
    virtual Device device() const { return {}; }
    /// The source of loops for tensors of a device.  Errors: TargetError if it is missing.
    virtual const LoopProvider& on(const Device& device) const;
    /// An elementwise step as a kernel for arguments of these layouts, or of any; none if the source lacks
    /// its loops.  Errors: calls of the kernel throw LayoutError for layouts that the source lacks.
    virtual std::optional<CompiledKernel> kernel(const Graph& step,
                                                 std::span<const Argument> arguments = {}) const = 0;
    /// The results of a graph; a compiler may interpret a small graph at its first call.
    /// Shape: the arguments have those that the graph was made for, in the order of its symbols.
    /// Errors: the errors of a kernel's call and of the graph's checks, without results.
    virtual std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments) const;
};

}  // namespace frisket::codegen
