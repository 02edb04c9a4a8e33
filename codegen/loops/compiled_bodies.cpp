// SPDX-License-Identifier: MIT
#include "compiled_bodies.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <system_error>

#include "../../ir/planner/executor/interpreted_stages.hpp"
#include "../../ir/planner/memory_need.hpp"
#include "../../runtime/device/device_kernels.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/kernel/densify.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/support/made_once.hpp"
#include "body_loops.hpp"
#include "bound_call.hpp"
#include "compiled_expression.hpp"
#include "expression_input.hpp"
#include "extents.hpp"
#include "row_loops.hpp"
#include "row_step.hpp"
#include "threads.hpp"

namespace frisket::codegen {

/// Compiled expressions.
class Expressions {
public:
    explicit Expressions(bool is_kept) : is_kept_(is_kept) {}

    std::shared_ptr<CompiledExpression> get(Pattern pattern, Specialization form, const LoopProvider& source,
                                            std::string part = {}) {
        const auto matches = [&](const CompiledExpression& known) {
            return known.is_for(pattern, form, source);
        };
        if (auto known = compiled_.find(hash(pattern.graph), matches)) return known;
        formulas_.limit(pattern);
        return compiled_.get(hash(pattern.graph), matches, [&] {
            return std::make_shared<CompiledExpression>(std::move(pattern), std::move(form), source, is_kept_,
                                                        std::move(part));
        });
    }

private:
    static constexpr std::size_t most = 256, most_bytes = std::size_t{1} << 30;
    const bool is_kept_;  // on disk
    runtime::LruCache<CompiledExpression> compiled_{most, most_bytes};
    Formulas formulas_;
};

namespace {

/// Compiled expressions of this process.
Expressions& expressions() {
    return runtime::made_once([] { return Expressions(true); });
}

/// Bytes of the copies that loops read.
std::int64_t bytes_of_copies(std::span<const Argument> arguments, const LoopProvider& source) {
    planning::MemoryNeed need;
    const bool on_device = !source.device().is_cpu();
    for (const Argument& argument : arguments) need.add(copied_bytes(argument, on_device));
    return need.held_bytes();
}

/// Refuses a call whose results, unless they are given, and whose copies take more memory than there is.
void check_need(const Graph& graph, std::span<const Argument> arguments, const LoopProvider& source,
                bool is_given) {
    planning::MemoryNeed need;
    for (const NodeId result : graph.results)
        if (!is_given) need.add_result(graph, result);
    const bool on_device = !source.device().is_cpu();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::int64_t bytes = copied_bytes(arguments[i], on_device);
        if (runtime::is_list(arguments[i].layout()))
            need.add_dense_copy(graph.symbols[i], bytes);
        else
            need.add(bytes);
    }
    need.check(graph.name, [&] { return planning::dense_cause(graph, planning::formats_of(arguments)); });
}

/// A graph over whole tensors, and the loops for it.
struct LoopCall {
    std::vector<LoopInput> inputs;
    BodyLoops body;
    std::shared_ptr<CompiledExpression> compiled = {};
    /// Forced, or the one that tuning found; nothing: the default.
    std::optional<Schedule> schedule = {};

