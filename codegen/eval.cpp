// SPDX-License-Identifier: MIT
#include "eval.hpp"

#include "../ir/planner/interpreted_stages.hpp"
#include "../runtime/tensor/show.hpp"
#include "jit/evaluate.hpp"
#include "lowering/expression_pattern.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

namespace frisket {

namespace {

/// Counts of meetings with graphs that are equal up to the extents of their tensors and the numbers of a
/// call.
class Meetings {
public:
    /// Counts this meeting; gives the number of those before.
    int note(const Graph& graph) {
        Graph general = codegen::general_pattern_of(graph).graph;
        for (Node& node : general.nodes) std::ranges::fill(node.shape, 0);
        const std::size_t key = hash(general);
        const std::lock_guard lock(mutex_);
        if (counts_.size() >= most) counts_.clear();
        return counts_[key]++;
    }

private:
    static constexpr std::size_t most = 4096;
    std::mutex mutex_;
    std::unordered_map<std::size_t, int> counts_;
};

struct Shared {
    std::mutex mutex;
    EvalPolicy policy;
    Meetings meetings;
};

Shared& shared() {
    static auto* shared = new Shared;  // never destroyed: static variables of the user's may evaluate
    return *shared;
}

/// Memory of its own, row-major.
AnyTensor owned(AnyTensor values) {
    const bool is_alone = values.is_writable() && values.is_contiguous() && values.owner().use_count() == 1;
    return is_alone ? values : values.clone();
}

/// Elements of all instructions: what interpreted bodies go through at most.
std::int64_t element_count_of(const Graph& graph) {
    std::int64_t count = 0;
    for (const Node& node : graph.nodes) count += node.is_host_scalar ? 0 : element_count(node.shape);
    return count;
}

bool is_compiled(const Graph& graph, const EvalOptions& options) {
    if (options.jit > Jit::never)
        throw ValueError("eval: number " + std::to_string(static_cast<int>(options.jit)) +
                         " was cast to a Jit and is none: use automatic, always or never");
    if (options.jit != Jit::automatic) return options.jit == Jit::always;
    const EvalPolicy policy = eval_policy();
    const int before = shared().meetings.note(graph);
    return before >= policy.few_times || element_count_of(graph) >= policy.small_elements;
}

std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments, const EvalOptions& options,
                        plan::PlanReport* plan) {
    if (is_compiled(graph, options)) return codegen::jit_evaluate(graph, arguments, options.target, plan);
    return plan::evaluate_planned(graph, arguments, plan);
}

std::vector<Result> run_shown(const Graph& graph, std::span<const Argument> arguments,
                              const EvalOptions& options) {
    plan::PlanReport plan{graph.name};
    std::vector<Result> results = run(graph, arguments, options, &plan);
    runtime::show("plan", graph.name, plan::to_string(plan));
    return results;
}

}  // namespace

void set_eval_policy(const EvalPolicy& policy) {
    const std::lock_guard lock(shared().mutex);
    shared().policy = policy;
}

EvalPolicy eval_policy() {
    const std::lock_guard lock(shared().mutex);
    return shared().policy;
}

namespace detail {

build::ExpressionContext::Evaluate evaluator(const EvalOptions& options, plan::PlanReport* plan) {
    static const bool shows_plans = runtime::shows("plan");
    return [options, plan](const Graph& graph, std::span<const Argument> arguments) {
        if (plan == nullptr && shows_plans) return run_shown(graph, arguments, options);
        return frisket::run(graph, arguments, options, plan);
    };
}

AnyTensor dense_value(Result&& result) {
    if (result.mask) throw Bug("eval: a dense expression gave a masked result");
    return owned(std::move(result.values));
}

AnyMasked masked_value(Result&& result) {
    if (result.listed) return std::move(*result.listed);
    if (!result.mask) return AnyMasked::dense(owned(std::move(result.values)));
    return AnyMasked::strided(owned(std::move(result.values)), owned(std::move(*result.mask)));
}

build::Expr with_elements(GraphEmitter& lowering, NodeId made, DType wanted) {
    const build::Expr expr{&lowering.graph(), made};
    return expr.node().result_dtype() == wanted ? expr : build::cast(expr, wanted);
}

Evaluator::Evaluator(const EvalOptions& options) : Evaluator(evaluator(options)) {}

Evaluator::Evaluator(const build::ExpressionContext::Evaluate& evaluate)
    : context_("eval", evaluate), emitter_(context_) {}

Evaluator::~Evaluator() = default;

std::vector<Result> Evaluator::values() { return context_.run_any(expressions_); }

}  // namespace detail

}  // namespace frisket
