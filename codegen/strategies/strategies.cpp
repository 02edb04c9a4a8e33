// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strategies.hpp"

#include <sstream>

#include "../lowering/lower_expression.hpp"

namespace frisket::codegen {

namespace {

/// Makers of each strategy's loops, in the order of the enumeration.
constexpr BuiltLoops (*makers[])(const LoopRequest&, const Halide::Target&) = {
    make_dense, make_blend,    make_skip, make_predicate, make_bytes,        make_gather,
    make_lines, make_segments, make_rows, make_strided,   make_strided_bits, make_strided_lists};
static_assert(std::size(makers) == strategy_count);

}  // namespace

BuiltLoops lower(const LoopRequest& request, const Halide::Target& machine) {
    if (!request.form.is_of_step()) return lower_expression(request, machine);
    const StrategyInfo& strategy = info_of(request.form.schedule.strategy);
    return makers[static_cast<std::size_t>(strategy.strategy)](request, machine);
}

std::string statements_of(BuiltLoops& loops, const std::string& name, const Halide::Target& machine) {
    std::ostringstream text;
    const Halide::Module module = loops.pipeline.compile_to_module(loops.arguments, name, machine);
    for (const auto& function : module.functions()) text << function.body;
    return text.str();
}

}  // namespace frisket::codegen
