// SPDX-License-Identifier: MIT
// Shows a step in each of its forms, from graph to assembly.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "../ir/graph.hpp"
#include "../runtime/kernel/strategy.hpp"
#include "loops/schedule.hpp"

namespace frisket::codegen {

/// The forms of a step on its way to machine code.
enum class Representation : std::uint8_t { graph, plan, schedule, loops, assembly };

struct StageInfo {
    Representation stage;
    std::string_view name;
    std::string_view is;
};

/// THE table of stages, in their order.
inline constexpr StageInfo stages[] = {
    {.stage = Representation::graph, .name = "graph", .is = "the step as instructions"},
    {.stage = Representation::plan,
     .name = "plan",
     .is = "which elements a loop walks, what it reads and updates"},
    {.stage = Representation::schedule, .name = "schedule", .is = "vectors and tasks"},
    {.stage = Representation::loops, .name = "loops", .is = "Halide's statement"},
    {.stage = Representation::assembly, .name = "asm", .is = "what the processor runs"},
};

/// A step at a stage as text, for loops of one strategy.  The target need not be present.
/// Shape: a graph without shapes, but for Representation::graph.
std::string representation_text(const Graph& step, Representation stage, Strategy strategy,
                                const TargetRow& target);

}  // namespace frisket::codegen
