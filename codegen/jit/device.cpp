// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device.hpp"

#include "../disk_cache/compiled_loops.hpp"
#include "halide_jit.hpp"

namespace frisket::codegen {

namespace {

/// The buffers of a call, inputs and outputs.
struct Buffers {
    std::vector<halide_buffer_t*> all;
    std::vector<halide_buffer_t*> written;
};

Buffers buffers_of(const kernel::LoopAbi& abi, std::span<const void*> argv) {
    Buffers buffers;
    for (std::size_t i = 0; i < abi.size(); ++i) {
        if (!kernel::is_array(abi[i].role)) continue;
        auto* buffer = static_cast<halide_buffer_t*>(const_cast<void*>(argv[i + 2]));
        buffers.all.push_back(buffer);
        if (kernel::is_written(abi[i].role)) buffers.written.push_back(buffer);
    }
    return buffers;
}

int run_once(const Buffers& buffers, Halide::JITUserContext* context, const auto& call) {
    for (halide_buffer_t* buffer : buffers.all) buffer->set_host_dirty(true);
    int status = call();
    for (halide_buffer_t* buffer : buffers.written)
        if (status == 0 && buffer->device_interface)
            status = buffer->device_interface->copy_to_host(context, buffer);
    for (halide_buffer_t* buffer : buffers.all)
        if (buffer->device_interface) buffer->device_interface->device_free(context, buffer);
    return status;
}

}  // namespace

int run_on_device(const kernel::LoopAbi& abi, std::span<const void*> argv, const LoopCode& loops,
                  LoopContext& own) {
    JitContext ours(own);
    Halide::JITUserContext* const context = &ours;
    const auto call = [&] { return static_cast<const DeviceLoops&>(loops.function()).call(argv, ours); };
    const Buffers buffers = buffers_of(abi, argv);
    if (abi.empty() || abi[0].role != kernel::LoopRole::element_count)
        return run_once(buffers, context, call);
    // The last tile of a flat loop may reach past the user's memory, which a copy must not: it runs by
    // itself, cut.
    auto& count = *static_cast<std::int32_t*>(const_cast<void*>(argv[2]));
    const std::int32_t all = count, full = all / 64, rest = all % 64;
    int status = 0;
    if (full > 0) {
        count = full * 64;
        for (halide_buffer_t* buffer : buffers.all) buffer->dim[buffer->dimensions - 1].extent = full;
        status = run_once(buffers, context, call);
    }
    if (status == 0 && rest > 0) {
        count = rest;
        for (halide_buffer_t* buffer : buffers.all) {
            auto& outer = buffer->dim[buffer->dimensions - 1];
            buffer->host += std::int64_t{full} * outer.stride * buffer->type.bytes();
            outer.extent = 1;
            if (buffer->dimensions == 2) buffer->dim[0].extent = rest;
        }
        status = run_once(buffers, context, call);
    }
    return status;
}

}  // namespace frisket::codegen
