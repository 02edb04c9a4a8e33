// SPDX-License-Identifier: MIT
#include "bound_call.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/kernel/scratch.hpp"
#include "../../runtime/tensor/result_memory.hpp"
#include "result_mask.hpp"
#include "threads.hpp"

namespace frisket::codegen {

namespace {

/// True if the loops can fail after their first store, as they check values or allocate while they run.
bool can_fail(const Graph& graph, const CompiledExpression& loops) {
    return !graph.checks.empty() || !loops.stored().empty() ||
           std::ranges::any_of(graph.nodes, [](const Node& node) { return info_of(node.kind).accumulates; });
}

bool is_number(const Argument& argument) {
    return argument.kind() == Argument::Kind::real || argument.kind() == Argument::Kind::integer;
}

/// True if some tensor, stored or not, is so large that memory may be short.
bool may_need_much(const Graph& graph) {
    constexpr std::int64_t least_elements = 1 << 22;
    return std::ranges::any_of(graph.nodes,
                               [](const Node& node) { return element_count(node.shape) >= least_elements; });
}

/// The mask of an input as a result has it, in memory that no tensor of the user's has.
AnyTensor mask_of(const InputMemory& input, const Shape& shape, const Device& device) {
    if (input.lender != nullptr) {
        const bool is_bytes = input.lender->layout() == Layout::strided;
        AnyTensor mask = device.is_cpu() ? copied_mask(*input.lender)
                         : is_bytes      ? input.lender->mask().clone()
                                         : input.lender->mask_tensor();
        return mask.shape() == shape ? std::move(mask) : mask.reshape(shape);
    }
    if (input.made_mask != nullptr) return input.made_mask->reshape(shape);
    return AnyTensor(full<bool>({}, true, device)).broadcast_to(shape);
}

}  // namespace

BoundCall::BoundCall(std::shared_ptr<const CompiledExpression> loops, const Graph& graph, const Graph& made,
                     std::span<const LoopInput> inputs, std::span<const Argument> arguments)
    : loops_(std::move(loops)),
      device_(loops_->device()),
      name_(graph.name),
      numbers_(loops_->numbers().size()),
      check_count_(graph.checks.size()) {
    loops_->numbers().evaluate(made, arguments, numbers_.data());
    if (std::ranges::any_of(arguments, is_number)) numbered_ = made;
    for (const SizeSlot& slot : loops_->sizes()) sizes_.push_back(slot.of(made));
    for (const Node& node : made.nodes) rank_ = std::max(rank_, node.shape.size());
    writes_memory_ = !can_fail(made, *loops_);
    for (std::size_t i = 0; i < graph.results.size(); ++i) add_result(graph, made, i);
    for (const kernel_calls::LoopParameter& parameter : loops_->abi()) {
        if (!kernel_calls::is_array(parameter.role)) continue;
        const auto index = static_cast<std::size_t>(parameter.index);
        if (parameter.role == kernel_calls::LoopRole::check) {
            add_array({}, {});
        } else if (kernel_calls::is_written(parameter.role)) {
            const Shape& shape = made[made.results[index]].shape;
            add_array(shape, contiguous_strides(shape));
        } else {
            const LoopInput& input = inputs[index];
            const AnyTensor& read =
                parameter.role == kernel_calls::LoopRole::mask ? *input.mask : *input.values;
            add_array(read.shape(), read.strides());
        }
    }
    add_need(graph, made);
}

void BoundCall::add_need(const Graph& graph, const Graph& made) {
    for (const NodeId result : graph.results) need_.add_result(graph, result);
    if (!may_need_much(made)) return;
    for (const StoredNode& one : loops_->stored()) {
        const bool is_result = std::ranges::find(made.results, one.id) != made.results.end();
        if (!one.is_in_rows && !is_result) need_.note(made, one.id, one.dtype);
    }
    need_.add(held_bytes(made));
}

std::int64_t BoundCall::held_bytes(const Graph& made) const {
    const std::span<const kernel_calls::LoopParameter> abi = loops_->abi();
    const auto extent = [&](int parameter, int dim) {
        const auto before = std::ranges::count_if(abi.first(static_cast<std::size_t>(parameter)),
                                                  kernel_calls::is_array, &kernel_calls::LoopParameter::role);
        const Array& array = arrays_[static_cast<std::size_t>(before)];
        return dims_[array.first + static_cast<std::size_t>(dim)].extent;
    };
    const auto held =
        evaluated(loops_->memory(), {.sizes = sizes_, .extent = extent, .threads = thread_count()});
    if (held) return *held;
    planning::MemoryNeed stored;
    for (const StoredNode& one : loops_->stored()) {
        const bool is_result = std::ranges::find(made.results, one.id) != made.results.end();
        if (!one.is_in_rows && !is_result) stored.add(planning::tensor_bytes(one.dtype, made[one.id].shape));
    }
    return stored.held_bytes();
}

void BoundCall::add_result(const Graph& graph, const Graph& made, std::size_t i) {
    const Node& node = made[made.results[i]];
    ResultForm& form = results_.emplace_back();
    form.dtype = node.result_dtype();
    form.shape = graph[graph.results[i]].shape;
    if (node.mask == no_node) return;
    if (writes_mask(loops_->graph(), loops_->graph().results[i])) {
        form.mask = ResultForm::Mask::written;
    } else {
        form.mask = ResultForm::Mask::of_input;
        form.input = static_cast<std::size_t>(made[node.mask].symbol);
    }
}

void BoundCall::add_array(const Shape& shape, const Strides& strides) {
    const bool is_empty = element_count(shape) == 0;
    arrays_.push_back({dims_.size(), shape.size(), is_empty});
    for (std::size_t d = shape.size(); d-- > 0;) dims_.push_back({shape[d], is_empty ? 0 : strides[d]});
}

Result BoundCall::result_of(const ResultForm& form, std::span<const InputMemory> inputs,
                            const planning::ResultMemory* memory) const {
    const auto made = [&](DType dtype) {
        return device_.is_cpu() ? runtime::result_tensor(dtype, form.shape)
                                : empty(dtype, form.shape, device_);
    };
    Result result{memory != nullptr ? memory->values : made(form.dtype)};
    if (form.mask == ResultForm::Mask::written)
        result.mask = memory != nullptr && memory->mask ? *memory->mask : made(DType::boolean);
    if (form.mask == ResultForm::Mask::of_input)
        result.mask = mask_of(inputs[form.input], form.shape, device_);
    return result;
}

void BoundCall::check_memory(std::span<const planning::ResultMemory> memory) const {
    if (!takes(memory)) need_.check(name_);
}

LoopResults BoundCall::run(std::span<const InputMemory> inputs,
                           std::span<const planning::ResultMemory> memory,
                           std::span<const Argument> arguments) const {
    const kernel_calls::FrameLease frame;
    const double* host = numbers_.data();
    if (numbered_ && !arguments.empty()) {
        std::vector<double>& numbers = frame.scratch.numbers;
        if (numbers.size() < numbers_.size()) numbers.resize(numbers_.size());
        loops_->numbers().evaluate(*numbered_, arguments, numbers.data());
        host = numbers.data();
    }
    LoopResults made;
    const bool is_given = takes(memory);
    made.results.reserve(results_.size());
    for (std::size_t i = 0; i < results_.size(); ++i)
        made.results.push_back(result_of(results_[i], inputs, is_given ? &memory[i] : nullptr));
    // Nothing is to be made: no loops run, whatever they would store on the way.
    const auto is_nothing = [](const Result& result) { return result.values.size() == 0; };
    if (check_count_ == 0 && std::ranges::all_of(made.results, is_nothing)) return made;
    std::vector<std::uint8_t> checks(check_count_);
    std::vector<Tensor<bool>> checks_there;
    for (std::size_t i = 0; !device_.is_cpu() && i < check_count_; ++i)
        checks_there.push_back(empty<bool>({}, device_));
    const auto memory_of = [&](const kernel_calls::LoopParameter& parameter) -> const void* {
        const auto index = static_cast<std::size_t>(parameter.index);
        switch (parameter.role) {
            case kernel_calls::LoopRole::check:
                return checks_there.empty() ? &checks[index] : checks_there[index].address();
            case kernel_calls::LoopRole::output: return made.results[index].values.address();
            case kernel_calls::LoopRole::output_mask: return made.results[index].mask->address();
            case kernel_calls::LoopRole::mask: return inputs[index].mask;
            default: return inputs[index].values;
        }
    };
    // Loops use nothing of an empty tensor, but may read at an index in range of its other dimensions: all
    // strides are 0, so that they find one element of `nothing`.
    alignas(64) static const std::byte nowhere[64] = {};
    const void* const nothing = device_.is_cpu() ? nowhere : runtime::bool_on(device_, false);
    auto array = arrays_.begin();
    const auto view = [&](const kernel_calls::LoopParameter& parameter) {
        const Array& form = *array++;
        return kernel_calls::ArrayView{form.is_empty ? nothing : memory_of(parameter),
                                       std::span(dims_).subspan(form.first, form.rank)};
    };
    loops_->call(
        kernel_calls::pack(loops_->abi(), {.host = host, .others = sizes_}, frame.scratch.loop, view, rank_));
    for (std::size_t i = 0; i < checks_there.size(); ++i) checks[i] = checks_there[i].item() ? 1 : 0;
    made.are_refused = std::ranges::any_of(checks, [](std::uint8_t found) { return found != 0; });
    return made;
}

bool reads_arguments(std::span<const LoopInput> inputs, std::span<const Argument> arguments) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Argument& argument = arguments[i];
        if (!inputs[i].values) continue;
        const InputMemory memory = memory_of(argument);
        if (inputs[i].values->address() != memory.values) return false;
        if (inputs[i].mask && inputs[i].mask->address() != memory.mask) return false;
    }
    return true;
}