    LoopCall(const Graph& graph, std::span<const Argument> arguments, const LoopProvider& source,
             const LoopChoice& choice) {
        const bool on_device = !source.device().is_cpu();
        for (const Argument& argument : arguments) inputs.push_back(input_of(argument, on_device));
        body = loops_of_body(graph, inputs, source.lanes());
        const Graph& made = walked(graph);
        Specialization& form = body.form;
        if (on_device) form.serve_any_counts();
        if (choice.met) choice.met(made, body.pattern, form);
        schedule = choice.schedule ? choice.schedule : source.tuned(made, body.pattern, form);
        if (schedule) form.schedule = *schedule;
        if (schedule && schedule->vector != 0) form.lanes = schedule->vector;
        compiled = known(choice).get(body.pattern, form, source);
    }
    /// The graph that the loops walk.
    const Graph& walked(const Graph& graph) const { return body.walked ? *body.walked : graph; }
    /// Compiles the loops.  Loops ahead of time for any number serve where a number of the graph has no loops
    /// of its own.
    void prepare(const Graph& graph, const LoopProvider& source, const LoopChoice& choice) {
        compiled->prepare();
        if (compiled->is_there() || !source.is_linked() || body.pattern.formulas.empty()) return;
        compiled = known(choice).get(general_pattern_of(walked(graph)), body.form, source);
        compiled->prepare();
    }

private:
    static Expressions& known(const LoopChoice& choice) {
        return choice.in_memory ? *choice.in_memory : expressions();
    }
};

/// An argument in the form for which there are loops ahead of time wherever loops exist for another form:
/// without gaps, and with a mask if it is Masked.
Argument in_plain_form(const Argument& argument) {
    const auto plain = [](const AnyTensor& tensor) {
        return tensor.is_contiguous() ? tensor : tensor.clone();
    };
    if (argument.kind() == Argument::Kind::tensor) return plain(argument.tensor());
    if (argument.kind() != Argument::Kind::masked) return argument;
    const AnyMasked& masked = argument.masked();
    if (masked.layout() == Layout::bitmask) return AnyMasked::bitmask(plain(masked.values()), masked.mask());
    return AnyMasked::strided(plain(runtime::dense_values(masked)), masked.mask_tensor());
}

bool is_empty(const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor) return argument.tensor().size() == 0;
    return argument.kind() == Argument::Kind::masked && argument.masked().size() == 0;
}

bool is_plain(const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor) return argument.tensor().is_contiguous();
    if (argument.kind() != Argument::Kind::masked) return true;
    const AnyMasked& masked = argument.masked();
    const runtime::MaskForm mask = runtime::traits_of(masked.layout()).mask;
    const bool has_mask = mask == runtime::MaskForm::bytes || mask == runtime::MaskForm::bits;
    return has_mask && masked.values().is_contiguous() && masked.mask().is_contiguous();
}

/// Compiles loops, several at once.  A loop that cannot be compiled throws when it is called.
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

/// One stage: a graph over whole tensors by one pipeline of loops.
std::vector<Result> run_loops(const Graph& graph, std::span<const Argument> arguments,
                              const LoopProvider& source, planning::RunEvents* events,
                              std::span<const planning::ResultMemory> memory, const LoopChoice& choice,
                              planning::KeptCall* kept) {
    check_need(graph, arguments, source, !memory.empty());
    LoopCall loops(graph, arguments, source, choice);
    loops.prepare(graph, source, choice);
    if (!loops.compiled->is_there()) {
        if (source.is_linked() && !std::ranges::all_of(arguments, is_plain)) {
            std::vector<Argument> plain;
            std::ranges::transform(arguments, std::back_inserter(plain), in_plain_form);
            return run_loops(graph, plain, source, events, memory, choice, nullptr);
        }
        // An empty argument leaves next to no work.
        if (std::ranges::none_of(arguments, is_empty)) source.refuse(graph);
        return planning::InterpretedBodies().evaluate(graph, arguments, events, memory, nullptr);
    }
    const Graph& made = loops.walked(graph);
    BoundCall call(loops.compiled, graph, made, loops.inputs, arguments);
    call.check_memory(memory);
    for (const StoredNode& one : loops.compiled->stored())
        if (!one.is_in_rows) check_extents(made[one.id]);
    std::vector<InputMemory> operands;
    for (const LoopInput& input : loops.inputs) operands.push_back(InputMemory::of(input));
    LoopResults found = call.run(operands, memory);
    if (found.are_refused) report_checks(graph, kernel_calls::arguments_on_processor(arguments));
    if (events != nullptr) {
        const std::span<const StoredNode> stored = loops.compiled->stored();
        const bool is_default = !loops.schedule || *loops.schedule == default_schedule(Strategy::expression);
        events->emplace_back(
            planning::BodyEvent{.graph = made,
                                .stored = {stored.begin(), stored.end()},
                                .loops = loops.compiled->kinds().names(),
                                .schedule = is_default ? "" : to_string(*loops.schedule),
                                .is_tuned = !choice.schedule,
                                .kernels = loops.compiled->kernels(),
                                .held_bytes = bytes_of_copies(arguments, source) + call.held_bytes(made)});
    }
    if (kept != nullptr)
        *kept = reads_arguments(loops.inputs, arguments)
                    ? std::make_shared<const KeptLoops>(std::move(call), arguments)
                    : nullptr;
    return std::move(found.results);
}

}  // namespace

