// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "halide_jit.hpp"

#include <vector>

#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../loops/threads.hpp"

namespace frisket::codegen {

namespace {

using HalideTask = int (*)(Halide::JITUserContext*, int, std::uint8_t*);

/// A task of loops in memory, whose context has a type.
struct PoolTask {
    HalideTask task;
    Halide::JITUserContext* context;
    std::uint8_t* closure;
};

int run_pool_task(void*, int i, std::uint8_t* state) {
    const auto& given = *reinterpret_cast<const PoolTask*>(state);
    return given.task(given.context, i, given.closure);
}

}  // namespace

JitContext::JitContext(LoopContext& own) : loops(own) {
    handlers.custom_error = [](Halide::JITUserContext* context, const char* text) {
        static_cast<JitContext*>(context)->loops.report(text);
    };
    handlers.custom_do_par_for = [](Halide::JITUserContext* context, HalideTask task, int first, int count,
                                    std::uint8_t* closure) {
        PoolTask given{.task = task, .context = context, .closure = closure};
        return run_tasks(nullptr, run_pool_task, first, count, reinterpret_cast<std::uint8_t*>(&given));
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
    runtime::made_once([] {
        Halide::set_custom_compile_time_error_reporter(&runtime::made_once([] { return Quiet(); }));
        return true;
    });
}

Halide::Target machine_of(const TargetRow& row) {
    const runtime::NoFork whole;
    Halide::Target machine{std::string(row.halide)};
    machine.set_feature(Halide::Target::JIT);
    machine.set_feature(Halide::Target::StrictFloat);
    if (!row.gpu) {
        machine.set_feature(Halide::Target::NoAsserts);
        machine.set_feature(Halide::Target::NoBoundsQuery);
    }
    return machine;
}

int float_lanes(const TargetRow& row) {
    const std::vector<int>& all = runtime::made_once([] {
        std::vector<int> lanes;
        for (const TargetRow& one : known_targets())
            lanes.push_back(machine_of(one).natural_vector_size<float>());
        return lanes;
    });
    return all[static_cast<std::size_t>(&row - known_targets().data())];
}

}  // namespace frisket::codegen
