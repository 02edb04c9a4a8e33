// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "planned_schedules.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "../../runtime/kernel/strategy.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../loops/linked_loops.hpp"
#include "../loops/tuning_text.hpp"

namespace frisket::aot {

namespace {

class PlannedTaking {
public:
    PlannedTaking(const WantedLoops& wanted, const LibraryTarget& target, const std::string& file,
                  const std::string& where)
        : target_(target), file_(file), where_(where) {
        for (const WantedLoop& loop : wanted) {
            const auto& [graph, form] = loop;
            const codegen::Pattern pattern{graph, form.numbers, form.not_nan};
            if (form.is_single.empty())
                loops_of_text_[form.is_of_step() ? to_string(graph)
                                                 : codegen::tuning_text(graph, pattern, form)]
                    .push_back(&loop);
        }
    }

    void add(const codegen::ExportLine& line) {
        if (codegen::is_text_of_body(line.record.step))
            add_body(line);
        else
            add_step(line);
    }

    TakenSchedules result() && {
        const auto has_schedule = [](const PlannedSchedules::Row& row) { return !row.schedule.empty(); };
        if (std::ranges::none_of(taken_.schedules.rows, has_schedule)) taken_.schedules = {};
        return std::move(taken_);
    }

private:
    std::string line_of(const codegen::ExportLine& line) const {
        return file_ + ": line " + std::to_string(line.line);
    }

    /// The schedule of a line; nothing, if it is the default.
    std::optional<Schedule> schedule_of(const codegen::ExportLine& line) const {
        if (line.record.schedule.empty()) return {};
        try {
            const Schedule made = schedule(line.record.schedule);
            if (codegen::is_text_of_body(line.record.step))
                check_of_expression(made);
            else if (target_.is_device())
                check_for(made, find_target(TargetName{target_.name}));
            return made == default_schedule(made.strategy) ? std::nullopt : std::optional(made);
        } catch (const ScheduleError& error) {
            throw ScheduleError(where_ + line_of(line) + ": " + error.text());
        }
    }

    /// Adds a row unless there is one for these calls, or there are too many schedules in addition to the
    /// default.  True if its loops are to be compiled.
    bool add_row(const codegen::ExportLine& line, const std::string& text,
                 const std::optional<Schedule>& made) {
        const LoopKey key = codegen::linked_key(line.record.step);
        const auto is_known = [&](const PlannedSchedules::Row& row) {
            return row.text == key && row.call == line.record.call;
        };
        if (std::ranges::any_of(taken_.schedules.rows, is_known)) return false;
        if (made) {
            std::vector<Schedule>& others = schedules_[text + std::string(name_of(made->strategy))];
            const bool is_new = std::ranges::find(others, *made) == others.end();
            if (is_new && others.size() == most_tuned) return leave_out(line);
            if (is_new) others.push_back(*made);
        }
        taken_.schedules.rows.push_back({key, line.record.call, made ? to_string(*made) : ""});
        return made.has_value();
    }

    bool leave_out(const codegen::ExportLine& line) {
        taken_.left_out.push_back("frisket: " + where_ + line_of(line) +
                                  " is left out: " + std::to_string(most_tuned) +
                                  " schedules of its strategy gain as much or more");
        return false;
    }

    void add_body(const codegen::ExportLine& line) {
        const std::string text = codegen::text_of_any_extents(line.record.step);
        const auto found = loops_of_text_.find(text);
        if (found == loops_of_text_.end()) return;
        const std::optional<Schedule> made = schedule_of(line);
        if (!add_row(line, text, made)) return;
        for (const WantedLoop* const loop : found->second) add_loop(*loop, *made);
    }

    void add_loop(WantedLoop loop, const Schedule& schedule) {
        loop.form.schedule = schedule;
        WantedLoops& loops = taken_.schedules.loops;
        if (std::ranges::find(loops, loop) == loops.end()) loops.push_back(std::move(loop));
    }

    void add_step(const codegen::ExportLine& line) {
        const auto steps = loops_of_text_.find(line.record.step);
        if (steps == loops_of_text_.end()) return;
        const Graph& graph = steps->second.front()->graph;
        const Signature signature = signature_of(graph);
        const std::vector<Layout> layouts = one_for_all(signature, line.record.call.layout);
        const bool is_device = target_.is_device();
        const auto is_wanted = [&](Strategy strategy) {
            return std::ranges::any_of(steps->second, [&](const WantedLoop* wanted) {
                return wanted->form.schedule.strategy == strategy;
            });
        };
        // Only layouts that are compiled; a device's loops by its first strategy.
        std::vector<Strategy> compiled = is_device ? kernel_calls::strategies_on_device(signature, layouts)
                                                   : kernel_calls::strategies_for(signature, layouts);
        const std::vector<Strategy> legal =
            is_device ? compiled : kernel_calls::legal_strategies(signature, layouts);
        if (is_device) compiled.resize(1);
        if (!std::ranges::all_of(compiled, is_wanted)) return;
        const std::optional<Schedule> made = schedule_of(line);
        if (made && !fits(line, made->strategy, legal, layouts.size(), where_ + line_of(line))) return;
        if (add_row(line, line.record.step, made)) add_loop(*steps->second.front(), *made);
    }

    const LibraryTarget& target_;
    const std::string &file_, &where_;
    std::map<std::string, std::vector<const WantedLoop*>> loops_of_text_;
    std::map<std::string, std::vector<Schedule>> schedules_;  ///< by text and strategy
    TakenSchedules taken_;
};

}  // namespace

TakenSchedules planned_schedules(const LibraryStep& step, const LibraryTarget& target,
                                 std::span<const codegen::ExportLine> lines, const std::string& file,
                                 const std::string& where) {
    PlannedTaking taking(target.is_device() ? *step.on_device : *step.wanted, target, file, where);
    for (const codegen::ExportLine& line : lines) taking.add(line);
    return std::move(taking).result();
}

std::vector<Layout> one_for_all(const Signature& signature, Layout layout) {
    const auto masked = std::ranges::count(signature.parameters, SymbolKind::masked, &Parameter::kind);
    return std::vector<Layout>(static_cast<std::size_t>(masked), layout);
}

bool fits(const codegen::ExportLine& line, Strategy strategy, std::span<const Strategy> legal,
          std::size_t masks, const std::string& where) {
    if (std::ranges::find(legal, strategy) != legal.end()) return true;
    if (masks > 1) return false;
    const std::string names = runtime::joined(legal, [](Strategy one) { return name_of(one); });
    throw ScheduleError(where + ": its schedule is of " + std::string(name_of(strategy)) + ", and layout " +
                        std::string(name_of(line.record.call.layout)) + " is walked by " + names +
                        ": take the line out, or tune again");
}

}  // namespace frisket::aot
