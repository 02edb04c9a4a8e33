// SPDX-License-Identifier: MIT
#include "per_thread.hpp"

#include <atomic>
#include <utility>

namespace frisket::kernel_calls {

namespace {

constinit std::atomic<ThreadKey*> first_key{nullptr};

// Runs after the destructors of static objects, which may still call kernels.
[[gnu::destructor]] void delete_keys() { ThreadKey::delete_all(); }

}  // namespace

ThreadKey::ThreadKey(void (*destroy)(void*)) noexcept : has_key_(pthread_key_create(&key_, destroy) == 0) {
    next_ = first_key.load();
    while (!first_key.compare_exchange_weak(next_, this)) {}
}

void ThreadKey::keep(void* object) const {
    if (!has_key_ || pthread_setspecific(key_, object) != 0) throw std::bad_alloc();
}

void ThreadKey::delete_all() noexcept {
    for (ThreadKey* key = first_key.load(); key != nullptr; key = key->next_)
        if (std::exchange(key->has_key_, false)) pthread_key_delete(key->key_);
}

}  // namespace frisket::kernel_calls
