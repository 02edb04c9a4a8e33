// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "representation.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "../ir/planner/report/report_writer.hpp"
#include "../runtime/tensor/error.hpp"
#include "disk_cache/files.hpp"
#include "jit/halide_jit.hpp"
#include "lowering/kernel_builder.hpp"
#include "strategies/strategies.hpp"

namespace frisket::codegen {

namespace {

/// Halide ends the process if it cannot open or write a file: the same operation is tried before.
void check_room(const MemoryFile& file) {
    constexpr off_t most = off_t{64} << 20U;
    const runtime::Descriptor second(open(file.path().c_str(), O_WRONLY | O_CLOEXEC));
    if (!second.is_open() || ftruncate(second.number(), most) != 0)
        throw IoError(std::string("assembly: no room for it: ") + std::strerror(errno));
}

std::string assembly(BuiltLoops& loops, const std::string& name, Halide::Target machine) {
    machine.set_feature(Halide::Target::JIT, false);
    machine.set_feature(Halide::Target::NoRuntime);
    const MemoryFile file;
    const runtime::NoSizeSignal quiet;
    check_room(file);
    loops.pipeline.compile_to_assembly(file.path(), loops.arguments, name, machine);
    return file.bytes();
}

}  // namespace

std::string representation_text(const Graph& step, Representation stage, Strategy strategy,
                                const TargetRow& target) {
    if (stage == Representation::graph) return to_string(step);
    if (stage == Representation::plan) return planning::plan_text(step, signature_of(step), strategy);
    set_up_halide();
    const ir::ScalarProgram numbers = ir::ScalarProgram::of(step);
    const Halide::Target machine = machine_of(target);
    const Specialization form{.schedule = default_schedule(strategy, machine)};
    if (stage == Representation::schedule) return to_string(form.schedule) + "\n";
    BuiltLoops loops = lower({step, numbers, form}, machine);
    return stage == Representation::loops ? statements_of(loops, step.name, machine)
                                          : assembly(loops, step.name, machine);
}

}  // namespace frisket::codegen
