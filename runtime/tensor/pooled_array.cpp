// SPDX-License-Identifier: MIT
#include "index_list.hpp"

#include "result_memory.hpp"

#include <new>

namespace frisket::runtime {

namespace {

bool is_pooled(std::int64_t bytes) { return bytes >= static_cast<std::int64_t>(least_pooled_bytes); }

}  // namespace

void* take_array(std::int64_t bytes) {
    if (!is_pooled(bytes)) return bytes > 0 ? ::operator new(static_cast<std::size_t>(bytes)) : nullptr;
    void* const data = take_block(static_cast<std::size_t>(bytes)).data;
    if (data == nullptr) throw std::bad_alloc();
    return data;
}

void give_array(void* data, std::int64_t bytes) noexcept {
    if (data == nullptr) return;
    if (!is_pooled(bytes)) return ::operator delete(data);
    give_block({static_cast<std::byte*>(data), block_bytes(static_cast<std::size_t>(bytes))});
}

}  // namespace frisket::runtime
