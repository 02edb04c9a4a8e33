// SPDX-License-Identifier: MIT
#include "calls.hpp"

#include "../../codegen/jit/jit.hpp"
#include "../../codegen/jit/run_step.hpp"
#include "../../codegen/loops/schedule.hpp"
#include "../../codegen/observed_call.hpp"
#include "../../ir/at.hpp"
#include "ahead.hpp"
#include "reached.hpp"

#include <cmath>

namespace fuzz {

using ir::at;

namespace {

/// Calls body(kernel, has_schedule) with the kernel that a program is; without its schedule, if loops of that
/// cannot walk these layouts, of which nothing is written.
void with_kernel(const Graph& graph, const Program& program, const auto& body) {
    if (program.as == RunAs::ahead) return body(kernels_ahead()[at(program.ahead)].kernel, false);
    if (!program.schedule.empty()) {
        try {
            return body(jit(graph, schedule(program.schedule)), true);
        } catch (const ScheduleError&) {}
    }
    body(jit(graph), false);
}

/// The arguments of a kernel's call, with masks prepared if the program asks for it.
std::vector<Argument> prepared(const CompiledKernel& kernel, std::span<const Argument> given,
                               const Program& program, std::deque<AnyMasked>& kept) {
    std::vector<Argument> arguments(given.begin(), given.end());
    for (std::size_t i = 0; i < program.inputs.size(); ++i)
        if (program.inputs[i].is_prepared && arguments[i].kind() == Argument::Kind::masked)
            arguments[i] = kept.emplace_back(kernel.prepare(arguments[i].masked()));
    return arguments;
}

/// The number that an instruction makes of one that the step writes back; nothing if it is none that this
/// knows.
std::optional<double> applied(const Instruction& one, int input, double x) {
    if (forms()[at(one.form)].name != "with number" || one.operands != std::vector<int>{-1 - input})
        return {};
    if (one.op == op_id<op::Mul>) return x * one.number;
    if (one.op == op_id<op::Add>) return x + one.number;
    if (one.op == op_id<op::Sub>) return x - one.number;
    if (one.op == op_id<op::Pow>) return std::pow(x, one.number);
    return {};
}

/// The value of a number after all updates of it; nothing if one of the updates is unknown.
std::optional<double> state_after(const Program& program, int input) {
    double now = *static_cast<const double*>(program.inputs[at(input)].values.data()), last = now;
    for (const Target& target : program.targets) {
        if (target.input != input) continue;
        if (target.value < 0) return {};
        const auto value = applied(program.instructions[at(target.value)], input, now);
        if (!value) return {};
        last = *value;
        if (target.is_early) now = last;  // updates after it read the new value
    }
    return last;
}

}  // namespace

void run_compiled(const Graph& graph, std::span<const Argument> arguments, const Program& program) {
    if (program.as == RunAs::step) {
        planning::RunEvents events;
        codegen::ready_step(graph, arguments, {}, &events).run();
        return note_reached(events);
    }
    with_kernel(graph, program, [&](const CompiledKernel& kernel, bool has_schedule) {
        std::deque<AnyMasked> kept;
        kernel.call(prepared(kernel, arguments, program, kept));
        if (has_schedule) return note_reached(schedule(program.schedule).strategy);
        for (const Strategy strategy : codegen::observed_call(graph, arguments).strategies)
            note_reached(strategy);
    });
}

std::string overlap_fault(const Program& program) {
    const std::deque<Bound> tensors = store(program, {});
    for (const Target& target : program.targets)
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const auto of_target = static_cast<std::size_t>(target.input);
            const Input &input = program.inputs[i], &written = program.inputs[of_target];
            if (i == of_target || input.mask || input.takes != Takes::tensor ||
                written.takes != Takes::tensor || input.values.dtype() != written.values.dtype() ||
                input.values.shape() != written.values.shape() || input.values.size() == 0)
                continue;
            std::deque<Bound> crossed = tensors;
            crossed[i] = tensors[of_target];
            const AnyTensor before = std::get<AnyTensor>(tensors[of_target]).clone();
            try {
                run_compiled(graph_of(program, tensors), arguments_of(program, crossed), program);
            } catch (const Error&) {
                if (same(std::get<AnyTensor>(tensors[of_target]), before)) return "";
                return "a refused call has written x" + std::to_string(target.input);
            }
            return "x" + std::to_string(i) + " is the target x" + std::to_string(target.input) +
                   ", and the call is not refused";
        }
    return "";
}

std::string calls_fault(std::span<const Program> calls) {
    std::deque<std::deque<Bound>> alone, together;
    std::vector<const Program*> made;  // calls that are not refused
    std::optional<Graph> graph;
    for (const Program& program : calls) {
        const std::deque<Bound>& tensors = alone.emplace_back(store(program, {}));
        try {
            graph = graph_of(program, tensors);
            run_compiled(*graph, arguments_of(program, tensors), program);
            together.push_back(store(program, {}));
            made.push_back(&program);
        } catch (const Error&) { alone.pop_back(); }
    }
    if (made.empty()) return "";
    with_kernel(*graph, *made.front(), [&](const CompiledKernel& kernel, bool /*has_schedule*/) {
        std::deque<AnyMasked> kept;
        std::vector<std::vector<Argument>> arguments;
        for (std::size_t i = 0; i < made.size(); ++i)
            arguments.push_back(prepared(kernel, arguments_of(*made[i], together[i]), *made[i], kept));
        kernel.call_each(arguments);
    });
    for (std::size_t i = 0; i < made.size(); ++i)
        for (const Target& target : made[i]->targets)
            if (!same(std::get<AnyTensor>(alone[i][at(target.input)]),
                      std::get<AnyTensor>(together[i][at(target.input)])))
                return "call " + std::to_string(i) + " of " + std::to_string(made.size()) +
                       " that are made together writes another x" + std::to_string(target.input) +
                       " than it does alone, over " +
                       to_string(made[i]->inputs[at(target.input)].values.shape());
    return "";
}

std::string state_fault(const Program& program, const Outcome& outcome) {
    if (!program.skips.empty()) return "";
    std::size_t result = 0;
    for (int i = 0; i < static_cast<int>(program.inputs.size()) && !outcome.error; ++i) {
        if (!is_target(program, i)) continue;
        const AnyTensor& tensor = outcome.results[result++].values;
        const auto wanted =
            program.inputs[at(i)].takes == Takes::state ? state_after(program, i) : std::nullopt;
        if (!wanted) continue;
        const double found = *static_cast<const double*>(tensor.data());
        const bool is_same = found == *wanted || (std::isnan(found) && std::isnan(*wanted)) ||
                             std::abs(found - *wanted) <= 1e-12 * std::abs(*wanted);
        if (!is_same)
            return "the number x" + std::to_string(i) + " becomes " + std::to_string(found) + ", wanted " +
                   std::to_string(*wanted);
    }
    return "";
}

}  // namespace fuzz
