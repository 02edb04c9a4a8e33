// SPDX-License-Identifier: MIT
#include "evaluator.hpp"

#include "../../ir/planner/executor/interpreted_stages.hpp"
#include "../../ir/planner/report/report_writer.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../loops/expression_pattern.hpp"
#include "../loops/known_calls.hpp"
#include "../loops/prepared_call.hpp"
#include "evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

namespace frisket {

namespace codegen {

namespace {

/// Counts of evaluations of graphs that are equal up to the extents of their tensors and the numbers of a
/// call.
class ExpressionCounts {
public:
    /// Counts this evaluation; returns the number of earlier evaluations.
    int note(const Graph& graph) {
        Graph general = general_pattern_of(graph).graph;
        for (Node& node : general.nodes) std::ranges::fill(node.shape, 0);
        const std::size_t key = hash(general);
        const std::lock_guard lock(mutex_);
        if (counts_.size() >= most) counts_.clear();
        return counts_[key]++;
    }

private:
    static constexpr std::size_t most = 4096;
    runtime::Mutex mutex_;
    std::unordered_map<std::size_t, int> counts_;
};

struct Shared {
    runtime::Mutex mutex;
    EvalPolicy policy;
    std::atomic<std::uint64_t> policy_number = 0;  // counts the policies that were set
    ExpressionCounts counts;
};

Shared& shared() {
    return runtime::made_once([] { return Shared(); });
}

bool is_compiled(const Graph& graph, const EvalOptions& options) {
    if (options.jit > Jit::never)
        throw ValueError("eval: number " + std::to_string(static_cast<int>(options.jit)) +
                         " was cast to a Jit and is none: use automatic, always or never");
    if (options.schedule && options.jit == Jit::never)
        throw ValueError("eval: a schedule is for compiled loops, and jit is never: leave one of them out");
    if (options.schedule) return true;
    if (options.jit != Jit::automatic) return options.jit == Jit::always;
    const EvalPolicy policy = eval_policy();
    const int before = shared().counts.note(graph);
    return before >= policy.few_times || work_of(graph) >= policy.small_elements;
}

}  // namespace

std::vector<Result> evaluate_graph(const Graph& graph, std::span<const Argument> arguments,
                                   const EvalOptions& options, const CallUse& use) {
    const bool is_interpreted =
        options.jit != Jit::automatic || std::ranges::none_of(arguments, kernel_calls::lives_on_device);
    if (is_interpreted && !is_compiled(graph, options))
        return planning::evaluate_planned(graph, arguments, use.events);
    std::shared_ptr<PreparedCall> call;
    const bool is_kept = use.key != nullptr && is_met_again(*use.key);
    std::vector<Result> results = jit_evaluate(graph, arguments, options.target,
                                               {.events = use.events,
                                                .memory = use.memory,
                                                .prepared = is_kept ? &call : nullptr,
                                                .loops = {.schedule = options.schedule}});
    if (call != nullptr) keep_call(*use.key, arguments, std::move(call));
    return results;
}

bool shows_plans() {
    return runtime::made_once([] { return runtime::shows("plan"); });
}

std::vector<Result> evaluate_shown(const Graph& graph, std::span<const Argument> arguments,
                                   const EvalOptions& options, CallUse use) {
    if (!shows_plans()) return evaluate_graph(graph, arguments, options, use);
    planning::RunEvents events;
    use.events = &events;
    std::vector<Result> results = evaluate_graph(graph, arguments, options, use);
    runtime::show("plan", graph.name, planning::to_string(planning::report_of(graph.name, events)));
    return results;
}

std::uint64_t eval_policy_number() { return shared().policy_number.load(std::memory_order_relaxed); }

}  // namespace codegen

void set_eval_policy(const EvalPolicy& policy) {
    const std::lock_guard lock(codegen::shared().mutex);
    codegen::shared().policy = policy;
    ++codegen::shared().policy_number;
}

EvalPolicy eval_policy() {
    const std::lock_guard lock(codegen::shared().mutex);
    return codegen::shared().policy;
}

}  // namespace frisket
