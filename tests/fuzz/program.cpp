// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "../../ir/at.hpp"
#include "../../ir/passes/transforms.hpp"
#include "../support/guarded.hpp"
#include "ahead.hpp"

#include <algorithm>
#include <utility>

namespace fuzz {

using ir::at;

namespace {

std::string name_of_input(int input) { return "x" + std::to_string(input); }

SymbolKind kind_of(const Program& program, int input) {
    const Input& one = program.inputs[at(input)];
    if (one.takes != Takes::tensor)
        return one.takes == Takes::state ? SymbolKind::scalar_state : SymbolKind::scalar;
    if (one.mask) return SymbolKind::masked;
    return is_target(program, input) ? SymbolKind::in_out : SymbolKind::in;
}

void run_as_step(const Program& program, const std::deque<Bound>& tensors, const Engine& engine,
                 Outcome& outcome) {
    std::vector<AnyTensor> targets;
    for (int i = 0; i < static_cast<int>(tensors.size()); ++i)
        if (is_target(program, i)) {
            targets.push_back(std::get<AnyTensor>(tensors[at(i)]));
            outcome.before.push_back(targets.back().clone());
        }
    engine.run(graph_of(program, tensors), arguments_of(program, tensors), program);
    for (const AnyTensor& target : targets) {
        outcome.results.push_back({target});
        const auto* buffer = static_cast<const testing::GuardedBuffer*>(target.owner().get());
        if (!buffer->is_intact()) throw Bug("the red zone of a target was written");
    }
}

}  // namespace

bool is_target(const Program& program, int input) {
    return std::ranges::find(program.targets, input, &Target::input) != program.targets.end();
}

Building::Building(const Program& program, const std::deque<Bound>& tensors, const Settings& settings)
    : program_(program),
      tensors_(tensors),
      is_step_(settings.is_step),
      has_shapes_(settings.has_shapes),
      session_("fuzz", settings.evaluate),
      builder_("fuzz") {
    for (int i = 0; i < static_cast<int>(tensors.size()); ++i) inputs_.push_back(symbol(i));
}

Value Building::symbol(int input) {
    const Bound& bound = tensors_[at(input)];
    const auto* masked = std::get_if<AnyMasked>(&bound);
    if (!is_step_)
        return masked != nullptr ? session_.masked(*masked) : session_.tensor(std::get<AnyTensor>(bound));
    const AnyTensor& values = program_.inputs[at(input)].values;
    const SymbolKind kind = kind_of(program_, input);
    const std::string name = name_of_input(input);
    return {&builder_, has_shapes_ ? builder_.symbol(name, kind, values.dtype(), values.shape())
                                   : builder_.symbol(name, kind, values.dtype())};
}

void Building::update(const Target& target) {
    builder_.update(name_of_input(target.input), (*this)[target.value].id,
                    target.is_everywhere ? Scope::everywhere : Scope::inferred);
    inputs_[at(target.input)] = symbol(target.input);
}

void Building::add(const Instruction& one) {
    std::vector<Value> operands;
    for (const int operand : one.operands) operands.push_back((*this)[operand]);
    made_.push_back(forms()[at(one.form)].apply(is_step_ ? nullptr : &session_, operands, one));
    for (const Target& target : program_.targets)
        if (target.is_early && target.value == static_cast<int>(made_.size()) - 1) update(target);
}

Graph Building::step() {
    for (const int skip : program_.skips) builder_.skip_nonfinite((*this)[skip].id);
    for (const Target& target : program_.targets)
        if (!target.is_early || target.value < 0) update(target);
    return builder_.finish();
}

std::vector<Result> Building::run_expression() {
    std::vector<Value> results;
    for (const int result : program_.results) results.push_back((*this)[result]);
    return session_.run(results);
}

Value Building::operator[](int operand) const {
    return operand < 0 ? inputs_.at(at(-1 - operand)) : made_.at(at(operand));
}

std::vector<Argument> arguments_of(const Program& program, const std::deque<Bound>& tensors) {
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Bound& bound = tensors[i];
        const Input& input = program.inputs[i];
        if (const auto* masked = std::get_if<AnyMasked>(&bound)) {
            arguments.emplace_back(*masked);
            continue;
        }
        const auto& tensor = std::get<AnyTensor>(bound);
        if (input.takes == Takes::tensor)
            arguments.emplace_back(tensor);
        else if (input.takes == Takes::state)
            arguments.push_back(Argument::state(*static_cast<double*>(tensor.data())));
        else if (tensor.dtype() == DType::int64)
            arguments.emplace_back(*static_cast<const std::int64_t*>(tensor.data()));
        else
            arguments.emplace_back(*static_cast<const double*>(tensor.clone().to(DType::float64).data()));
    }
    if (program.rounded >= 0) {
        arguments.emplace_back(std::int64_t{program.seed});
        arguments.emplace_back(program.step);
    }
    return arguments;
}

Graph graph_of(const Program& program, const std::deque<Bound>& tensors) {
    if (program.as == RunAs::ahead) return kernels_ahead()[at(program.ahead)].graph;
    Building building(program, tensors, {.is_step = true, .has_shapes = program.as == RunAs::step});
    building.add_all();
    const Graph step = building.step();
    return program.rounded < 0 ? step : stochastic_rounding(step, name_of_input(program.rounded));
}

Outcome run(const Program& program, const Storing& storing, const Engine& engine) {
    Outcome outcome;
    try {
        const std::deque<Bound> tensors = store(program, storing);
        if (program.is_step()) {
            run_as_step(program, tensors, engine, outcome);
        } else {
            Building building(program, tensors, {.evaluate = engine.evaluate});
            building.add_all();
            outcome.results = building.run_expression();
        }
    } catch (const Error& error) {
        outcome.error = error.code();
        outcome.text = error.what();
        outcome.results.clear();
    }
    return outcome;
}

}  // namespace fuzz
