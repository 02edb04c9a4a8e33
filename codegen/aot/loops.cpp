// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "library.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include "../../runtime/support/joined.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../device/device_kernels.hpp"
#include "../loops/linked_loops.hpp"
#include "../loops/loop_functions.hpp"
#include "../strategies/strategies.hpp"
#include "module_buffers.hpp"
#include "renamed_object.hpp"

/// The part of ahead-of-time compilation that talks to Halide.
namespace frisket::aot {

namespace {

/// Halide's messages as exceptions, its warnings (emulated types, say) unheard.
class Quiet final : public Halide::CompileTimeErrorReporter {
public:
    void warning(const char*) override {}
    void error(const char* text) override { throw Bug(std::string("Halide refuses a loop: ") + text); }
};

void set_up_halide() {
    Halide::set_custom_compile_time_error_reporter(&runtime::made_once([] { return Quiet(); }));
}

/// AVX-512 without its extensions, which no server has, produces code that LLVM cannot lower: the name means
/// AVX-512 of Skylake and later.  Below SSE4.1 Halide rounds huge numbers wrongly.
Halide::Target completed(Halide::Target target) {
    using Halide::Target;
    if (target.arch != Target::X86) return target;
    target.set_feature(Target::SSE41);
    if (target.has_feature(Target::AVX512)) target.set_features({Target::AVX512_Skylake, Target::AVX2});
    if (target.has_feature(Target::AVX2))
        target.set_features({Target::AVX, Target::SSE41, Target::F16C, Target::FMA});
    return target;
}

Halide::Target parsed(const std::string& name) {
    if (name == "host") return Halide::get_host_target();
    const auto row = std::ranges::find(known_targets(), name, &TargetRow::name);
    if (row != known_targets().end()) return Halide::Target{std::string(row->halide)};
    if (Halide::Target::validate_target_string(name)) return completed(Halide::Target{name});
    std::string names = "host";
    for (const TargetRow& known : known_targets())
        if (known.is_linkable) names += ", " + std::string(known.name);
    throw TargetError("target: there is no target \"" + name + "\": there are " + names +
                      ", and Halide's target strings, x86-64-linux-avx2 for instance");
}

/// A target without its instruction sets.
Halide::Target family_of(const Halide::Target& target) { return {target.os, target.arch, target.bits}; }

/// A device of a library that is linked for a family of processors, whose plainest starts the kernels.
LibraryTarget device_target(const TargetRow& row, const Halide::Target& family) {
    const std::string_view features = row.halide.substr(std::string_view("host").size());
    const Halide::Target target = completed(Halide::Target{family.to_string() + std::string(features)});
    return {.name = std::string(row.name),
            .halide = target.to_string(),
            .driver = row.driver,
            .vector_bytes = any_lanes * static_cast<int>(sizeof(float)),
            .features = {}};
}

/// The names of devices for which kernels are compiled ahead of time.
std::string linkable_devices() {
    const auto is_one = [](const TargetRow& row) { return row.gpu && row.is_linkable; };
    return runtime::joined(known_targets() | std::views::filter(is_one), &TargetRow::name);
}

/// A target for a library that is linked for a family of processors.
LibraryTarget library_target(const std::string& name, const Halide::Target& family) {
    const auto row = std::ranges::find(known_targets(), name, &TargetRow::name);
    if (row != known_targets().end() && row->gpu && row->is_linkable) return device_target(*row, family);
    const Halide::Target target = parsed(name);
    if (target.has_gpu_feature())
        throw TargetError("target " + name +
                          ": its kernels are compiled just in time only; ahead of time there are " +
                          runtime::in_words(linkable_devices(), "and") + ", by these names");
    if (family_of(target) != family)
        throw TargetError(
            "target " + name + ": the library is linked for " + family.to_string() +
            ": name targets of this processor family; `frisket build --cross` compiles for others");
    LibraryTarget made{.name = name, .halide = target.to_string(), .features = {}};
    made.vector_bytes = target.natural_vector_size<std::uint8_t>();
    made.features.resize((Halide::Target::FeatureEnd + 63) / 64);
    for (int feature = 0; feature < Halide::Target::FeatureEnd; ++feature)
        if (target.has_feature(static_cast<Halide::Target::Feature>(feature)))
            made.features[feature / 64] |= std::uint64_t{1} << (feature % 64);
    return made;
}

/// The machine of a target, as for loops made just in time: IEEE bit for bit, and on processors without
/// Halide's checks; calls are checked before they reach a loop.
Halide::Target machine_of(const LibraryTarget& target) {
    using Halide::Target;
    Target machine = Target(target.halide)
                         .with_feature(Target::StrictFloat)
                         .with_feature(Target::NoRuntime)
                         .with_feature(Target::UserContext);
    if (!target.is_device()) machine.set_features({Target::NoAsserts, Target::NoBoundsQuery});
    return machine;
}

/// The bytes of an object file with the loops of all modules.
std::string object_of(const std::string& name, const std::vector<Halide::Module>& modules) {
    Halide::Module all = Halide::link_modules(name, modules);
    all.set_any_strict_float(true);  // linking forgets it
    // Compiles to memory: Halide ends the process if it cannot write a file.
    const Halide::Buffer<std::uint8_t> object = all.compile_to_buffer();
    return {reinterpret_cast<const char*>(object.data()), object.size_in_bytes()};
}

/// The function of a loop, and the one that is called with a list of pointers.
void add_function(std::vector<std::string>& functions, const std::string& name) {
    functions.push_back(name);
    functions.push_back(name + "_argv");
}

/// Beginning of the names of an object's functions.
std::string base_of(const Library& library, const LibraryStep& step, std::size_t target) {
    return library.name + "_" + step.name + "_" + std::to_string(target);
}

}  // namespace

std::vector<LibraryTarget> library_targets(std::span<const std::string> names, const std::string& family) {
    set_up_halide();
    const Halide::Target processors = family_of(parsed(family));
    std::vector<LibraryTarget> made;
    for (const std::string& name : names) {
        if (std::ranges::find(made, name, &LibraryTarget::name) != made.end())
            throw TargetError("target " + name + " is given twice");
        made.push_back(library_target(name, processors));
    }
    if (std::ranges::all_of(made, &LibraryTarget::is_device))
        throw TargetError("target " + made.front().name +
                          ": a library for devices has loops for a processor too: add host, x86-64 for "
                          "instance, to TARGETS");
    return made;
}

std::string loops_object(const Library& library, const LibraryStep& step, std::size_t target) {
    const LibraryTarget& row = library.targets[target];
    const Halide::Target machine = machine_of(row);
    std::vector<Halide::Module> modules;
    std::vector<std::string> functions;
    for (const Schedule& schedule : schedules_of(library, step, target)) {
        const std::string function = loop_name(library, step, target, schedule);
        add_function(functions, function);
        codegen::BuiltLoops loops =
            codegen::lower({step.graph, step.numbers, {.schedule = schedule}}, machine);
        modules.push_back(loops.pipeline.compile_to_module(loops.arguments, function, machine,
                                                           Halide::LinkageType::ExternalPlusArgv));
    }
    const std::string base = base_of(library, step, target);
    return renamed_object(object_of(base, modules), {.kept = functions, .base = base});
}

namespace {

/// Loops of a planned step on their way into an object file.
class PlannedModules {
public:
    PlannedModules(const LibraryTarget& row, std::string base) : row_(row), base_(std::move(base)) {}

