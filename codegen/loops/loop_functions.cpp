// SPDX-License-Identifier: MIT
#include "loop_functions.hpp"

#include "loop_context.hpp"

namespace {
frisket::codegen::LoopContext& context_of(void* context) {
    return *static_cast<frisket::codegen::LoopContext*>(context);
}
}  // namespace

void* frisket_loop_malloc(void* context, std::size_t bytes) { return context_of(context).allocate(bytes); }

void frisket_loop_free(void* context, void* memory) { context_of(context).free(memory); }

void frisket_loop_error(void* context, const char* text) { context_of(context).report(text); }

int frisket_loop_do_par_for(void* context, frisket::codegen::LoopTaskFunction task, int first, int count,
                            std::uint8_t* closure) {
    return frisket::codegen::run_tasks(context, task, first, count, closure);
}
