// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <optional>
#include <string>

#include "../../../runtime/kernel/workload_class.hpp"
#include "../../loops/expression_pattern.hpp"
#include "../../loops/schedule.hpp"
#include "../../lowering/lower_expression.hpp"

namespace frisket::codegen {

/// The class of a body: the elements of its largest loop, and the length of its result's rows.
WorkloadClass class_of_body(const Graph& body);

/// True if the loops of a pattern compute stages along rows together, unless a schedule sets otherwise.
bool fuses_rows(const Pattern& pattern);

/// The schedule that the default database has for a body on this machine and this build; nothing if it has
/// none, or the default is the fastest.  The database is read once, at the first call for a target.
/// Threads: any may call it.
std::optional<Schedule> tuned_schedule(const Graph& body, const Pattern& pattern, const Specialization& form,
                                       const TargetRow& target);

}  // namespace frisket::codegen
