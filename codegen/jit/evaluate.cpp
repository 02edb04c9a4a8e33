// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <system_error>

#include "../../ir/graph_text.hpp"
#include "../../ir/passes/flatten_dims.hpp"
#include "../../ir/planner/executor.hpp"
#include "../../ir/planner/memory_need.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../lowering/expression_pattern.hpp"
#include "../lowering/lower_expression.hpp"
#include "../tuning/records/tuned_expressions.hpp"
#include "bound_call.hpp"
#include "compiled_expression.hpp"
#include "expression_input.hpp"
#include "extents.hpp"
#include "halide_jit.hpp"
#include "jit.hpp"
#include "row_step.hpp"
#include "threads.hpp"

namespace frisket::codegen {

namespace {

/// Compiled expressions.
class Expressions final : public LoopSet {
public:
    explicit Expressions(bool is_kept) : is_kept_(is_kept) {}

    std::shared_ptr<CompiledExpression> get(Pattern pattern, Specialization form, const TargetRow& target) {
        const auto matches = [&](const CompiledExpression& known) {
            return known.is_for(pattern, form, target);
        };
        if (auto known = compiled_.find(hash(pattern.graph), matches)) return known;
        formulas_.limit(pattern);
        return compiled_.get(hash(pattern.graph), matches, [&] {
            return std::make_shared<CompiledExpression>(std::move(pattern), std::move(form), target,
                                                        is_kept_);
        });
    }

private:
    static constexpr std::size_t most = 256, most_bytes = std::size_t{1} << 30;
    const bool is_kept_;  // on disk
    runtime::LruCache<CompiledExpression> compiled_{most, most_bytes};
    Formulas formulas_;
};

/// Compiled expressions of this process.
Expressions& expressions() {
    // Never destroyed, as static variables of the user's may outlive it.
    static auto* all = new Expressions(true);
    return *all;
}

/// Adds the tensors that loops store and read again: reductions, and what many places read.
void add_temporaries(const Graph& graph, std::span<const StoredNode> stored, plan::StageReport& stage) {
    constexpr int depth = 2;
    for (const StoredNode& one : stored) {
        if (std::ranges::find(graph.results, one.id) != graph.results.end()) continue;
        const Node& node = graph[one.id];
        stage.makes.push_back({.name = ir::expression_text(graph, one.id, depth),
                               .dtype = one.dtype,
                               .shape = node.shape,
                               .bytes = one.is_in_rows ? 0 : plan::tensor_bytes(one.dtype, node.shape),
                               .lifetime = one.is_in_rows ? plan::Lifetime::rows : plan::Lifetime::stage});
    }
}

/// Bytes of the copies that loops read.
std::int64_t bytes_of_copies(std::span<const Argument> arguments) {
    plan::MemoryNeed need;
    for (const Argument& argument : arguments) need.add(copied_bytes(argument));
    return need.held_bytes();
}

/// Refuses a call whose results, unless they are given, and whose copies take more memory than there is.
void check_need(const Graph& graph, std::span<const Argument> arguments, bool is_given) {
    plan::MemoryNeed need;
    for (const NodeId result : graph.results)
        if (!is_given) need.add_result(graph, result);
    need.add(bytes_of_copies(arguments));
    need.check(graph.name);
}

/// Adds a body to those that were met, if there is a list of them.
void note(const Graph& body, const Pattern& pattern, const Specialization& form, const LoopChoice& choice) {
    if (!choice.met) return;
    std::string text = tuning_text(body, pattern, form);
    if (std::ranges::find(*choice.met, text, &MetBody::text) != choice.met->end()) return;
    choice.met->push_back({.graph = body,
                           .text = std::move(text),
                           .call = class_of_body(body),
                           .is_parallel = form.parallel,
                           .has_row_stages = fuses_rows(pattern)});
}

/// A graph over whole tensors, and the loops for it.
struct LoopCall {
    std::vector<LoopInput> inputs;
    std::optional<Graph> flat = {};  ///< the graph over tensors of one dimension, if that is all it needs
    std::shared_ptr<CompiledExpression> compiled = {};
    /// Forced, or the one that tuning found; nothing: the default.
    std::optional<Schedule> schedule = {};

