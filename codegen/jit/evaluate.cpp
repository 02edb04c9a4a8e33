// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <system_error>

#include "../../ir/graph_text.hpp"
#include "../../ir/passes/flatten_dims.hpp"
#include "../../ir/planner/executor.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../limits.hpp"
#include "../lowering/expression_pattern.hpp"
#include "../lowering/lower_expression.hpp"
#include "bound_call.hpp"
#include "compiled_expression.hpp"
#include "halide_jit.hpp"
#include "jit_graph.hpp"
#include "row_step.hpp"
#include "threads.hpp"

namespace frisket::codegen {

namespace {

/// True if each row of a bit mask is a number of whole words, so that loops find the word of an element.
bool is_whole_words(const Shape& shape) { return !shape.empty() && shape.back() % 64 == 0; }

/// The words of a bit mask as a tensor whose last dimension has a 64th of the elements.
AnyTensor row_words(const AnyMasked& masked) {
    Shape shape = masked.shape();
    shape.back() /= 64;
    const AnyTensor& words = masked.mask();
    return {words.dtype(), words.data(), shape, contiguous_strides(shape), false, words.owner()};
}

/// The tensor, or where its strides lead out of the reach of loops, a copy without gaps.
AnyTensor in_reach(const AnyTensor& tensor) {
    return tensor.is_contiguous() || kernel::is_in_reach(tensor) ? tensor : tensor.clone();
}

LoopInput input_of(const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor) return {in_reach(argument.tensor())};
    if (argument.kind() != Argument::Kind::masked) return {};
    const AnyMasked& masked = argument.masked();
    const AnyTensor values = in_reach(runtime::dense_values(masked));
    if (masked.layout() == Layout::dense) return {values};
    if (masked.layout() == Layout::strided && masked.mask().is_contiguous())
        return {values, masked.mask(), &masked};
    if (masked.layout() == Layout::bitmask && is_whole_words(masked.shape()))
        return {values, row_words(masked), &masked};
    return {values, masked.mask_tensor()};
}

bool is_rows(const AnyTensor& tensor) {
    return tensor.rank() == 0 || (tensor.strides().back() == 1 && tensor.size() > 0);
}

bool is_contiguous_input(const LoopInput& input) {
    return (!input.values || input.values->is_contiguous()) && (!input.mask || input.mask->is_contiguous());
}

/// One dimension instead of several: the same memory.
void flatten(LoopInput& input) {
    if (!input.values || input.values->rank() == 0) return;
    input.values = input.values->reshape({-1});
    if (input.mask) input.mask = input.mask->reshape({-1});
}

InputForm form_of(const LoopInput& input) {
    return {.has_mask = input.mask.has_value(),
            .mask_is_bits = input.mask && input.mask->dtype() == DType::int64,
            .values_are_rows = !input.values || is_rows(*input.values),
            .mask_is_rows = !input.mask || is_rows(*input.mask)};
}

/// True if some tensor has so many elements that threads pay.
bool is_large(const Graph& graph) {
    return std::ranges::any_of(
        graph.nodes, [&](const Node& node) { return work_of(graph, node) >= limits::least_for_threads; });
}

/// Elements that loops index as one range.
void check_extents(const Node& node) {
    if (element_count(node.shape) <= std::numeric_limits<std::int32_t>::max()) return;
    throw ShapeError("an expression has a tensor of shape " + to_string(node.shape) +
                     ": loops index fewer than 2^31 elements, evaluate it in parts");
}

/// Checks the tensors that are in memory, whatever the loops, and reshapes.
void check_extents(const Graph& graph) {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const NodeKind kind = graph[id].kind;
        const bool is_inlined = kind >= NodeKind::op && is_elementwise(kind);
        if (is_inlined && std::ranges::find(graph.results, id) == graph.results.end()) continue;
        if (kind != NodeKind::view) check_extents(graph[id]);
    }
}

/// Compiled expressions of this process.
class Expressions {
public:
    std::shared_ptr<CompiledExpression> get(Pattern pattern, Specialization form, const TargetRow& target) {
        const auto matches = [&](const CompiledExpression& known) {
            return known.is_for(pattern, form, target);
        };
        if (auto known = compiled_.find(hash(pattern.graph), matches)) return known;
        formulas_.limit(pattern);
        return compiled_.get(hash(pattern.graph), matches, [&] {
            return std::make_shared<CompiledExpression>(std::move(pattern), std::move(form), target);
        });
    }

private:
    static constexpr std::size_t most = 256, most_bytes = std::size_t{1} << 30;
    runtime::LruCache<CompiledExpression> compiled_{most, most_bytes};
    Formulas formulas_;
};

