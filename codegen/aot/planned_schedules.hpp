// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "../tuning/records/record_text.hpp"
#include "library.hpp"

namespace frisket::aot {

/// Schedules of a planned step or an optimizer for a target, and sentences about the records that were left
/// out.
struct TakenSchedules {
    PlannedSchedules schedules;
    std::vector<std::string> left_out;
};

/// Takes the records of a target, in order of decreasing gain, that are of bodies and elementwise steps of
/// the plans of a step, on a device of any step.  `file` and `where` are quoted in messages.
/// Errors: ScheduleError if a schedule is not legal, naming file and line.
TakenSchedules planned_schedules(const LibraryStep& step, const LibraryTarget& target,
                                 std::span<const codegen::ExportLine> lines, const std::string& file,
                                 const std::string& where);

/// True if calls of the class of a line's record can be walked by one of the `legal` strategies.  A class
/// names the layout of only one mask; with several `masks` a strategy that does not fit is left out.  `where`
/// is quoted in messages.
/// Errors: ScheduleError if no call can.
bool fits(const codegen::ExportLine& line, Strategy strategy, std::span<const Strategy> legal,
          std::size_t masks, const std::string& where);

/// The layout of all Masked symbols.
std::vector<Layout> one_for_all(const Signature& signature, Layout layout);

}  // namespace frisket::aot