    LoopCall(const Graph& graph, std::span<const Argument> arguments, const TargetRow& row,
             const LoopChoice& choice) {
        check_extents(graph);
        set_up_halide();
        for (const Argument& argument : arguments) inputs.push_back(input_of(argument));
        const std::optional<Shape> shape = ir::common_shape(graph);
        if (shape && shape->size() > 1 && std::ranges::all_of(inputs, is_contiguous_input)) {
            for (LoopInput& input : inputs) flatten(input);
            flat = ir::flattened(graph, *shape);
        }
        Specialization form{.parallel = is_large(graph), .lanes = float_lanes(row)};
        for (const LoopInput& input : inputs) form.inputs.push_back(form_of(input));
        const Graph& made = flat ? *flat : graph;
        for (NodeId id = 0; id < static_cast<NodeId>(made.nodes.size()); ++id)
            if (has_panels(made, made[id])) form.panels.push_back(id);
        Pattern pattern = pattern_of(made);
        note(made, pattern, form, choice);
        schedule = choice.schedule ? choice.schedule : tuned_schedule(made, pattern, form, row);
        if (schedule) form.schedule = *schedule;
        if (schedule && schedule->vector != 0) form.lanes = schedule->vector;
        Expressions& known = choice.in_memory ? static_cast<Expressions&>(*choice.in_memory) : expressions();
        compiled = known.get(std::move(pattern), std::move(form), row);
    }
};

/// Compiles loops, several at once.  One that cannot be compiled says so when it is called.
void compile(const std::vector<std::shared_ptr<CompiledExpression>>& loops) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < loops.size(); i = next++) {
            try {
                loops[i]->prepare();
            } catch (const std::exception&) {
                // Errors come again where the loops are called.
            }
        }
    };
    const auto most = std::min(loops.size(), static_cast<std::size_t>(thread_count()));
    std::vector<std::future<void>> others;
    try {
        while (others.size() + 1 < most) others.push_back(std::async(std::launch::async, work));
    } catch (const std::system_error&) {
        // Threads that cannot be had leave their loops to this one.
    }
    work();
}

/// True if loops read the memory of the arguments themselves, and nothing that was made of them.
bool reads_arguments(std::span<const LoopInput> inputs, std::span<const Argument> arguments) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Argument& argument = arguments[i];
        const bool is_masked = argument.kind() == Argument::Kind::masked;
        if (!is_masked && argument.kind() != Argument::Kind::tensor) return false;
        const AnyTensor& values = is_masked ? argument.masked().values() : argument.tensor();
        if (inputs[i].values->data() != values.data()) return false;
        if (inputs[i].mask && inputs[i].mask->data() != argument.masked().mask().data()) return false;
    }
    return true;
}

/// One stage: a graph over whole tensors by one pipeline of loops.
std::vector<Result> run_loops(const Graph& graph, std::span<const Argument> arguments, const TargetRow& row,
                              plan::StageReport* stage, std::span<const plan::ResultMemory> memory,
                              const LoopChoice& choice, std::shared_ptr<const BoundCall>* bound) {
    check_need(graph, arguments, !memory.empty());
    const LoopCall loops(graph, arguments, row, choice);
    const Graph& made = loops.flat ? *loops.flat : graph;
    loops.compiled->prepare();
    BoundCall call(loops.compiled, graph, made, loops.inputs, arguments);
    call.check_memory(memory);
    for (const StoredNode& one : loops.compiled->stored())
        if (!one.is_in_rows) check_extents(made[one.id]);
    std::vector<InputMemory> operands;
    for (const LoopInput& input : loops.inputs) operands.push_back(InputMemory::of(input));
    LoopResults found = call.run(operands, memory);
    if (found.are_refused) report_checks(graph, arguments);
    if (stage != nullptr) {
        add_temporaries(made, loops.compiled->stored(), *stage);
        stage->held_bytes = bytes_of_copies(arguments) + call.held_bytes(made);
        stage->loops = loops.compiled->kinds().names();
        if (loops.schedule && *loops.schedule != default_schedule(Strategy::expression))
            stage->schedule = to_string(*loops.schedule) + (choice.schedule ? "" : ", as tuning found");
    }
    if (bound != nullptr && reads_arguments(loops.inputs, arguments))
        *bound = std::make_shared<const BoundCall>(std::move(call));
    return std::move(found.results);
}

