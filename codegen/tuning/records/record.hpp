// SPDX-License-Identifier: MIT
// Defines the tuning record and the list of its key fields.
#pragma once
#include <cstdint>
#include <string>

#include "../../../runtime/kernel/workload_class.hpp"

namespace frisket::codegen {

/// Result of tuning a step, on a machine, for calls of a class.
struct TuningRecord {
    // The key.
    std::string step;     ///< the text of its graph
    std::string target;   ///< name in the table of targets
    std::string machine;  ///< the processor and its instruction set
    std::string build;    ///< Halide's version and frisket's
    WorkloadClass call;
    // The result.
    std::string schedule;  ///< its text; empty: nothing is faster than the default
    double gain = 1;       ///< time of the default divided by the time of `schedule`
    double default_s = 0, best_s = 0;
    std::int64_t found_at = 0;  ///< seconds since 1970, UTC
    bool operator==(const TuningRecord&) const = default;
};

/// THE list of the key's fields, by which a record is found and replaced: visit(column, field).
template <class Record, class Visit>
void each_key(Record& record, Visit&& visit) {
    visit("step", record.step);
    visit("target", record.target);
    visit("machine", record.machine);
    visit("build", record.build);
    visit("layout", record.call.layout);
    visit("elements", record.call.elements);
    visit("row_length", record.call.row_length);
    visit("density", record.call.density);
    visit("lines", record.call.lines);
}

/// THE list of all fields, the key's first.
template <class Record, class Visit>
void each_field(Record& record, Visit&& visit) {
    each_key(record, visit);
    visit("schedule", record.schedule);
    visit("gain", record.gain);
    visit("default_s", record.default_s);
    visit("best_s", record.best_s);
    visit("found_at", record.found_at);
}

/// A hash of the key's fields, 32 digits.
std::string key_of(const TuningRecord& record);

/// A hash of every field with its length, and of an additional number.
std::int64_t checksum_of(const TuningRecord& record, std::int64_t revision);

/// Errors: ValueError if a number is not finite.
void check(const TuningRecord& record);

}  // namespace frisket::codegen
