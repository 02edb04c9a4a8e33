// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "compiled_expression.hpp"

#include <string>
#include <utility>

#include "../../ir/graph_text.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "halide_jit.hpp"

namespace frisket::codegen {

CompiledExpression::CompiledExpression(Pattern pattern, Specialization form, const TargetRow& target,
                                       bool is_kept)
    : pattern_(std::move(pattern)),
      form_(std::move(form)),
      target_(target),
      is_kept_(is_kept),
      numbers_(ir::ScalarProgram::of(pattern_.graph)) {}

void CompiledExpression::prepare() {
    std::call_once(once_, [this] {
        const Graph& graph = pattern_.graph;
        Specialization form = form_;
        form.numbers = pattern_.numbers;
        form.not_nan = pattern_.not_nan;
        if (runtime::shows("graph")) runtime::show("graph", "expression", to_string(pattern_.named()));
        if (form.schedule != default_schedule(Strategy::expression) && runtime::shows("schedule"))
            runtime::show("schedule", pattern_.title(), to_string(form.schedule) + "\n");
        const KeyText key = nest_key(graph, form);
        code_ = loop_code({.name = graph.name,
                           .loops = pattern_.title(),
                           .title = graph.name,
                           .target = target_,
                           .key = key,
                           .is_kept = is_kept_,
                           .build = [&] { return built(make_nest(graph, numbers_, form)); }});
        notes_ = KernelMetadata::of(code_.notes());
        abi_ = abi_of(graph, numbers_, form, notes_.sizes);
        bytes_ = code_.bytes();
    });
}

void CompiledExpression::call(std::span<const void*> argv) const {
    JitContext context;
    const int status = code_.call(argv, context);
    if (status == 0) return;
    throw Bug("the loops of an expression failed with code " + std::to_string(status) + ": " +
              context.message);
}

}  // namespace frisket::codegen