std::shared_ptr<Expressions> loops_in_memory() { return std::make_shared<Expressions>(false); }

std::shared_ptr<CompiledExpression> loops_of(Pattern pattern, Specialization form, const LoopProvider& source,
                                             std::string part) {
    return expressions().get(std::move(pattern), std::move(form), source, std::move(part));
}

void CompiledBodies::prepare(std::span<const planning::BodyCall> bodies) const {
    std::vector<std::shared_ptr<CompiledExpression>> loops;
    for (const planning::BodyCall& call : bodies) {
        check_need(call.body, call.arguments, source_, false);
        auto own = LoopCall(call.body, call.arguments, source_, loops_).compiled;
        if (own->bytes() == 0 && std::ranges::find(loops, own) == loops.end())
            loops.push_back(std::move(own));
    }
    if (loops.size() > 1) compile(loops);
}

planning::PlanScope CompiledBodies::scope() const {
    if (!source_.device().is_cpu()) return planning::PlanScope::device;
    return source_.is_linked() ? planning::PlanScope::ahead : planning::PlanScope::any;
}

std::vector<Result> CompiledBodies::evaluate(const Graph& body, std::span<const Argument> arguments,
                                             planning::RunEvents* events,
                                             std::span<const planning::ResultMemory> memory,
                                             planning::KeptCall* kept) const {
    if (loops_.visit && !body.results.empty()) loops_.visit(body, arguments);
    if (kept != nullptr && *kept != nullptr && events == nullptr) {
        const auto* const known = static_cast<const KeptLoops*>(kept->get());
        if (known->is_for(arguments)) return known->run(body, arguments, memory);
    }
    if (scope() == planning::PlanScope::device) {
        const std::int64_t before = runtime::started_device_kernels();
        const std::vector<Argument> densified = kernel_calls::densified_lists(arguments);
        const auto started = static_cast<int>(runtime::started_device_kernels() - before);
        if (events != nullptr) events->emplace_back(planning::BodyEvent{.kernels = started});
        return run_loops(body, densified, source_, events, memory, loops_, nullptr);
    }
    return run_loops(body, arguments, source_, events, memory, loops_, kept);
}

kernel_calls::Ready CompiledBodies::ready(const Graph& step, std::span<const Argument> arguments,
                                          planning::RunEvents* events) const {
    if (loops_.visit && !loops_.visit(step, arguments)) return {};
    const std::optional<CompiledKernel> kernel = source_.kernel(step, arguments);
    if (!kernel) return planning::InterpretedBodies().ready(step, arguments, events);
    if (events != nullptr) events->emplace_back(planning::PassEvent{step, planning::formats_of(arguments)});
    auto own = std::make_shared<const std::vector<Argument>>(arguments.begin(), arguments.end());
    return {[own, call = kernel_calls::ready_calls(*kernel, {own.get(), 1})] { call.run(); }};
}

kernel_calls::Ready CompiledBodies::ready_rows(const planning::RowPlan& plan,
                                               std::span<const Argument> arguments,
                                               planning::RunEvents* events) const {
    const auto known = std::ranges::find(rows_, &plan, [](const auto& loops) { return &loops->plan(); });
    if (known == rows_.end()) return {};
    auto call = codegen::ready_rows(*known, arguments);
    if (call && events != nullptr) events->emplace_back(planning::RowsEvent{plan, (*known)->kernels()});
    return call;
}

}  // namespace frisket::codegen
