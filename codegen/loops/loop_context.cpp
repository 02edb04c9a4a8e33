// SPDX-License-Identifier: MIT
#include "loop_context.hpp"

#include <cstdlib>
#include <functional>
#include <utility>

#include "../../runtime/tensor/error.hpp"

namespace frisket::codegen {

void LoopContext::report(const char* text) noexcept {
    if (!message.empty()) return;
    try {
        message = text;
    } catch (...) { message.clear(); }  // without memory, without a message
}

void* LoopContext::allocate(std::size_t bytes) {
    if (bytes >= runtime::least_pooled_bytes)
        if (void* const memory = allocate_pooled(bytes)) return memory;
    const std::size_t rounded = (bytes / alignment + 1) * alignment;
    if (void* const memory = std::aligned_alloc(alignment, rounded)) return memory;
    const std::size_t begin = reserve_used.fetch_add(rounded);
    if (begin + rounded <= reserve.size()) return reserve.data() + begin;
    lacks_memory = true;
    return nullptr;
}

void LoopContext::free(void* memory) {
    const auto* const byte = static_cast<std::byte*>(memory);
    const bool is_reserved =
        !std::less()(byte, reserve.data()) && std::less()(byte, reserve.data() + reserve.size());
    if (!is_reserved && !free_pooled(memory)) std::free(memory);
}

/// Null if memory is short, or no slot is free.
void* LoopContext::allocate_pooled(std::size_t bytes) {
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

bool LoopContext::free_pooled(const void* memory) {
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

void throw_failure(const std::string& failed, int status, const LoopContext& context, const Device& device) {
    const std::string text = failed + " with code " + std::to_string(status) + ": " + context.message;
    if (!device.is_cpu()) throw TargetError(text);
    throw Bug(text);
}

}  // namespace frisket::codegen
