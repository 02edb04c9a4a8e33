// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "compiled_loops.hpp"

#include <sys/auxv.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>

#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../disk_cache/loop_entry.hpp"
#include "../disk_cache/loop_folder.hpp"
#include "../disk_cache/object_loader.hpp"
#include "../disk_cache/process_functions.hpp"
#include "../disk_cache/sources_hash.hpp"
#include "../loops/threads.hpp"
#include "../strategies/strategies.hpp"
#include "../tuning/records/machine.hpp"
#include "compilations.hpp"
#include "halide_jit.hpp"

namespace frisket::codegen {

namespace {

constexpr const char* function_name = "frisket_loops";
constexpr const char* argv_name = "frisket_loops_argv";

/// The machine for which loops in memory are compiled, but without Halide's runtime, which takes several
/// hundred milliseconds to make.
Halide::Target machine_of_objects(const TargetRow& target) {
    Halide::Target machine = machine_of(target);
    machine.set_feature(Halide::Target::JIT, false);
    machine.set_features({Halide::Target::NoRuntime, Halide::Target::UserContext});
    return machine;
}

std::string compiled_object(const BuiltLoops& loops, const Halide::Target& machine) {
    // Compiles to memory: Halide ends the process if it cannot write a file.
    const Halide::Buffer<std::uint8_t> object =
        Halide::Pipeline(loops.pipeline)
            .compile_to_module(loops.arguments, function_name, machine, Halide::LinkageType::ExternalPlusArgv)
            .compile_to_buffer();
    return {reinterpret_cast<const char*>(object.data()), object.size_in_bytes()};
}

std::shared_ptr<const LoadedObject> loaded(const LoopEntry& entry) {
    return std::make_shared<const LoadedObject>(entry.object, std::string(argv_name), process_functions());
}

/// The loops of a recipe, built once if at all.
class Builder {
public:
    explicit Builder(const LoopRecipe& recipe) : recipe_(recipe) {}
    BuiltLoops& loops() {
        if (!loops_) loops_ = recipe_.build();
        return *loops_;
    }

private:
    const LoopRecipe& recipe_;
    std::optional<BuiltLoops> loops_;
};

void tell(const LoopRecipe& recipe, const std::string& what) {
    if (runtime::shows("cache")) runtime::show("cache", recipe.title, what);
}

std::string key_of(const LoopRecipe& recipe, const Halide::Target& machine) {
    KeyText key = build_key();
    key.add(recipe.target.name).add(machine.to_string()).add(recipe.key.text());
    return key.text();
}

/// Loops that are loaded, and the facts about them.
struct LoadedLoops {
    std::shared_ptr<const LoadedObject> object;
    std::vector<std::int64_t> notes;
    bool is_read = false;  ///< from the disk
};

/// Loops from the disk, or made anew, and stored there if possible.  Errors: IoError if none can be loaded.
LoadedLoops loaded_loops(const LoopRecipe& recipe, Builder& builder) {
    const Halide::Target machine = machine_of_objects(recipe.target);
    const std::string key = key_of(recipe, machine);
    std::string why = recipe.is_kept ? why_not_kept(recipe.target) : "they are a trial";
    std::optional<LoopFolder> folder;
    if (why.empty()) try {
            folder.emplace(loop_folder_path());
            if (std::optional<LoopEntry> known = folder->find(key)) {
                LoadedLoops loops{
                    .object = loaded(*known), .notes = std::move(known->notes), .is_read = true};
                tell(recipe, "read from " + folder->path() + "/" + loop_file_name(key));
                return loops;
            }
        } catch (const IoError& error) {  // `frisket doctor` reports it as well
            folder.reset();
            why = error.what();
        }
    LoopEntry made{.key = key,
                   .name = recipe.name,
                   .loops = recipe.loops,
                   .target = std::string(recipe.target.name),
                   .object = compiled_object(builder.loops(), machine),
                   .notes = builder.loops().all_notes()};
    LoadedLoops loops{.object = loaded(made), .notes = {}};  // first: an object that is refused is not stored
    if (folder) why = folder->keep(made);
    tell(recipe, !folder       ? "compiled in memory: " + why
                 : why.empty() ? "compiled, and kept as " + folder->path() + "/" + loop_file_name(key)
                               : "compiled, and not kept: " + why);
    loops.notes = std::move(made.notes);
    return loops;
}

constexpr std::size_t bytes_in_memory = std::size_t{640} << 10;  // Halide's code: 0.5 to 0.8 MB measured

/// Calls loops that Halide compiled in memory.
int call_in_memory(const Halide::Callable& callable, std::span<const void*> argv,
                   Halide::JITUserContext* context) {
    argv[0] = static_cast<const void*>(&context);
    const int status = callable.call_argv_fast(argv.size(), argv.data());
    if (status == halide_error_code_out_of_memory) throw std::bad_alloc();
    return status;
}

/// Loops of the host that Halide compiled in memory take their memory from the context.
int call_on_host(const Halide::Callable& callable, std::span<const void*> argv, LoopContext& context) {
    JitContext ours(context);
    ours.handlers.custom_malloc = [](Halide::JITUserContext* given, std::size_t bytes) {
        return static_cast<JitContext*>(given)->loops.allocate(bytes);
    };
    ours.handlers.custom_free = [](Halide::JITUserContext* given, void* memory) {
        static_cast<JitContext*>(given)->loops.free(memory);
    };
    return call_in_memory(callable, argv, &ours);
}

}  // namespace

KeyText build_key() {
    const char* const options = std::getenv("HL_LLVM_ARGS");
    KeyText key;
    key.add(build_name()).add(sources_hash()).add(options != nullptr ? options : "");
    return key;
}

std::string why_not_kept(const TargetRow& target) {
    if (target.gpu) return "loops of devices are compiled in each process";
    if (!loads_objects) return "objects are loaded on x86-64 alone";
    // A program with more rights would run code that its user's variables name.
    if (getauxval(AT_SECURE) != 0) return "this program has rights that its user lacks";
    if (loop_folder_path().empty()) return "FRISKET_CACHE_DIR is \"off\", or there is no home folder";
    return "";
}

namespace {

/// The loops of a recipe; `is_read` becomes true if they come from the disk.
LoopCode made_code(const LoopRecipe& recipe, bool& is_read) {
    set_up_halide();
    thread_count();  // refuses FRISKET_NUM_THREADS here: no exception passes the frames of loops
    Builder builder(recipe);
    if (runtime::shows("loops"))
        runtime::show("loops", recipe.title,
                      statements_of(builder.loops(), recipe.name, machine_of(recipe.target)));
    std::string why;
    if (recipe.target.gpu || !loads_objects) {
        why = why_not_kept(recipe.target);
    } else
        try {
            LoadedLoops loops = loaded_loops(recipe, builder);
            is_read = loops.is_read;
            const LoadedObject& object = *loops.object;
            const auto call = [owner = loops.object](std::span<const void*> argv, LoopContext& context) {
                return call_object(owner->function(), argv, context);
            };
            return {std::make_shared<LoopFunction>(call, object.bytes()), std::move(loops.notes)};
        } catch (const IoError& error) { why = error.what(); }
    tell(recipe, "compiled in memory: " + why);
    BuiltLoops& loops = builder.loops();
    Halide::Callable callable =
        loops.pipeline.compile_to_callable(loops.arguments, machine_of(recipe.target));
    std::vector<std::int64_t> notes = loops.all_notes();
    const int kernels = !recipe.target.gpu ? 0 : loops.kernels ? *loops.kernels : 1;
    const auto call = [callable = std::move(callable),
                       on_device = recipe.target.gpu](std::span<const void*> argv, LoopContext& context) {
        if (!on_device) return call_on_host(callable, argv, context);
        JitContext ours(context);
        return call_in_memory(callable, argv, &ours);
    };
    return {std::make_shared<LoopFunction>(call, bytes_in_memory, kernels), std::move(notes)};
}

using Observer = std::function<void(const Compilation&)>;

constinit runtime::Mutex observing;

std::shared_ptr<const Observer>& observer_now() {
    return runtime::made_once([] { return std::shared_ptr<const Observer>(); });
}

void tell_compilation(const Compilation& done) {
    std::shared_ptr<const Observer> observer;
    {
        const std::lock_guard lock(observing);
        observer = observer_now();
    }
    if (observer) (*observer)(done);
}

}  // namespace

void on_compilation(Observer observer) {
    const std::lock_guard lock(observing);
    observer_now() = observer ? std::make_shared<const Observer>(std::move(observer)) : nullptr;
}

LoopCode loop_code(const LoopRecipe& recipe) {
    const runtime::NoFork whole;
    const auto begin = std::chrono::steady_clock::now();
    Compilation done{.name = recipe.name, .loops = recipe.loops, .target = std::string(recipe.target.name)};
    LoopCode code = made_code(recipe, done.is_read);
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    tell_compilation(done);
    return code;
}

}  // namespace frisket::codegen
