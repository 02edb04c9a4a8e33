// SPDX-License-Identifier: MIT
#include "eval.hpp"

#include "../runtime/tensor/overlap.hpp"
#include "jit/evaluator.hpp"
#include "loops/known_calls.hpp"
#include "tuning/records/tuned.hpp"

#include <algorithm>
#include <string>

namespace frisket {

namespace {

bool are_apart(const AnyTensor& a, const AnyTensor& b) {
    return a.size() == 0 || b.size() == 0 || runtime::byte_range(a).is_apart_from(runtime::byte_range(b));
}

bool is_apart(const planning::ResultMemory& memory, const AnyTensor& read) {
    return are_apart(memory.values, read) && (!memory.mask || are_apart(*memory.mask, read));
}

/// The memory, if loops can write a result there while they read the arguments; else nothing.
std::span<const planning::ResultMemory> memory_to_write(const planning::ResultMemory& memory,
                                                        std::span<const Argument> arguments) {
    if (!memory.values.is_contiguous() || (memory.mask && !memory.mask->is_contiguous())) return {};
    const bool are_all_apart = std::ranges::all_of(arguments, [&](const Argument& argument) {
        if (argument.kind() == Argument::Kind::tensor) return is_apart(memory, argument.tensor());
        if (argument.kind() != Argument::Kind::masked) return true;
        return is_apart(memory, argument.masked().values()) && is_apart(memory, argument.masked().mask());
    });
    return std::span(&memory, are_all_apart ? 1 : 0);
}

/// Puts the result into a target's memory, of which it may be a view.  Takes memory before it writes.
void write(const Result& result, const planning::ResultMemory& target) {
    struct Part {
        AnyTensor from, to;
        bool is_there() const {
            return from.address() == to.address() && from.strides() == to.strides() && from.size() > 0;
        }
    };
    std::vector<Part> parts;
    const auto add = [&](const AnyTensor& from, const AnyTensor& to) {
        const bool is_read_in_place = Part{from, to}.is_there() || is_apart(target, from);
        parts.push_back({is_read_in_place ? from : from.clone(), to});
    };
    add(result.listed ? result.listed->to_dense(0) : result.values, target.values);
    if (target.mask)
        add(result.listed ? result.listed->mask_tensor()
            : result.mask ? *result.mask
                          : AnyTensor(full<bool>({}, true)).broadcast_to(target.mask->shape()),
            *target.mask);
    for (const Part& part : parts)
        if (!part.is_there()) copy(part.from, part.to);
}

void check_target(const AnyTensor& target, const Shape& wanted) {
    if (target.shape() != wanted)
        throw ShapeError("eval_into: the target has shape " + to_string(target.shape()) +
                         ", wanted that of the expression: " + to_string(wanted));
    if (!target.is_writable())
        throw ValueError("eval_into: the target is read-only: give it a Tensor whose elements are not const");
    if (runtime::overlaps_itself(target) != runtime::Overlap::none)
        throw ValueError("eval_into: elements of the target share memory (shape " +
                         to_string(target.shape()) + ", strides " + to_string(target.strides()) +
                         "): give it a tensor whose elements are apart");
}

/// Refuses a target that cannot take a value of this shape.
void check_target(const planning::ResultMemory& target, const Shape& wanted) {
    target.values.check_not_moved("eval_into");
    check_target(target.values, wanted);
    if (target.mask) check_target(*target.mask, wanted);
    if (target.mask && !are_apart(target.values, *target.mask))
        throw ValueError(
            "eval_into: values and mask of the target share memory: give them memory of their own");
}

}  // namespace

namespace detail {

ir::ExpressionContext::Evaluate evaluator(const EvalOptions& options, planning::RunEvents* events) {
    return [options, events](const Graph& graph, std::span<const Argument> arguments) {
        return events == nullptr ? codegen::evaluate_shown(graph, arguments, options)
                                 : codegen::evaluate_graph(graph, arguments, options, {.events = events});
    };
}

EvaluatorInto::EvaluatorInto(const EvalOptions& options, const AnyTensor& values,
                             const std::optional<AnyTensor>& mask, const ExpressionKey* key)
    : Evaluator([options, values, mask, key](const Graph& graph, std::span<const Argument> arguments) {
          const planning::ResultMemory memory{values, mask};
          return codegen::evaluate_shown(graph, arguments, options,
                                         {.memory = memory_to_write(memory, arguments), .key = key});
      }),
      values_(values),
      mask_(mask) {
    if (options.layout) refuse_layout("eval_into", "the target has one");
}

void EvaluatorInto::write() {
    const planning::ResultMemory target{values_, mask_};
    check_target(target, expression(0).shape());
    frisket::write(values()[0], target);
}

AnyTensor mask_to_write(const AnyMasked& target) {
    target.check_not_moved("eval_into");
    if (target.layout() != Layout::strided)
        throw LayoutError("eval_into: the target has layout " + std::string(name_of(target.layout())) +
                          ", wanted strided, whose mask can be written: write masked(values, mask)");
    return target.mask();
}

void refuse_layout(const char* caller, const char* reason) {
    throw LayoutError(std::string(caller) + ": options ask for a layout, and " + reason +
                      ": leave layout(...) out");
}

Evaluator::Evaluator(const EvalOptions& options, const ExpressionKey* key)
    : Evaluator([options, key](const Graph& graph, std::span<const Argument> arguments) {
          return codegen::evaluate_shown(graph, arguments, options, {.key = key});
      }) {}

Evaluator::Evaluator(const ir::ExpressionContext::Evaluate& evaluate)
    : context_("eval", evaluate), emitter_(context_) {}

Evaluator::~Evaluator() = default;

namespace {

/// Adds the schedule of loops, or the number of the tuning results that decide it.
void add_schedule(ExpressionKey& key, const std::optional<Schedule>& schedule) {
    key.add(schedule.has_value());
    if (!schedule) return key.add(codegen::tuned_expressions_number());
    key.add(static_cast<std::uint64_t>(schedule->strategy));
    for (const Knob& knob : knobs()) key.add(static_cast<std::uint64_t>(knob.get(*schedule)));
}

}  // namespace

bool begin_key(ExpressionKey& key, const EvalOptions& options) {
    if (options.jit >= Jit::never || codegen::shows_plans()) return false;
    key.add(static_cast<std::uint64_t>(options.jit));
    if (options.jit == Jit::automatic) key.add(codegen::eval_policy_number());
    key.add(name_of(options.target));
    add_schedule(key, options.schedule);
    return true;
}

std::optional<std::vector<Result>> known_results(const ExpressionKey& key) {
    if (!key.is_complete()) return {};
    return codegen::run_known_call(key);
}

bool write_known(const ExpressionKey& key, const AnyTensor& values, const std::optional<AnyTensor>& mask) {
    if (!key.is_complete()) return false;
    const planning::ResultMemory target{values, mask};
    check_target(target, values.shape());  // the key's shape, equal to the expression's
    std::vector<Argument> arguments;
    arguments.reserve(key.tensors().size());
    for (const KeyTensor& tensor : key.tensors()) arguments.push_back(tensor.argument());
    const auto known = codegen::run_known_call(key, memory_to_write(target, arguments));
    if (known) write(known->front(), target);
    return known.has_value();
}

std::vector<Result> Evaluator::values() { return context_.run_any(expressions_); }

}  // namespace detail

}  // namespace frisket