/// The call of a kernel, with its arguments.
class KernelCall final : public kernel::Ready {
public:
    KernelCall(const CompiledKernel& kernel, std::span<const Argument> arguments)
        : arguments_(arguments.begin(), arguments.end()),
          call_(kernel::ready_calls(kernel, {&arguments_, 1})) {}
    void run() override { call_->run(); }

private:
    const std::vector<Argument> arguments_;
    const std::unique_ptr<kernel::Ready> call_;
};

}  // namespace

std::shared_ptr<LoopSet> loops_in_memory() { return std::make_shared<Expressions>(false); }

CompiledBodies::CompiledBodies(const TargetName& target, std::span<const RowLoopsOfPlan> rows,
                               LoopChoice loops, WholeCall* whole)
    : target_(target),
      rows_(rows),
      loops_(std::move(loops)),
      whole_(whole),
      host_(find_target(find_target(target).gpu ? TargetName{"cpu"} : target)) {}

void CompiledBodies::prepare(std::span<const plan::BodyCall> bodies) const {
    std::vector<std::shared_ptr<CompiledExpression>> loops;
    for (const plan::BodyCall& call : bodies) {
        check_need(call.body, call.arguments, false);
        auto own = LoopCall(call.body, call.arguments, host_, loops_).compiled;
        if (own->bytes() == 0 && std::ranges::find(loops, own) == loops.end())
            loops.push_back(std::move(own));
    }
    if (loops.size() > 1) compile(loops);
}

std::vector<Result> CompiledBodies::evaluate(const Graph& body, std::span<const Argument> arguments,
                                             plan::StageReport* report,
                                             std::span<const plan::ResultMemory> memory) const {
    const bool is_whole = whole_ != nullptr && whole_->graph == &body;
    return run_loops(body, arguments, host_, report, memory, loops_, is_whole ? &whole_->bound : nullptr);
}

std::unique_ptr<kernel::Ready> CompiledBodies::ready(const Graph& step, std::span<const Argument> arguments,
                                                     plan::StageReport* /*report*/) const {
    return std::make_unique<KernelCall>(jit(step, target_), arguments);
}

std::unique_ptr<kernel::Ready> CompiledBodies::ready_rows(const plan::RowPlan& plan,
                                                          std::span<const Argument> arguments,
                                                          plan::PlanReport* report) const {
    const auto known = std::ranges::find(rows_, &plan, &RowLoopsOfPlan::plan);
    auto call = known == rows_.end() ? nullptr : codegen::ready_rows(plan, known->loops, arguments);
    if (call && report != nullptr) report->stages.push_back({.rule = &plan::rules::row_blocks});
    return call;
}

std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target, const JitUse& use) {
    const TargetRow& row = find_target(target);
    if (row.gpu)
        throw TargetError("expressions are compiled for CPUs, and the target is " + std::string(row.name) +
                          ": choose target cpu");
    check_present(target);
    if (use.loops.schedule) check_of_expression(*use.loops.schedule);
    kernel::check_call(signature_of(graph), arguments);
    WholeCall whole{&graph};
    const CompiledBodies bodies(target, {}, use.loops, use.bound != nullptr ? &whole : nullptr);
    std::vector<Result> results = plan::Executor(bodies, use.plan).run(graph, arguments, use.memory);
    if (use.bound != nullptr) *use.bound = std::move(whole.bound);
    return results;
}

}  // namespace frisket::codegen
