// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "halide_jit.hpp"

#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "../../runtime/tensor/error.hpp"
#include "threads.hpp"

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

JitContext::JitContext() {
    handlers.custom_error = [](Halide::JITUserContext* context, const char* text) {
        auto& message = static_cast<JitContext*>(context)->message;
        if (!message.empty()) return;
        try {
            message = text;
        } catch (...) { message.clear(); }  // without memory, without a message
    };
    handlers.custom_do_par_for = [](Halide::JITUserContext* context, HalideTask task, int first, int count,
                                    std::uint8_t* closure) {
        PoolTask given{.task = task, .context = context, .closure = closure};
        return run_tasks(nullptr, run_pool_task, first, count, reinterpret_cast<std::uint8_t*>(&given));
    };
}

void* JitContext::allocate(std::size_t bytes) {
    if (bytes >= runtime::least_pooled_bytes)
        if (void* const memory = allocate_pooled(bytes)) return memory;
    const std::size_t rounded = (bytes / alignment + 1) * alignment;
    if (void* const memory = std::aligned_alloc(alignment, rounded)) return memory;
    const std::size_t begin = reserve_used.fetch_add(rounded);
    if (begin + rounded <= reserve.size()) return reserve.data() + begin;
    lacks_memory = true;
    return nullptr;
}

void JitContext::free(void* memory) {
    const auto* const byte = static_cast<std::byte*>(memory);
    const bool is_reserved =
        !std::less()(byte, reserve.data()) && std::less()(byte, reserve.data() + reserve.size());
    if (!is_reserved && !free_pooled(memory)) std::free(memory);
}

/// Null if there is no memory, or no place is free.
void* JitContext::allocate_pooled(std::size_t bytes) {
    const runtime::PoolBlock block = runtime::take_block(bytes);
    if (block.data == nullptr) return nullptr;
    {
        const std::scoped_lock lock(mutex_);
        if (!pooled_) pooled_.emplace();
        for (runtime::PoolBlock& place : *pooled_)
            if (place.data == nullptr) {
                place = block;
                return block.data;
            }
    }
    runtime::give_block(block);
    return nullptr;
}

bool JitContext::free_pooled(const void* memory) {
    runtime::PoolBlock block;
    {
        const std::scoped_lock lock(mutex_);
        if (!pooled_) return false;
        for (runtime::PoolBlock& place : *pooled_)
            if (memory != nullptr && place.data == memory) block = std::exchange(place, {});
    }
    if (block.data == nullptr) return false;
    runtime::give_block(block);
    return true;
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

int float_lanes(const TargetRow& row) {
    static const std::vector<int> all = [] {
        std::vector<int> lanes;
        for (const TargetRow& one : targets()) lanes.push_back(machine_of(one).natural_vector_size<float>());
        return lanes;
    }();
    return all[static_cast<std::size_t>(&row - targets().data())];
}

}  // namespace frisket::codegen
