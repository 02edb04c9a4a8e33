// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "footprint.hpp"

#include <mutex>
#include <set>

#include "../../../runtime/kernel/compiled_kernel.hpp"
#include "../../../runtime/support/fork.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "../../jit/halide_jit.hpp"
#include "../../jit/jit_module.hpp"
#include "../../strategies/strategies.hpp"
#include "../records/workload.hpp"

namespace frisket::codegen {

namespace {

/// Every address that loops read and write, by the name of the array.
class Touched {
public:
    struct Array { std::set<const std::byte*> loaded, stored; };

    /// Takes the buffers of one run under the names that events will have.
    void begin(const BuiltLoops& loops, std::span<const void* const> argv) {
        buffers_.clear();
        std::size_t next = 1;
        for (const Halide::Argument& argument : loops.arguments) {
            if (argument.is_buffer()) buffers_[argument.name] = {buffer_of(argv[next])};
            ++next;
        }
        auto& outputs = buffers_[loops.pipeline.outputs()[0].name()];
        for (; next < argv.size(); ++next) outputs.push_back(buffer_of(argv[next]));
    }

    /// A vector's coordinates are stored dimension by dimension, its lanes side by side.
    void note(const halide_trace_event_t& event) {
        const bool is_load = event.event == halide_trace_load;
        if (!is_load && event.event != halide_trace_store) return;
        const std::lock_guard lock(mutex_);
        const auto known = buffers_.find(event.func);
        if (known == buffers_.end()) return;
        const halide_buffer_t& buffer = *known->second.at(static_cast<std::size_t>(event.value_index));
        Array& array = arrays_[event.func];
        const int lanes = event.type.lanes;
        for (int lane = 0; lane < lanes; ++lane) {
            std::int64_t offset = 0;
            for (int d = 0; d < buffer.dimensions; ++d)
                offset += std::int64_t{event.coordinates[d * lanes + lane] - buffer.dim[d].min} *
                          buffer.dim[d].stride;
            const auto* at = reinterpret_cast<const std::byte*>(buffer.host) + offset * buffer.type.bytes();
            (is_load ? array.loaded : array.stored).insert(at);
        }
    }

    const std::map<std::string, Array>& arrays() const { return arrays_; }

private:
    static const halide_buffer_t* buffer_of(const void* entry) {
        return static_cast<const halide_buffer_t*>(entry);
    }

    runtime::Mutex mutex_;
    std::map<std::string, std::vector<const halide_buffer_t*>> buffers_;
    std::map<std::string, Array> arrays_;
};

struct TraceContext : JitContext {
    TraceContext(LoopContext& own, Touched& noted) : JitContext(own), touched(noted) {
        handlers.custom_trace = [](Halide::JITUserContext* context, const halide_trace_event_t* event) {
            static_cast<TraceContext*>(context)->touched.note(*event);
            return 1;
        };
    }
    Touched& touched;
};

/// The loops of a schedule, which tell of each load and store.
class TracedSource final : public kernel_calls::KernelModule {
public:
    explicit TracedSource(JitModule& plain) : KernelModule(facts_of(plain)), plain_(plain) {}

    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) override {
        return {plain_.choose(query).strategy};
    }
    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override {
        Halide::Target machine = machine_of(plain_.target());
        Specialization form{.schedule = resolved(*plain_.schedule(), machine)};
        form.schedule.strategy = variant.strategy;
        machine.set_features({Halide::Target::TraceLoads, Halide::Target::TraceStores});
        BuiltLoops loops = lower({plain_.graph(), plain_.numbers(), form}, machine);
        touched.begin(loops, argv);
        LoopContext own;
        TraceContext context(own, touched);
        Halide::JITUserContext* pointer = &context;
        argv[0] = static_cast<const void*>(&pointer);
        Halide::Callable loop = loops.pipeline.compile_to_callable(loops.arguments, machine);
        if (loop.call_argv_fast(argv.size(), argv.data()) != 0)
            throw Bug(plain_.graph().name + ": a traced loop failed: " + own.message);
    }

    Touched touched;

private:
    JitModule& plain_;
};

/// The name that users know for an array of a loop: "grad_" is grad, "grad_words" its mask.
std::string name_for_users(const std::string& name) {
    const auto mark = name.find('_');
    const std::string symbol = name.substr(0, name.rfind('_')), rest = name.substr(name.rfind('_') + 1);
    if (mark == name.npos) return name;
    return rest.empty() ? symbol : symbol + "'s " + rest;
}

}  // namespace

Footprint footprint_of(const Graph& step, const Schedule& schedule, std::span<const Argument> arguments) {
    JitModule plain(step, find_target({"cpu"}), schedule, JitModule::Tuning::ignore);
    const auto source = std::make_shared<TracedSource>(plain);
    const Workload workload(source->signature(), arguments);
    CompiledKernel(source).call(workload.arguments());
    Footprint found;
    std::vector<const AnyTensor*> written;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (source->signature().writes(static_cast<int>(i)) &&
            is_tensor(source->signature().parameters[i].kind))
            written.push_back(&workload.arguments()[i].tensor());
    if (written.empty()) return found;
    const auto count = static_cast<std::size_t>(written[0]->size());
    found.loaded.resize(count), found.stored.resize(count);
    const auto mark = [&](const std::set<const std::byte*>& addresses, std::vector<bool>& elements) {
        for (const std::byte* address : addresses)
            for (const AnyTensor* tensor : written) {
                const std::ptrdiff_t offset = address - static_cast<const std::byte*>(tensor->data());
                const std::ptrdiff_t size = bytes_of(tensor->dtype());
                if (offset >= 0 && offset < tensor->size() * size)
                    elements[static_cast<std::size_t>(offset / size)] = true;
            }
    };
    for (const auto& [name, array] : source->touched.arrays()) {
        mark(array.loaded, found.loaded);
        mark(array.stored, found.stored);
        if (array.stored.empty())
            found.read[name_for_users(name)] = static_cast<std::int64_t>(array.loaded.size());
    }
    return found;
}

}  // namespace frisket::codegen
