// SPDX-License-Identifier: MIT
#include "parameter_state.hpp"

#include "../codegen/loops/ready_step.hpp"
#include "../ir/interpreter/interpret.hpp"
#include "../ir/interpreter/stochastic_rounding.hpp"
#include "../ir/passes/transforms.hpp"
#include "../runtime/layouts/layout_traits.hpp"
#include "../runtime/support/joined.hpp"
#include "step_graphs.hpp"

#include <algorithm>

namespace frisket::optim {

namespace {

/// Gives a tensor elements that lie row-major; allocates nothing, as copy() does of tensors with gaps.
const std::byte* give_elements(const AnyTensor& tensor, const std::byte* from, std::size_t dim = 0,
                               std::int64_t at = 0) noexcept {
    const int bytes = bytes_of(tensor.dtype());
    if (tensor.size() == 0) return from;
    if (dim == tensor.shape().size()) {
        std::copy_n(from, bytes, static_cast<std::byte*>(tensor.data()) + at * bytes);
        return from + bytes;
    }
    for (std::int64_t i = 0; i < tensor.shape()[dim]; ++i)
        from = give_elements(tensor, from, dim + 1, at + i * tensor.strides()[dim]);
    return from;
}

/// Refers to the tensor of an argument, which outlives the call.
Argument borrowed(const Argument& gradient) {
    return gradient.kind() == Argument::Kind::masked ? Argument::borrow(gradient.masked())
                                                     : Argument::borrow(gradient.tensor());
}

double& number_in(const AnyTensor& tensor) { return *static_cast<double*>(tensor.data()); }

/// Loops for the steps of an optimizer.
const codegen::LoopProvider& provider_of(const Optimizer::Settings& settings) {
    return settings.kernels(settings.target);
}

[[noreturn]] void refuse_not_compiled(const RuleInfo& rule, DType dtype) {
    throw TargetError(std::string(rule.name) + ": its step for " + std::string(name_of(dtype)) +
                      " parameters was not compiled ahead of time with these options and settings: name an "
                      "OptimizerKernels that has them in OPTIMIZERS of frisket_add_kernels");
}

/// A seed of a parameter's own: kept with its state, whatever stands beside it later.
std::int64_t seed_of(std::uint64_t seed, std::size_t parameter) {
    const auto word = [&](int which) -> std::uint64_t {
        const ir::RandomBits bits{.seed = static_cast<std::int64_t>(seed), .rounding = which};
        return bits.at(static_cast<std::int64_t>(parameter));
    };
    return static_cast<std::int64_t>(word(1) << 32U | word(0));
}

}  // namespace

std::vector<kernel_calls::Ready> CompiledRule::ready(std::span<const std::vector<Argument>> calls,
                                                     const Optimizer::Settings& settings) const {
    std::vector<kernel_calls::Ready> made;
    if (kernel) {
        made.push_back(kernel_calls::ready_calls(*kernel, calls));
        return made;
    }
    for (const std::vector<Argument>& arguments : calls)
        made.push_back(settings.interpret ? ready_interpreted(step->graph, arguments)
                                          : codegen::ready_step(step, arguments, provider_of(settings)));
    return made;
}

Optimizer::Undo::~Undo() {
    if (is_kept_) return;
    for (auto noted = slots_.rbegin(); noted != slots_.rend(); ++noted)
        std::swap(*noted->first, noted->second);
    for (const auto& [tensor, before] : bytes_) {
        if (tensor.device().is_cpu())
            give_elements(tensor, static_cast<const std::byte*>(before.data()));
        else
            try {
                copy(before, tensor);
            } catch (const Error&) {
                // Nothing is left to do for memory of a device that no longer runs kernels: the error
                // on its way to the caller says so.
            }
    }
}

void Optimizer::Undo::note(ParameterState& slot) { slots_.emplace_back(&slot, slot); }

void Optimizer::Undo::note_bytes(ParameterState& slot) {
    bytes_.push_back({slot.param, slot.param.clone()});
    for (const StateTensor& kept : slot.state) bytes_.push_back({kept.tensor, kept.tensor.clone()});
}

/// The step of a rule for a parameter, changed by the settings.
std::shared_ptr<const CompiledRule>
Optimizer::Implementation::make(const Group& group, const ParameterState& slot, bool is_scaled) const {
    CompiledRule program;
    program.step = std::make_shared<const planning::PreparedGraph>(
        step_graph(group.rule, slot.param.dtype(), slot.param.shape(),
                   {settings.untouched, is_scaled, is_random(slot)}));
    program.variant = variant(group, slot);
    program.is_scaled = is_scaled;
    if (!program.step->graph.shaped && !settings.interpret) {
        program.kernel = provider_of(settings).kernel(program.step->graph);
        if (!program.kernel) refuse_not_compiled(group.rule.info(), slot.param.dtype());
    }
    return std::make_shared<const CompiledRule>(std::move(program));
}

/// Finds the slot's program and makes the state that it needs.
void Optimizer::Implementation::prepare(Group& group, ParameterState& slot, bool is_scaled, Undo& undo) {
    const std::string variant = this->variant(group, slot);
    if (slot.program && slot.program->variant == variant && slot.program->is_scaled == is_scaled) return;
    const auto fits = [&](const std::shared_ptr<const CompiledRule>& program) {
        const int param = program->step->signature.find("param");
        return program->variant == variant && program->is_scaled == is_scaled &&
               program->step->signature.parameters[static_cast<std::size_t>(param)].dtype ==
                   slot.param.dtype() &&
               (!program->step->graph.shaped ||
                program->step->graph.symbols[static_cast<std::size_t>(param)].shape == slot.param.shape());
    };
    undo.note(slot);
    const auto known = std::ranges::find_if(group.programs, fits);
    slot.program =
        known != group.programs.end() ? *known : group.programs.emplace_back(make(group, slot, is_scaled));
    slot.sources.clear();
    const std::vector<Number> numbers = this->numbers(group, slot);
    for (const Parameter& parameter : slot.program->step->signature.parameters)
        slot.sources.push_back(source_of(group, slot, parameter, numbers));
}

/// Source of a step's argument; makes state that there is none of yet.
Source Optimizer::Implementation::source_of(const Group& group, ParameterState& slot,
                                            const Parameter& parameter,
                                            std::span<const Number> numbers) const {
    using Kind = Source::Kind;
    const RuleInfo& rule = group.rule.info();
    if (parameter.kind == SymbolKind::masked) return {Kind::grad};
    if (parameter.name == "param") return {Kind::param};
    if (parameter.kind == SymbolKind::in_out || parameter.kind == SymbolKind::scalar_state) {
        const auto known = std::ranges::find(slot.state, parameter.name, &StateTensor::name);
        const auto index = static_cast<std::size_t>(known - slot.state.begin());
        if (known != slot.state.end()) return {Kind::state, index};
        const bool is_number = parameter.kind == SymbolKind::scalar_state;
        const Shape shape = is_number ? Shape{} : rule.state_shape(parameter.name, slot.param.shape());
        const double initial = rule.initial(group.rule.data(), parameter.name);
        const AnyTensor made = runtime::filled_with_number(parameter.dtype, shape, initial);
        slot.state.push_back({parameter.name, is_number ? made : made.to(slot.param.device()), is_number});
        return {Kind::state, index};
    }
    if (parameter.name == "t") return {Kind::t};
    if (parameter.kind == SymbolKind::in && parameter.name == "missed") return {Kind::missed};
    if (parameter.name == gradient_factor) return {Kind::factor};
    if (parameter.name == gradient_limit) return {Kind::limit};
    if (parameter.name == rounding_step) return {Kind::step};
    if (parameter.name == rounding_first) return {Kind::first};
    if (parameter.name == rounding_seed)
        return {Kind::seed, static_cast<std::size_t>(slot.find(rounding_seed) - slot.state.data())};
    // The last of a name counts: a derived number goes before an option.
    for (std::size_t i = numbers.size(); i-- > 0;)
        if (numbers[i].name == parameter.name) return {Kind::number, i};
    throw BindingError(std::string(rule.name) + ": its step takes " + parameter.name +
                       ", which is no option: name it in options(), or in derived()");
}

std::vector<std::string> Optimizer::Implementation::names() const {
    std::vector<std::string> names;
    for (const Group& group : groups)
        for (const ParameterState& slot : group.slots) names.push_back(slot.name);
    return names;
}

std::vector<NamedParameter> Optimizer::Implementation::parameters() const {
    std::vector<NamedParameter> parameters;
    for (const Group& group : groups)
        for (const ParameterState& slot : group.slots) parameters.push_back({slot.name, slot.param});
    return parameters;
}

void Optimizer::Implementation::check_rounding(std::string_view rule,
                                               std::span<const NamedParameter> parameters) const {
    const auto is_small = [](const NamedParameter& parameter) {
        return has_16_bits(parameter.tensor.dtype());
    };
    if (!settings.stochastic_rounding || parameters.empty() || std::ranges::any_of(parameters, is_small))
        return;
    const NamedParameter& first = parameters.front();
    throw ValueError(std::string(rule) + ": parameter " + (first.name.empty() ? "0" : first.name) + " is " +
                     std::string(name_of(first.tensor.dtype())) +
                     ", and no other has 16 bits: stochastic_rounding is for float16 and bfloat16, others "
                     "are not rounded; leave it out");
}

void Optimizer::Implementation::check_parameter(std::string_view rule, const std::string& name,
                                                const AnyTensor& tensor) const {
    const std::string where = std::string(rule) + ": parameter " + name;
    tensor.check_not_moved(where);
    if (!tensor.is_writable())
        throw ValueError(where +
                         " is read-only: a step writes it, give a Tensor of a type that is not const");
    if (runtime::overlaps_itself(tensor) != runtime::Overlap::none)
        throw ValueError(where + " overlaps itself (shape " + to_string(tensor.shape()) + ", strides " +
                         to_string(tensor.strides()) +
                         "): a step writes each element apart, give it a clone()");
}

void Optimizer::Implementation::check_options() const {
    for (const Group& group : groups) group.rule.check();
}

void Optimizer::Implementation::add(AnyRule rule, std::vector<NamedParameter> parameters,
                                    std::vector<std::shared_ptr<const CompiledRule>> programs) {
    rule.check();
    Group group{std::move(rule), {}, std::move(programs)};
    const std::string_view rule_name = group.rule.info().name;
    if (is_lazy()) check_closed_form(group.rule);
    ParameterMemory memory = this->memory;
    if (groups.empty()) check_rounding(rule_name, parameters);
    std::size_t number = parameter_count();
    for (NamedParameter& parameter : parameters) {
        std::string name = parameter.name.empty() ? std::to_string(number) : parameter.name;
        ++number;
        const auto is_same = [&](const ParameterState& slot) { return slot.name == name; };
        if (find(name) != nullptr || std::ranges::any_of(group.slots, is_same))
            throw ValueError(std::string(rule_name) + ": two parameters are called " + name +
                             ": give each a name of its own");
        check_parameter(rule_name, name, parameter.tensor);
        if (const std::string* const other = memory.overlapping(parameter.tensor))
            throw ValueError(std::string(rule_name) + ": parameter " + name +
                             " shares memory with parameter " + *other +
                             ": a step would update it twice, give it once or a clone()");
        memory.add(name, parameter.tensor);
        ParameterState slot;
        slot.name = std::move(name);
        slot.param = std::move(parameter.tensor);
        slot.first_tile = parameter.first_tile;
        if (is_random(slot)) {
            const std::int64_t seed = seed_of(settings.seed, number - 1);
            slot.state.push_back({std::string(rounding_seed), AnyTensor(Tensor<std::int64_t>({}, {seed}))});
        }
        if (is_lazy()) slot.missed = noted_options(group, slot);
        Undo undo;  // restores nothing: the slot is new
        prepare(group, slot, false, undo);
        undo.keep();
        group.slots.push_back(std::move(slot));
    }
    groups.push_back(std::move(group));
    this->memory = std::move(memory);
}

Optimizer::ParameterState& Optimizer::Implementation::parameter(std::string_view name) {
    ParameterState* const slot = find(name);
    if (slot == nullptr)
        throw ValueError("there is no parameter " + std::string(name) + "; there are " +
                         runtime::joined(names()));
    return *slot;
}

void Optimizer::Implementation::set_parameter(std::string_view name, AnyTensor tensor) {
    ParameterState& slot = parameter(name);
    const std::string where = "parameter " + std::string(name);
    check_parameter("set_parameter", std::string(name), tensor);
    if (tensor.dtype() != slot.param.dtype())
        throw DTypeError("set_parameter: " + where + " is " + std::string(name_of(slot.param.dtype())) +
                         " and is given " + std::string(name_of(tensor.dtype())) +
                         ": give it the same dtype, or make an optimizer of its own");
    if (tensor.shape() != slot.param.shape())
        throw ShapeError("set_parameter: " + where + " has shape " + to_string(slot.param.shape()) +
                         " and is given " + to_string(tensor.shape()) +
                         ": give it the same shape, or make an optimizer of its own");
    ParameterMemory others;
    for (const NamedParameter& parameter : parameters())
        if (parameter.name != name) others.add(parameter.name, parameter.tensor);
    if (const std::string* const other = others.overlapping(tensor))
        throw ValueError("set_parameter: " + where + " shares memory with parameter " + *other +
                         ": a step would update it twice, give it a clone()");
    others.add(std::string(name), tensor);
    ParameterState moved = slot;
    for (StateTensor& kept : moved.state)
        if (!kept.is_number && kept.name != rounding_seed) kept.tensor = kept.tensor.to(tensor.device());
    if (is_lazy()) moved.missed.counts = moved.missed.counts.to(tensor.device());
    moved.param = std::move(tensor);
    slot = std::move(moved);
    memory = std::move(others);
}

void Optimizer::Implementation::check_gradient(const Group& group, const ParameterState& slot,
                                               const Argument& gradient) const {
    const RuleInfo& rule = group.rule.info();
    const std::string where = std::string(rule.name) + ": the gradient of " + slot.name;
    if (gradient.kind() != Argument::Kind::tensor && gradient.kind() != Argument::Kind::masked)
        throw BindingError(where + " is a number, wanted a tensor or a masked tensor");
    if (gradient.shape() != slot.param.shape())
        throw ShapeError(where + " has shape " + to_string(gradient.shape()) + ", the parameter has " +
                         to_string(slot.param.shape()) + ": they must be equal");
    const bool is_masked = runtime::has_mask(gradient.layout());
    if (is_masked && settings.untouched == Untouched::masked && !rule.no_mask.empty())
        throw ValueError(where + " is masked, and " + std::string(rule.name) + " has no masked form, as " +
                         std::string(rule.no_mask) +
                         ": say Untouched::dense_equivalent, for which unspecified means zero");
    const auto check_memory = [&](const AnyTensor& tensor, const char* part) {
        if (const std::string* const other = memory.overlapping(tensor))
            throw ValueError(where + " shares memory with parameter " + *other + part +
                             ": steps update that while the gradient is read, give it a clone()");
    };
    check_memory(gradient.values(), "");
    if (gradient.kind() == Argument::Kind::masked) check_memory(gradient.masked().mask(), " (its mask)");
}

std::vector<Number> Optimizer::Implementation::numbers(const Group& group, const ParameterState& slot) const {
    std::vector<Number> numbers;
    numbers.reserve(16);  // more than most rules have
    group.rule.info().numbers(group.rule.data(), slot.param.dtype(), slot.param.shape(), numbers);
    return numbers;
}

std::vector<Argument> Optimizer::Implementation::arguments(std::span<const Source> sources,
                                                           std::span<const Number> numbers,
                                                           ParameterState& slot, const Argument& gradient,
                                                           const Scaling& scaling) const {
    std::vector<Argument> arguments;
    arguments.reserve(sources.size());
    for (const Source& source : sources) {
        switch (source.kind) {
            case Source::Kind::param: arguments.push_back(Argument::borrow(slot.param)); break;
            case Source::Kind::grad: arguments.push_back(borrowed(gradient)); break;
            case Source::Kind::t: arguments.emplace_back(static_cast<double>(slot.steps + 1)); break;
            case Source::Kind::factor: arguments.emplace_back(scaling.factor); break;
            case Source::Kind::limit: arguments.emplace_back(scaling.limit); break;
            case Source::Kind::number: arguments.emplace_back(numbers[source.index].value); break;
            case Source::Kind::missed: arguments.push_back(Argument::borrow(slot.missed.counts)); break;
            case Source::Kind::seed:
                arguments.emplace_back(Tensor<std::int64_t>(slot.state[source.index].tensor).item());
                break;
            case Source::Kind::first: arguments.emplace_back(slot.first_tile); break;
            case Source::Kind::step: arguments.emplace_back(slot.steps + 1); break;
            case Source::Kind::last_step: arguments.emplace_back(slot.steps); break;
            case Source::Kind::state: {
                const StateTensor& kept = slot.state[source.index];
                if (kept.is_number)
                    arguments.push_back(Argument::state(number_in(kept.tensor)));
                else
                    arguments.push_back(Argument::borrow(kept.tensor));
            }
        }
    }
    return arguments;
}

}  // namespace frisket::optim
