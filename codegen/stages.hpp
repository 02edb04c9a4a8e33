// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "../dsl/graph.hpp"
#include "../runtime/call/strategy.hpp"
#include "targets.hpp"

namespace frisket {

/// What a step is on its way to machine code.
enum class Stage : std::uint8_t { graph, plan, schedule, loops, assembly };

struct StageInfo {
    Stage stage;
    std::string_view name;
    std::string_view is;
};

/// THE table of stages, in their order.
inline constexpr StageInfo stages[] = {
    {.stage = Stage::graph, .name = "graph", .is = "the step as instructions"},
    {.stage = Stage::plan, .name = "plan", .is = "which elements a loop walks, what it reads and updates"},
    {.stage = Stage::schedule, .name = "schedule", .is = "vectors and tasks"},
    {.stage = Stage::loops, .name = "loops", .is = "Halide's statement"},
    {.stage = Stage::assembly, .name = "asm", .is = "what the processor runs"},
};

/// A step at a stage as text, for loops of one strategy.  The target need not be present.
/// Shape: a graph without shapes, but for Stage::graph.
std::string stage_text(const Graph& step, Stage stage, Strategy strategy, const TargetRow& target);

}  // namespace frisket
