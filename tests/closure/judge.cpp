// SPDX-License-Identifier: MIT
#include "judge.hpp"

#include "../../codegen/jit/evaluate.hpp"
#include "../../ir/at.hpp"
#include "../../ir/planner/executor/interpreted_stages.hpp"
#include "../../ir/planner/report/report_writer.hpp"
#include "../fuzz/minimise.hpp"
#include "../fuzz/oracle.hpp"
#include "operations.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace closure {

using fuzz::Building;
using ir::at;

namespace {

using Clock = std::chrono::steady_clock;

std::vector<Result> evaluate_via(Via via, const Graph& graph, std::span<const Argument> arguments,
                                 planning::RunEvents* events) {
    if (via == Via::interpreter) return planning::evaluate_planned(graph, arguments, events);
    return codegen::jit_evaluate(graph, arguments, {}, {.events = events});
}

std::int64_t extents_of(const Shape& shape) {
    // A flattened matrix has the extents of its source, more or less.
    std::int64_t sum = 0;
    for (const std::int64_t extent : shape) sum += std::min(extent, 2 * large.rows);
    return sum;
}

/// Bytes that the arguments and results explain.
std::int64_t most_bytes(const Program& program, const std::vector<Result>& results) {
    constexpr std::int64_t each = 256;
    std::int64_t count = 0;
    for (const fuzz::Input& input : program.inputs)
        count += input.list ? input.list->values().size() + extents_of(input.list->shape())
                            : input.values.size() + extents_of(input.values.shape());
    for (const Result& result : results)
        count += result.listed ? result.listed->values().size() + extents_of(result.listed->shape())
                               : result.values.size() + extents_of(result.values.shape());
    return each * count;
}

/// True for a stage over all elements of a huge shape.
bool walks_huge(const planning::StageReport& stage) {
    constexpr std::string_view all = "all elements of [";
    const auto found = stage.space.find(all);
    if (found == std::string::npos) return false;
    std::istringstream in(stage.space.substr(found + all.size()));
    Shape shape;
    for (std::int64_t extent = 0; in >> extent; in.ignore(1)) shape.push_back(extent);
    return is_huge(shape);
}

Verdict judge_large(const Program& program, const Settings& settings) {
    try {
        planning::RunEvents events;
        planning::RunEvents* noted = &events;
        const std::deque<fuzz::Bound> tensors = store(program, {});
        Building known(program, tensors,
                       {.evaluate = [&](const Graph& graph, std::span<const Argument> arguments) {
                           return evaluate_via(settings.via, graph, arguments, noted);
                       }});
        known.add_all();
        const Value result = known[program.results.at(0)];
        const auto run = [&] { return known.session().run_any({&result, 1}); };
        std::vector<Result> results = run();
        const std::int64_t peak = planning::report_of("", events).peak.bytes();
        if (const std::int64_t most = most_bytes(program, results); peak > most)
            return {Fault::memory, std::to_string(peak) + " bytes, wanted at most " + std::to_string(most)};
        if (settings.via == Via::interpreter) return {};
        noted = nullptr;
        double least = 1e9;
        for (int i = 0; i < 3 && least > settings.seconds; ++i) {
            results.clear();
            const auto start = Clock::now();
            results = run();
            least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
        }
        if (least > settings.seconds) return {Fault::slow, std::to_string(least) + " s"};
    } catch (const std::bad_alloc&) {
        return {Fault::memory, "std::bad_alloc"};
    } catch (const std::exception& error) {
        // No index of 64 bits names such elements: a list cannot hold them either.
        const bool is_nameless =
            std::string_view(error.what()).find("more than 2^63 - 1 elements") != std::string_view::npos;
        return {is_nameless ? Fault::invalid : Fault::refused, error.what()};
    }
    return {};
}

Verdict judge_small(const Program& program, const Settings& settings) {
    const fuzz::Outcome wanted = run(program, fuzz::plain, fuzz::interpreter());
    if (wanted.error) return {Fault::invalid, wanted.text};
    if (settings.sizes == AtSizes::large) return {};
    const fuzz::Engine engine = settings.via == Via::interpreter ? fuzz::planner() : fuzz::compiler();
    const fuzz::Comparison comparison = compared(program, run(program, fuzz::as_program, engine), wanted);
    return comparison.fault.empty() ? Verdict{} : Verdict{Fault::wrong, comparison.fault};
}

}  // namespace

