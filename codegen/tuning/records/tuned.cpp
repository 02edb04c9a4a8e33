// SPDX-License-Identifier: MIT
#include "tuned.hpp"

#include "../../../runtime/tensor/error.hpp"
#include "../../../runtime/tensor/show.hpp"
#include "../../loops/tuning_text.hpp"
#include "database.hpp"
#include "machine.hpp"

namespace frisket::codegen {

namespace {

void tell(const std::string& name, const std::string& what) {
    if (runtime::shows("schedule")) runtime::show("schedule", name, what);
}

/// The records of a step, or of all if its text is empty, on this machine and this build; `name` is for
/// messages.
std::vector<TuningRecord> records_of(const std::string& name, const std::string& step,
                                     const TargetRow& target) {
    const std::string path = default_tuning_path();
    if (path.empty()) return {};
    try {
        const TuningDatabase database(path, TuningDatabase::Access::read);
        for (const std::string& message : database.messages()) tell(name, message);
        if (database.records().empty()) return {};
        return database.records(step, target.name, machine_name(target), build_name());
    } catch (const Error& error) {
        // Loops run without their tuning; `frisket doctor` reports the fault.
        tell(name, error.what());
        return {};
    }
}

/// `take(record, schedule)` for each record, with its schedule, which is none where that is the default.
void each_schedule(const std::string& name, const std::vector<TuningRecord>& records, const auto& take) {
    for (const TuningRecord& record : records) {
        try {
            take(record, record.schedule.empty() ? std::nullopt : std::optional(schedule(record.schedule)));
        } catch (const ScheduleError& error) { tell(name, error.what()); }
    }
}

}  // namespace

std::vector<TunedCall> tuned_calls(const Graph& step, const TargetRow& target) {
    std::vector<TunedCall> calls;
    const auto records = records_of(step.name, to_string(step), target);
    each_schedule(step.name, records, [&](const TuningRecord& record, const std::optional<Schedule>& made) {
        calls.push_back({record.call, made});
        tell(step.name, "tuned: " + to_string(record.call) + ": " + (made ? record.schedule : "default"));
    });
    return calls;
}

std::vector<TunedExpression> tuned_expressions(const TargetRow& target) {
    std::vector<TunedExpression> all;
    const std::string name = "expressions";
    each_schedule(name, records_of(name, "", target), [&](const TuningRecord& record, const auto& made) {
        if (!is_text_of_body(record.step)) return;
        if (made) check_of_expression(*made);
        all.push_back({record.step, made});
    });
    return all;
}

}  // namespace frisket::codegen