Expressions& expressions() {
    static auto* all = new Expressions;  // never destroyed, as static variables of the user's may outlive it
    return *all;
}

/// Adds the tensors that loops store and read again: reductions, and `in_memory`.
void add_temporaries(const Graph& graph, std::span<const NodeId> in_memory, plan::StageReport& stage) {
    constexpr int depth = 2;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const bool is_result = std::ranges::find(graph.results, id) != graph.results.end();
        const bool is_stored =
            info(graph[id].kind).accumulates || std::ranges::find(in_memory, id) != in_memory.end();
        if (is_result || !is_stored) continue;
        const Node& node = graph[id];
        stage.makes.push_back({.name = ir::expression_text(graph, id, depth),
                               .dtype = node.dtype,
                               .shape = node.shape,
                               .bytes = element_count(node.shape) * bytes_of(node.dtype),
                               .is_temporary = true});
    }
}

/// A graph over whole tensors, and the loops for it.
struct LoopCall {
    std::vector<LoopInput> inputs;
    std::optional<Graph> flat = {};  ///< the graph over tensors of one dimension, if that is all it needs
    std::shared_ptr<CompiledExpression> compiled = {};

    LoopCall(const Graph& graph, std::span<const Argument> arguments, const TargetRow& row) {
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
        compiled = expressions().get(pattern_of(made), std::move(form), row);
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
                              std::shared_ptr<const BoundCall>* bound) {
    const LoopCall loops(graph, arguments, row);
    const Graph& made = loops.flat ? *loops.flat : graph;
    loops.compiled->prepare();
    for (const NodeId id : loops.compiled->in_memory()) check_extents(made[id]);
    BoundCall call(loops.compiled, graph, made, loops.inputs, arguments);
    std::vector<InputMemory> operands;
    for (const LoopInput& input : loops.inputs) operands.push_back(InputMemory::of(input));
    LoopResults found = call.run(operands, memory);
    if (found.are_refused) report_checks(graph, arguments);
    if (stage != nullptr) {
        add_temporaries(made, loops.compiled->in_memory(), *stage);
        stage->loops = loops.compiled->kinds().names();
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

CompiledBodies::CompiledBodies(const TargetName& target, std::shared_ptr<RowLoops> rows, WholeCall* whole)
    : target_(target),
      rows_(std::move(rows)),
      whole_(whole),
      host_(find_target(find_target(target).gpu ? TargetName{"cpu"} : target)) {}

void CompiledBodies::prepare(std::span<const plan::BodyCall> bodies) const {
    std::vector<std::shared_ptr<CompiledExpression>> loops;
    for (const plan::BodyCall& call : bodies) {
        auto own = LoopCall(call.body, call.arguments, host_).compiled;
        if (own->bytes() == 0 && std::ranges::find(loops, own) == loops.end())
            loops.push_back(std::move(own));
    }
    if (loops.size() > 1) compile(loops);
}

std::vector<Result> CompiledBodies::evaluate(const Graph& body, std::span<const Argument> arguments,
                                             plan::StageReport* report,
                                             std::span<const plan::ResultMemory> memory) const {
    const bool is_whole = whole_ != nullptr && whole_->graph == &body;
    return run_loops(body, arguments, host_, report, memory, is_whole ? &whole_->bound : nullptr);
}

std::unique_ptr<kernel::Ready> CompiledBodies::ready(const Graph& step, std::span<const Argument> arguments,
                                                     plan::StageReport* /*report*/) const {
    return std::make_unique<KernelCall>(jit(step, target_), arguments);
}

std::unique_ptr<kernel::Ready> CompiledBodies::ready_rows(const plan::RowPlan& plan,
                                                          std::span<const Argument> arguments) const {
    return rows_ ? codegen::ready_rows(plan, rows_, arguments) : nullptr;
}

std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target, const JitUse& use) {
    const TargetRow& row = find_target(target);
    if (row.gpu)
        throw TargetError("expressions are compiled for CPUs, and the target is " + std::string(row.name) +
                          ": choose target cpu");
    check_present(target);
    kernel::check_call(signature_of(graph), arguments);
    WholeCall whole{&graph};
    const CompiledBodies bodies(target, nullptr, use.bound != nullptr ? &whole : nullptr);
    std::vector<Result> results = plan::Executor(bodies, use.plan).run(graph, arguments, use.memory);
    if (use.bound != nullptr) *use.bound = std::move(whole.bound);
    return results;
}

}  // namespace frisket::codegen
