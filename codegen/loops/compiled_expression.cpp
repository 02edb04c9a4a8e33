// SPDX-License-Identifier: MIT
#include "compiled_expression.hpp"

#include <string>
#include <utility>

#include "../../ir/graph_text.hpp"
#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"

namespace frisket::codegen {

CompiledExpression::CompiledExpression(Pattern pattern, Specialization form, const LoopProvider& source,
                                       bool is_kept, std::string part)
    : pattern_(std::move(pattern)),
      form_(std::move(form)),
      source_(source),
      is_kept_(is_kept),
      part_(std::move(part)),
      numbers_(ir::ScalarProgram::of(pattern_.graph)) {}

void CompiledExpression::prepare() {
    once_.run([this] {
        const Graph& graph = pattern_.graph;
        Specialization form = form_;
        form.numbers = pattern_.numbers;
        form.not_nan = pattern_.not_nan;
        const bool is_step = form.is_of_step();
        const std::string title = part_.empty() ? graph.name : graph.name + ", " + part_;
        const std::string loops = part_.empty() ? pattern_.title() : part_;
        if (!is_step && runtime::shows("graph"))
            runtime::show("graph", part_.empty() ? "expression" : title, to_string(pattern_.named()));
        if (!is_step && form.schedule != default_schedule(Strategy::expression) && runtime::shows("schedule"))
            runtime::show("schedule", loops, to_string(form.schedule) + "\n");
        code_ = source_.loop({graph, numbers_, form, loops, title, is_kept_});
        if (!code_) return;
        if (!is_step) notes_ = KernelMetadata::of(code_.notes());
        abi_ = is_step ? kernel_calls::abi_of(signature_of(graph), numbers_.dtypes(), form.schedule.strategy,
                                              form.is_single)
                       : abi_of(graph, numbers_, form, notes_.sizes);
        bytes_ = code_.bytes();
    });
}

void CompiledExpression::call(std::span<const void*> argv, std::span<std::byte> reserve) const {
    LoopContext context;
    context.reserve = reserve;
    const int status = code_.call(argv, context);
    if (code_.kernels() > 0) code_.note_launches(source_.device());
    if (status != 0) throw_failure("the loops of an expression failed", status, context, source_.device());
}

}  // namespace frisket::codegen
