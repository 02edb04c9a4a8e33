// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "../../runtime/support/fork.hpp"
#include "../loops/loop_provider.hpp"

namespace frisket::aot {

/// Loops of an expression that calls asked for.
struct WantedExpression {
    Graph graph;
    codegen::Specialization form;  ///< its lanes are the target's, unless its schedule names a vector
};

/// Loops of an elementwise step that calls asked for.
struct WantedStep {
    Graph graph;
    Schedule schedule;
    std::vector<bool> is_single = {};
};

/// Loops that a step or a function needs, each once, in the order in which calls met them.
struct WantedLoops {
    std::vector<WantedExpression> expressions = {};
    std::vector<WantedStep> steps = {};
};

/// Notes of the loops that calls ask for.  Threads: any number may add.
class LoopRecord {
public:
    void add(const Graph& graph, const codegen::Specialization& form) const;
    void add(const Graph& graph, Strategy strategy, const std::vector<bool>& is_single) const;
    const WantedLoops& wanted() const noexcept { return wanted_; }

private:
    bool is_new(std::string key) const { return keys_.insert(std::move(key)).second; }

    mutable runtime::Mutex mutex_;
    mutable std::unordered_set<std::string> keys_;
    mutable WantedLoops wanted_;
};

/// Number of float32 in a vector of sample calls.  Loops of a processor are compiled for its own.
inline constexpr int sample_lanes = 8;

/// Records the loops that sample calls ask for, and compiles none.  Small bodies are interpreted, so that
/// plans see their values and masks.  Bodies that are large enough for threads get idle loops.
class RecordedLoops final : public codegen::LoopProvider {
public:
    /// Never destroyed: what this process keeps of plans refers to it, and must not be taken for another's.
    static const RecordedLoops& make() { return *new RecordedLoops; }

    int lanes() const noexcept override { return sample_lanes; }
    codegen::LoopCode expression_loop(const codegen::ExpressionRequest& request) const override;
    codegen::LoopCode step(const codegen::StepRequest& request) const override;
    std::optional<CompiledKernel> kernel(const Graph& step,
                                         std::span<const Argument> arguments) const override;

    const WantedLoops& wanted() const noexcept { return record_.wanted(); }

private:
    RecordedLoops() = default;

    LoopRecord record_;
};

}  // namespace frisket::aot