InputMemory memory_of(const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor) return memory_of(argument.tensor());
    return argument.kind() == Argument::Kind::masked ? memory_of(argument.masked()) : InputMemory();
}

KeptLoops::KeptLoops(BoundCall call, std::span<const Argument> arguments) : call_(std::move(call)) {
    for (const Argument& argument : arguments) {
        Form& form = forms_.emplace_back();
        form.is_number = is_number(argument);
        if (argument.kind() == Argument::Kind::tensor) {
            form.shape = argument.tensor().shape();
            form.values = argument.tensor().strides();
        } else if (argument.kind() == Argument::Kind::masked) {
            const AnyMasked& masked = argument.masked();
            form = {masked.shape(), masked.values().strides(), masked.mask().strides(), masked.layout(),
                    false};
        }
    }
}

bool KeptLoops::is_of(const Form& form, const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor)
        return !form.is_number && !runtime::has_mask(form.layout) && form.mask.empty() &&
               form.shape == argument.tensor().shape() && form.values == argument.tensor().strides();
    if (argument.kind() != Argument::Kind::masked) return form.is_number;
    const AnyMasked& masked = argument.masked();
    return form.layout == masked.layout() && form.shape == masked.shape() &&
           form.values == masked.values().strides() && form.mask == masked.mask().strides();
}

bool KeptLoops::is_for(std::span<const Argument> arguments) const {
    return std::ranges::equal(forms_, arguments, is_of);
}

std::vector<Result> KeptLoops::run(const Graph& graph, std::span<const Argument> arguments,
                                   std::span<const planning::ResultMemory> memory) const {
    call_.check_memory(memory);
    std::vector<InputMemory> inputs;
    inputs.reserve(arguments.size());
    for (const Argument& argument : arguments) inputs.push_back(memory_of(argument));
    LoopResults found = call_.run(inputs, memory, arguments);
    if (found.are_refused) report_checks(graph, arguments);
    return std::move(found.results);
}

}  // namespace frisket::codegen