std::string_view name_of(Fault fault) {
    constexpr std::string_view names[] = {"none", "refused", "memory", "slow", "wrong", "ended", "invalid"};
    return names[static_cast<std::size_t>(fault)];
}

Verdict judge(const Sized& sized, const Settings& settings) {
    try {
        const Verdict small = judge_small(sized.small, settings);
        if (small.fault != Fault::none || settings.sizes == AtSizes::small) return small;
    } catch (const std::exception& error) { return {Fault::invalid, error.what()}; }
    const Verdict large = judge_large(sized.large, settings);
    if (large.fault != Fault::memory || settings.via != Via::interpreter) return large;
    // The interpreter holds the result of each node of a body: loops tell what the plan needs.
    Settings compiled = settings;
    compiled.via = Via::loops;
    return judge_large(sized.large, compiled);
}

Sized smallest(const Sized& sized, Fault fault, int tries,
               const std::function<Verdict(const Sized&)>& judge_one) {
    Sized least = sized;
    const auto start = Clock::now();
    const auto take = [&](const Sized& candidate) {
        if (candidate.small.instructions.empty() || tries-- <= 0) return false;
        if (Clock::now() - start > std::chrono::seconds(20)) return false;
        try {
            if (!is_list_expression(candidate.small)) return false;
        } catch (const Error&) { return false; }
        if (judge_one(candidate).fault != fault) return false;
        least = candidate;
        return true;
    };
    for (bool is_smaller = true; is_smaller && tries > 0;) {
        is_smaller = false;
        const int count = static_cast<int>(least.small.instructions.size());
        for (int i = 0; i + 1 < count && !is_smaller; ++i)
            is_smaller = take({with_result(least.large, i), with_result(least.small, i)});
        for (int i = count - 1; i >= 0 && !is_smaller; --i)
            for (const int operand : least.small.instructions[at(i)].operands)
                if (take({without_instruction(least.large, i, operand),
                          without_instruction(least.small, i, operand)})) {
                    is_smaller = true;
                    break;
                }
    }
    return least;
}

std::string offending_stages(const Program& program) {
    try {
        planning::RunEvents events;
        const std::deque<fuzz::Bound> tensors = store(program, {});
        Building known(program, tensors,
                       {.evaluate = [&](const Graph& graph, std::span<const Argument> arguments) {
                           const planning::PlanFacts facts(arguments);
                           const auto operands = planning::argument_values(arguments.size());
                           const auto count = static_cast<planning::ValueId>(operands.size());
                           auto plan = planning::plan_whole_call({graph, facts, operands, count},
                                                                 planning::Branches::enumerated);
                           events.emplace_back(planning::PlanEvent{graph, std::move(plan),
                                                                   planning::formats_of(arguments), false});
                           return std::vector<Result>(graph.results.size());
                       }});
        known.add_all();
        const Value result = known[program.results.at(0)];
        static_cast<void>(known.session().run_any({&result, 1}));
        planning::PlanReport report = planning::report_of("the program", events);
        std::vector<planning::StageReport> offending;
        std::ranges::copy_if(report.stages, std::back_inserter(offending), walks_huge);
        if (!offending.empty()) {
            // Where facts decide, a stage occurs once for each branch.
            offending.resize(std::min<std::size_t>(offending.size(), 2));
            report.title +=
                ", " + std::to_string(report.stages.size()) + " stages; the first over huge shapes";
            report.stages = offending;
        }
        return planning::to_string(report);
    } catch (const std::exception& error) { return error.what(); }
}

}  // namespace closure
