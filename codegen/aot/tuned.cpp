// SPDX-License-Identifier: MIT
#include "library.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "../../runtime/tensor/error.hpp"
#include "../loops/schedule.hpp"
#include "planned_schedules.hpp"

/// The schedules of a kernel library's loops.
namespace frisket::aot {

namespace {

/// The name of a target in records: "host" is "cpu", and Halide's strings have names where the table has
/// them.
std::string recorded_name(const LibraryTarget& target) {
    if (target.name == "host") return "cpu";
    const auto row = std::ranges::find(known_targets(), target.halide, &TargetRow::halide);
    return row != known_targets().end() ? std::string(row->name) : target.name;
}

/// Schedules taken from a file for one step and one target.
class Taking {
public:
    Taking(const std::string& file, const Library& library, const LibraryStep& step, std::size_t target)
        : file_(file),
          step_(step),
          target_(library.targets[target]),
          where_(library.name + ": " + step.graph.name + ", target " + target_.name + ": ") {}

    void add(const codegen::ExportLine& line) {
        const WorkloadClass& call = line.record.call;
        if (!is_compiled(call.layout) || is_known(call)) return;
        // Calls of such a class keep the default, whatever a neighbour's record contains.
        if (line.record.schedule.empty()) return calls_.push_back({call, std::nullopt});
        const Schedule schedule = schedule_of(line);
        const std::vector<Layout> layouts = one_for_all(step_.signature, call.layout);
        if (!fits(line, schedule.strategy, kernel_calls::legal_strategies(step_.signature, layouts),
                  layouts.size(), where_ + line_of(line)))
            return;
        if (!has(schedule) && schedule != default_schedule(schedule.strategy, target_)) {
            if (count(schedule.strategy) == most_tuned) return leave_out(line);
            schedules_.push_back(schedule);
        }
        calls_.push_back({call, schedule});
    }

    /// Nothing, if the default was the fastest of all.
    std::vector<codegen::TunedCall> calls() const {
        const bool has_any = std::ranges::any_of(
            calls_, [](const codegen::TunedCall& call) { return call.schedule.has_value(); });
        return has_any ? calls_ : std::vector<codegen::TunedCall>();
    }
    const std::vector<std::string>& left_out() const { return left_out_; }

private:
    std::string line_of(const codegen::ExportLine& line) const {
        return file_ + ": line " + std::to_string(line.line);
    }

    Schedule schedule_of(const codegen::ExportLine& line) const {
        try {
            return resolved(schedule(line.record.schedule), target_.vector_bytes / 4);
        } catch (const ScheduleError& error) {
            throw ScheduleError(where_ + line_of(line) + ": " + error.text());
        }
    }

    std::vector<Strategy> strategies_of(Layout layout) const {
        return kernel_calls::legal_strategies(step_.signature, one_for_all(step_.signature, layout));
    }

    bool is_compiled(Layout layout) const {
        if (step_.layouts.empty()) return true;
        return std::ranges::any_of(step_.layouts, [&](const std::vector<Layout>& layouts) {
            return kernel_calls::legal_strategies(step_.signature, layouts) == strategies_of(layout);
        });
    }

    bool is_known(const WorkloadClass& call) const {
        return std::ranges::find(calls_, call, &codegen::TunedCall::call) != calls_.end();
    }
    bool has(const Schedule& schedule) const {
        return std::ranges::find(schedules_, schedule) != schedules_.end();
    }
    std::size_t count(Strategy strategy) const {
        return static_cast<std::size_t>(std::ranges::count(schedules_, strategy, &Schedule::strategy));
    }

    void leave_out(const codegen::ExportLine& line) {
        left_out_.push_back("frisket: " + where_ + line_of(line) + " is left out: " +
                            std::to_string(most_tuned) + " schedules of its strategy gain as much or more");
    }

    const std::string& file_;
    const LibraryStep& step_;
    const LibraryTarget& target_;
    const std::string where_;
    std::vector<codegen::TunedCall> calls_;
    std::vector<Schedule> schedules_;  // schedules of calls_ that differ from the default's, each once
    std::vector<std::string> left_out_;
};

/// Gives a step the schedules of lines for a target.  True if there are any.
bool take_lines(const Library& library, LibraryStep& step, std::size_t target,
                std::span<const codegen::ExportLine> lines, const std::string& file,
                std::vector<std::string>& notes) {
    const LibraryTarget& row = library.targets[target];
    std::vector<std::string> left_out;
    PlannedSchedules& planned = step.planned_schedules.emplace_back();
    std::vector<codegen::TunedCall>& tuned = step.tuned.emplace_back();
    if (step.wanted || row.is_device()) {
        const std::string where = library.name + ": " + step.name + ", target " + row.name + ": ";
        auto [schedules, left] = planned_schedules(step, row, lines, file, where);
        planned = std::move(schedules);
        left_out = std::move(left);
    } else {
        Taking taking(file, library, step, target);
        const std::string text = to_string(step.graph);
        for (const codegen::ExportLine& line : lines)
            if (line.record.step == text) taking.add(line);
        tuned = taking.calls();
        left_out = taking.left_out();
    }
    notes.insert(notes.end(), left_out.begin(), left_out.end());
    return !planned.rows.empty() || !tuned.empty();
}

}  // namespace

std::vector<std::string> add_schedules(Library& library, const std::string& file) {
    std::vector<std::string> notes;
    std::vector<codegen::ExportLine> lines = codegen::read_export(file, notes);
    if (!notes.empty())
        throw IoError(library.name + ": " + notes.front() +
                      ": write the file anew with frisket tuning export");
    std::ranges::stable_sort(lines, std::ranges::greater(),
                             [](const codegen::ExportLine& line) { return line.record.gain; });
    bool is_used = false;
    for (LibraryStep* const step : library.parts())
        for (std::size_t target = 0; target < library.targets.size(); ++target) {
            std::vector<codegen::ExportLine> own;
            const std::string name = recorded_name(library.targets[target]);
            std::ranges::copy_if(lines, std::back_inserter(own),
                                 [&](const codegen::ExportLine& line) { return line.record.target == name; });
            is_used = take_lines(library, *step, target, own, file, notes) || is_used;
        }
    if (!is_used)
        notes.push_back(
            "frisket: " + library.name + ": " + file +
            " has no schedule for its steps, layouts and targets: tune them, or leave SCHEDULES out");
    return notes;
}

Schedule default_schedule(Strategy strategy, const LibraryTarget& target) {
    return resolved(frisket::default_schedule(strategy), target.lanes());
}

std::vector<Schedule> schedules_of(const Library& library, const LibraryStep& step, std::size_t target) {
    std::vector<Schedule> schedules;
    schedules.reserve(step.strategies.size());
    for (const Strategy strategy : step.strategies)
        schedules.push_back(default_schedule(strategy, library.targets[target]));
    if (step.tuned.empty()) return schedules;
    for (const codegen::TunedCall& tuned : step.tuned[target])
        if (tuned.schedule && std::ranges::find(schedules, *tuned.schedule) == schedules.end())
            schedules.push_back(*tuned.schedule);
    return schedules;
}

std::string loop_name(const Library& library, const LibraryStep& step, std::size_t target,
                      const Schedule& schedule) {
    const bool is_default = schedule == default_schedule(schedule.strategy, library.targets[target]);
    std::string text = is_default ? std::string(name_of(schedule.strategy)) : to_string(schedule);
    std::ranges::replace_if(text, [](char c) { return c == ' ' || c == '='; }, '_');
    return "frisket_" + library.name + "_" + step.name + "_" + std::to_string(target) + "_" + text;
}

}  // namespace frisket::aot
