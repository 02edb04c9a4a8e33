// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <mutex>
#include <system_error>

#include "../../ir/graph_text.hpp"
#include "../../ir/passes/flatten_dims.hpp"
#include "../../ir/planner/executor.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/kernel/scratch.hpp"
#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/tensor/result_memory.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../disk_cache/loop_code.hpp"
#include "../limits.hpp"
#include "../lowering/expression_pattern.hpp"
#include "../lowering/lower_expression.hpp"
#include "halide_jit.hpp"
#include "jit_graph.hpp"
#include "result_mask.hpp"
#include "row_step.hpp"
#include "threads.hpp"

namespace frisket::codegen {

namespace {

/// A tensor argument as loops take it; of a number, which comes with the host's, nothing.
struct Input {
    std::optional<AnyTensor> values = {};
    std::optional<AnyTensor> mask = {};
    const AnyMasked* lender = nullptr;  // whose own mask this is: the user's, no result's
};

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

Input input_of(const Argument& argument) {
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

bool is_contiguous_input(const Input& input) {
    return (!input.values || input.values->is_contiguous()) && (!input.mask || input.mask->is_contiguous());
}

/// One dimension instead of several: the same memory.
void flatten(Input& input) {
    if (!input.values || input.values->rank() == 0) return;
    input.values = input.values->reshape({-1});
    if (input.mask) input.mask = input.mask->reshape({-1});
}

InputForm form_of(const Input& input) {
    return {.has_mask = input.mask.has_value(),
            .mask_is_bits = input.mask && input.mask->dtype() == DType::int64,
            .values_are_rows = !input.values || is_rows(*input.values),
            .mask_is_rows = !input.mask || is_rows(*input.mask)};
}

/// A tensor as loops see it.
kernel::ArrayView view_of(const AnyTensor& tensor, std::vector<kernel::LoopDim>& dims) {
    // Loops use nothing of an empty tensor, but may read at an index in range of its other dimensions: all
    // strides are 0, so that they find one element of `nothing`.
    alignas(64) static const std::byte nothing[64] = {};
    const bool is_empty = tensor.size() == 0;
    dims.clear();
    for (std::size_t d = tensor.shape().size(); d-- > 0;)
        dims.push_back({tensor.shape()[d], is_empty ? 0 : tensor.strides()[d]});
    return {is_empty ? nothing : tensor.data(), dims};
}

/// Results and checks as they are written.
struct Outputs {
    std::vector<Result> results;
    std::vector<AnyTensor> checks;

    const AnyTensor& tensor(const kernel::LoopParameter& parameter) const {
        const auto i = static_cast<std::size_t>(parameter.index);
        if (parameter.role == kernel::LoopRole::check) return checks[i];
        return parameter.role == kernel::LoopRole::output ? results[i].values : *results[i].mask;
    }
};

/// An expression as it was given.
struct UserCall {
    const Graph& graph;
    std::span<const Argument> arguments;
    std::span<const plan::ResultMemory> memory;  // memory of the results, or nothing
};

/// Loops for all graphs of one pattern.
class Compiled {
public:
    Compiled(Pattern pattern, Specialization form, const TargetRow& target)
        : pattern_(std::move(pattern)),
          form_(std::move(form)),
          target_(target),
          numbers_(ir::ScalarProgram::of(pattern_.graph)) {}

    bool is_for(const Pattern& pattern, const Specialization& form, const TargetRow& target) const {
        return pattern_ == pattern && form_ == form && &target_ == &target;
    }

    /// Nodes that the loops store and read again; after they are compiled.
    std::span<const NodeId> in_memory() const noexcept { return notes_.in_memory; }
    /// Memory of the loops, 0 before they are compiled.
    std::size_t bytes() const noexcept { return bytes_; }

    /// Compiles once, whoever comes first.
    void prepare() {
        std::call_once(once_, [this] {
            const Graph& graph = pattern_.graph;
            Specialization form = form_;
            form.numbers = pattern_.numbers;
            form.not_nan = pattern_.not_nan;
            if (runtime::shows("graph")) runtime::show("graph", "expression", to_string(pattern_.named()));
            const KeyText key = nest_key(graph, form);
            code_ = loop_code({.name = graph.name,
                               .loops = pattern_.title(),
                               .title = graph.name,
                               .target = target_,
                               .key = key,
                               .build = [&] { return built(make_nest(graph, numbers_, form)); }});
            notes_ = KernelMetadata::of(code_.notes());
            abi_ = abi_of(graph, numbers_, form, notes_.sizes);
            bytes_ = code_.bytes();
        });
    }

    /// `call`: what the user gave, for numbers and messages.
    std::vector<Result> run(const Graph& graph, std::span<const Input> inputs, const UserCall& call);

private:
    Outputs make_outputs(const Graph& graph, std::span<const Input> inputs,
                         std::span<const plan::ResultMemory> memory) const;
    void call(std::span<const void*> argv) const;

    Pattern pattern_;
    Specialization form_;
    const TargetRow& target_;
    ir::ScalarProgram numbers_;
    KernelMetadata notes_;
    kernel::LoopAbi abi_;
    std::once_flag once_;
    LoopCode code_;
    std::atomic<std::size_t> bytes_{0};
};

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

Outputs Compiled::make_outputs(const Graph& graph, std::span<const Input> inputs,
                               std::span<const plan::ResultMemory> memory) const {
    Outputs made;
    // Nothing may fail once it is written: loops judge values, and take memory, while they write.
    const bool can_fail =
        !graph.checks.empty() || !notes_.in_memory.empty() ||
        std::ranges::any_of(graph.nodes, [](const Node& node) { return info(node.kind).accumulates; });
    const bool is_given = !memory.empty() && !can_fail;
    for (std::size_t i = 0; i < graph.results.size(); ++i) {
        const Node& node = graph[graph.results[i]];
        Result& result = made.results.emplace_back(
            Result{is_given ? memory[i].values.reshape(node.shape)
                            : runtime::result_tensor(node.result_dtype(), node.shape)});
        if (node.mask == no_node) continue;
        if (writes_mask(pattern_.graph, pattern_.graph.results[i])) {
            result.mask = is_given && memory[i].mask ? memory[i].mask->reshape(node.shape)
                                                     : runtime::result_tensor(DType::boolean, node.shape);
            continue;
        }
        const Input& input = inputs[static_cast<std::size_t>(graph[node.mask].symbol)];
        if (input.lender != nullptr)
            result.mask = copied_mask(*input.lender).reshape(node.shape);
        else
            result.mask = input.mask ? *input.mask : AnyTensor(full<bool>({}, true)).broadcast_to(node.shape);
    }
    for (std::size_t i = 0; i < graph.checks.size(); ++i) made.checks.emplace_back(DType::boolean, Shape{});
    return made;
}

std::vector<Result> Compiled::run(const Graph& graph, std::span<const Input> inputs, const UserCall& user) {
    prepare();
    for (const NodeId id : notes_.in_memory) check_extents(graph[id]);
    Outputs outputs = make_outputs(graph, inputs, user.memory);
    std::vector<double> numbers(numbers_.size());
    numbers_.evaluate(graph, user.arguments, numbers.data());
    std::size_t rank = 1;
    for (const Node& node : graph.nodes) rank = std::max(rank, node.shape.size());
    std::vector<std::int32_t> sizes;
    for (const SizeSlot& slot : notes_.sizes) sizes.push_back(slot.of(graph));
    std::vector<kernel::LoopDim> dims;
    const auto view = [&](const kernel::LoopParameter& parameter) {
        if (kernel::is_written(parameter.role)) return view_of(outputs.tensor(parameter), dims);
        const Input& input = inputs[static_cast<std::size_t>(parameter.index)];
        return view_of(parameter.role == kernel::LoopRole::mask ? *input.mask : *input.values, dims);
    };
    kernel::LoopArguments loop;
    call(kernel::pack(abi_, {.host = numbers.data(), .others = sizes}, loop, view, rank));
    for (const AnyTensor& bad : outputs.checks)
        if (*static_cast<const bool*>(bad.data())) report_checks(user.graph, user.arguments);
    return std::move(outputs.results);
}

void Compiled::call(std::span<const void*> argv) const {
    JitContext context;
    const int status = code_.call(argv, context);
    if (status == 0) return;
    throw Bug("the loops of an expression failed with code " + std::to_string(status) + ": " +
              context.message);
}

/// Compiled expressions of this process.
class Expressions {
public:
    std::shared_ptr<Compiled> get(Pattern pattern, Specialization form, const TargetRow& target) {
        const auto matches = [&](const Compiled& known) { return known.is_for(pattern, form, target); };
        if (auto known = compiled_.find(hash(pattern.graph), matches)) return known;
        formulas_.limit(pattern);
        return compiled_.get(hash(pattern.graph), matches, [&] {
            return std::make_shared<Compiled>(std::move(pattern), std::move(form), target);
        });
    }

private:
    static constexpr std::size_t most = 256, most_bytes = std::size_t{1} << 30;
    runtime::LruCache<Compiled> compiled_{most, most_bytes};
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
    std::vector<Input> inputs;
    std::optional<Graph> flat = {};  ///< the graph over tensors of one dimension, if that is all it needs
    std::shared_ptr<Compiled> loops = {};

    LoopCall(const Graph& graph, std::span<const Argument> arguments, const TargetRow& row) {
        check_extents(graph);
        set_up_halide();
        for (const Argument& argument : arguments) inputs.push_back(input_of(argument));
        const std::optional<Shape> shape = ir::common_shape(graph);
        if (shape && shape->size() > 1 && std::ranges::all_of(inputs, is_contiguous_input)) {
            for (Input& input : inputs) flatten(input);
            flat = ir::flattened(graph, *shape);
        }
        Specialization form{.parallel = is_large(graph), .lanes = float_lanes(row)};
        for (const Input& input : inputs) form.inputs.push_back(form_of(input));
        const Graph& made = flat ? *flat : graph;
        for (NodeId id = 0; id < static_cast<NodeId>(made.nodes.size()); ++id)
            if (has_panels(made, made[id])) form.panels.push_back(id);
        loops = expressions().get(pattern_of(made), std::move(form), row);
    }
};

/// Compiles loops, several at once.  One that cannot be compiled says so when it is called.
void compile(const std::vector<std::shared_ptr<Compiled>>& loops) {
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
std::vector<Result> run_loops(const Graph& graph, std::span<const Argument> arguments, const TargetRow& row,
                              plan::StageReport* stage, std::span<const plan::ResultMemory> memory) {
    const LoopCall call(graph, arguments, row);
    const bool is_flat = call.flat.has_value();
    const Graph& made = is_flat ? *call.flat : graph;
    std::vector<Result> results = call.loops->run(made, call.inputs, {graph, arguments, memory});
    if (stage != nullptr) add_temporaries(made, call.loops->in_memory(), *stage);
    for (std::size_t i = 0; is_flat && i < results.size(); ++i) {
        const Shape& own = graph[graph.results[i]].shape;
        results[i].values = results[i].values.reshape(own);
        if (results[i].mask) results[i].mask = results[i].mask->reshape(own);
    }
    return results;
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

CompiledBodies::CompiledBodies(const TargetName& target, std::shared_ptr<RowLoops> rows)
    : target_(target),
      rows_(std::move(rows)),
      host_(find_target(find_target(target).gpu ? TargetName{"cpu"} : target)) {}

void CompiledBodies::prepare(std::span<const plan::BodyCall> bodies) const {
    std::vector<std::shared_ptr<Compiled>> loops;
    for (const plan::BodyCall& call : bodies) {
        auto own = LoopCall(call.body, call.arguments, host_).loops;
        if (own->bytes() == 0 && std::ranges::find(loops, own) == loops.end()) loops.push_back(std::move(own));
    }
    if (loops.size() > 1) compile(loops);
}

std::vector<Result> CompiledBodies::evaluate(const Graph& body, std::span<const Argument> arguments,
                                             plan::StageReport* report,
                                             std::span<const plan::ResultMemory> memory) const {
    return run_loops(body, arguments, host_, report, memory);
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
                                 const TargetName& target, plan::PlanReport* plan,
                                 std::span<const plan::ResultMemory> memory) {
    const TargetRow& row = find_target(target);
    if (row.gpu)
        throw TargetError("expressions are compiled for CPUs, and the target is " + std::string(row.name) +
                          ": choose target cpu");
    check_present(target);
    kernel::check_call(signature_of(graph), arguments);
    return plan::Executor(CompiledBodies(target), plan).run(graph, arguments, memory);
}

}  // namespace frisket::codegen
