// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "halide_jit.hpp"

#include "../runtime/call/loop_source.hpp"
#include "../runtime/error.hpp"

namespace frisket {

JitContext::JitContext() {
    handlers.custom_error = [](Halide::JITUserContext* context, const char* text) {
        auto& message = static_cast<JitContext*>(context)->message;
        if (message.empty()) message = text;
    };
}

namespace {

/// Warnings of Halide's compiler (emulated types, say) are not the user's.
class Quiet final : public Halide::CompileTimeErrorReporter {
public:
    void warning(const char*) override {}
    void error(const char* text) override { throw Bug(std::string("Halide refuses a loop: ") + text); }
};

}  // namespace

void set_up_halide() {
    static const bool once = [] {
        static Quiet quiet;
        Halide::set_custom_compile_time_error_reporter(&quiet);
        if (const int threads = wanted_threads(); threads > 0)
            Halide::Internal::JITSharedRuntime::set_num_threads(threads);
        return true;
    }();
    static_cast<void>(once);
}

Halide::Target machine_of(const TargetRow& row) {
    Halide::Target machine{std::string(row.halide)};
    machine.set_feature(Halide::Target::JIT);
    machine.set_feature(Halide::Target::StrictFloat);
    if (!row.gpu) {
        machine.set_feature(Halide::Target::NoAsserts);
        machine.set_feature(Halide::Target::NoBoundsQuery);
    }
    return machine;
}

void jit_parallel_for(int tasks, void (*task)(void*, int), void* closure) {
    struct Job {
        void (*task)(void*, int);
        void* closure;
    } job{task, closure};
    // Halide's own threads, so that no second pool competes for the cores.
    JitContext context;
    Halide::Internal::JITSharedRuntime::populate_jit_handlers(&context, context.handlers);
    if (!context.handlers.custom_do_par_for) {
        for (int i = 0; i < tasks; ++i) task(closure, i);
        return;
    }
    context.handlers.custom_do_par_for(
        &context,
        [](Halide::JITUserContext*, int i, std::uint8_t* state) {
            auto* it = reinterpret_cast<Job*>(state);
            it->task(it->closure, i);
            return 0;
        },
        0, tasks, reinterpret_cast<std::uint8_t*>(&job));
}

}  // namespace frisket
