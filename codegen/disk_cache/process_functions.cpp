// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "process_functions.hpp"

#include <math.h>  // names of C, which have no overloads

#include <cstring>

#include "../jit/halide_jit.hpp"
#include "../jit/threads.hpp"

namespace frisket::codegen {

namespace {

JitContext& context_of(void* context) {
    return *static_cast<JitContext*>(static_cast<Halide::JITUserContext*>(context));
}

void* allocate_for_loops(void* context, std::size_t bytes) { return context_of(context).allocate(bytes); }

void free_for_loops(void* context, void* memory) { context_of(context).free(memory); }

void report_for_loops(void* context, const char* text) {
    JitContext& ours = context_of(context);
    ours.handlers.custom_error(&ours, text);
}

template <class Result, class... Arguments>
ProcessFunction named(std::string_view name, Result (*function)(Arguments...)) {
    return {.name = name, .address = reinterpret_cast<std::uintptr_t>(function)};
}

}  // namespace

std::span<const ProcessFunction> process_functions() {
    static const ProcessFunction all[] = {
        named("halide_do_par_for", run_tasks),
        named("halide_malloc", allocate_for_loops),
        named("halide_free", free_for_loops),
        named("halide_error", report_for_loops),
        named("memset", ::memset),
        named("memcpy", ::memcpy),
        named("memmove", ::memmove),
        // Targets without an instruction for them.
        named("fma", static_cast<double (*)(double, double, double)>(::fma)),
        named("fmaf", ::fmaf),
    };
    return all;
}

}  // namespace frisket::codegen