    /// Gives the name of its function.
    std::string add(const codegen::KeyText& key, const std::function<codegen::BuiltLoops()>& build) {
        std::string function = base_ + "_" + std::to_string(loops_.size());
        add_function(functions_, function);
        codegen::BuiltLoops built = build();
        const Halide::Module module = built.pipeline.compile_to_module(built.arguments, function, machine_,
                                                                       Halide::LinkageType::ExternalPlusArgv);
        modules_.push_back(row_.is_device() ? with_own_buffers(module, function) : module);
        loops_.push_back({codegen::linked_key(key.text()), function, built.all_notes(),
                          built.kernels ? *built.kernels : 0});
        return function;
    }
    std::string object() const {
        std::vector<std::pair<std::string_view, std::string_view>> names;
        for (const auto& [halide, ours] : codegen::loop_runtime_names) names.emplace_back(halide, ours);
        return renamed_object(object_of(base_ + "_loops", modules_),
                              {.kept = functions_, .base = base_, .runtime = names});
    }
    std::vector<LibraryLoop> loops() const {
        std::vector<LibraryLoop> sorted = loops_;
        std::ranges::sort(sorted, {}, &LibraryLoop::key);
        return sorted;
    }
    const LibraryTarget& target() const { return row_; }
    const Halide::Target& machine() const { return machine_; }

private:
    const LibraryTarget& row_;
    const std::string base_;
    const Halide::Target machine_ = machine_of(row_);
    std::vector<Halide::Module> modules_;
    std::vector<std::string> functions_;
    std::vector<LibraryLoop> loops_;
};

codegen::Specialization form_on(const LibraryTarget& target, const WantedLoop& wanted) {
    codegen::Specialization form = wanted.form;
    Schedule& schedule = form.schedule;
    if (!form.is_of_step())
        form.lanes = schedule.vector != 0 ? schedule.vector : target.lanes();
    else
        schedule = target.is_device() ? resolved_for_device(schedule) : resolved(schedule, target.lanes());
    return form;
}

codegen::KeyText key_on(const LibraryTarget& target, const WantedLoop& wanted) {
    return codegen::loop_key(wanted.graph, form_on(target, wanted));
}

}  // namespace

std::string planned_object(const Library& library, LibraryStep& step, std::size_t target) {
    PlannedModules modules(library.targets[target], base_of(library, step, target));
    const auto add = [&](const WantedLoops& loops) {
        for (const WantedLoop& wanted : loops)
            modules.add(key_on(modules.target(), wanted), [&] {
                return codegen::lower(
                    {wanted.graph, ir::ScalarProgram::of(wanted.graph), form_on(modules.target(), wanted)},
                    modules.machine());
            });
    };
    const bool is_device = library.targets[target].is_device();
    add(is_device ? *step.on_device : *step.wanted);
    if (!step.planned_schedules.empty()) add(step.planned_schedules[target].loops);
    step.planned[target] = modules.loops();
    return modules.object();
}

namespace {

/// Moves the loops that `known` has already to `shared`.
void move_known(WantedLoops& wanted, WantedLoops& shared, std::set<std::string>& known,
                const LibraryTarget& target) {
    const auto others = std::ranges::stable_partition(
        wanted, [&](const WantedLoop& loop) { return known.insert(key_on(target, loop).text()).second; });
    shared.assign(others.begin(), others.end());
    wanted.erase(others.begin(), others.end());
}

}  // namespace

void share_loops(Library& library) {
    for (const bool is_device : {false, true}) {
        const auto target = std::ranges::find(library.targets, is_device, &LibraryTarget::is_device);
        if (target == library.targets.end()) continue;
        std::set<std::string> known;
        for (LibraryStep* const part : library.parts()) {
            std::optional<WantedLoops>& wanted = is_device ? part->on_device : part->wanted;
            if (!wanted) continue;
            move_known(*wanted, is_device ? part->shared_on_device : part->shared, known, *target);
        }
    }
}

void add_shared_loops(Library& library) {
    for (std::size_t target = 0; target < library.targets.size(); ++target) {
        const LibraryTarget& row = library.targets[target];
        std::map<LoopKey, LibraryLoop> known;
        for (const LibraryStep* const part : library.parts())
            for (const LibraryLoop& loop : part->planned[target]) known.emplace(loop.key, loop);
        for (LibraryStep* const part : library.parts()) {
            std::vector<LibraryLoop>& loops = part->planned[target];
            for (const WantedLoop& loop : row.is_device() ? part->shared_on_device : part->shared)
                loops.push_back(known.at(codegen::linked_key(key_on(row, loop).text())));
            std::ranges::sort(loops, {}, &LibraryLoop::key);
        }
    }
}

std::vector<LibraryDeviceKernel> device_kernels_of(const Library& library, std::size_t target) {
    std::vector<LibraryDeviceKernel> kernels;
    const std::string base = library.name + "_devices_" + std::to_string(target) + "_";
    for (const runtime::DeviceKernelInfo& kernel : runtime::device_kernels())
        for (const DType dtype : kernel.compiled_dtypes())
            kernels.push_back(
                {kernel.kernel, std::string(kernel.name), dtype, base + std::to_string(kernels.size())});
    return kernels;
}

std::string device_kernels_object(const Library& library, std::size_t target) {
    const LibraryTarget& row = library.targets[target];
    PlannedModules modules(row, library.name + "_devices_" + std::to_string(target));
    for (const LibraryDeviceKernel& kernel : device_kernels_of(library, target)) {
        const std::string function =
            modules.add(codegen::KeyText().add(kernel.name).add(name_of(kernel.dtype)), [&] {
                return codegen::build_device_kernel(kernel.kernel, kernel.dtype, machine_of(row));
            });
        if (function != kernel.function) throw Bug(function + " is called " + kernel.function);
    }
    return modules.object();
}

std::string device_runtime_object(const Library& library) {
    using Halide::Target;
    std::optional<Target> all;
    for (const LibraryTarget& target : library.targets) {
        if (!target.is_device()) continue;
        const Target one(target.halide);
        if (!all) all = family_of(one);
        all->set_feature(
            Halide::target_feature_for_device_api(Halide::get_default_device_api_for_target(one)));
    }
    return object_of("devices", {Halide::Module("devices", all.value())});
}

}  // namespace frisket::aot
