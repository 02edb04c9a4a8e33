// SPDX-License-Identifier: MIT
#include "tuned.hpp"

#include "../../../runtime/tensor/error.hpp"
#include "../../../runtime/tensor/show.hpp"
#include "database.hpp"
#include "machine.hpp"

namespace frisket::codegen {

namespace {

void tell(const Graph& step, const std::string& what) {
    if (runtime::shows("schedule")) runtime::show("schedule", step.name, what);
}

std::vector<TuningRecord> records_of(const Graph& step, const TargetRow& target) {
    const std::string path = default_tuning_path();
    if (path.empty()) return {};
    try {
        const TuningDatabase database(path, TuningDatabase::Access::read);
        for (const std::string& message : database.messages()) tell(step, message);
        if (database.records().empty()) return {};
        return database.records(to_string(step), target.name, machine_name(target), build_name());
    } catch (const Error& error) {
        // A step runs without its tuning; what is wrong is for `frisket doctor` to say.
        tell(step, error.what());
        return {};
    }
}

}  // namespace

std::vector<TunedCall> tuned_calls(const Graph& step, const TargetRow& target) {
    std::vector<TunedCall> calls;
    for (const TuningRecord& record : records_of(step, target)) {
        const bool is_default = record.schedule.empty();
        try {
            calls.push_back(
                {record.call, is_default ? std::nullopt : std::optional(schedule(record.schedule))});
            tell(step,
                 "tuned: " + to_string(record.call) + ": " + (is_default ? "default" : record.schedule));
        } catch (const ScheduleError& error) { tell(step, error.what()); }
    }
    return calls;
}

}  // namespace frisket::codegen
