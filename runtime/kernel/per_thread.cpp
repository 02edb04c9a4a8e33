// SPDX-License-Identifier: MIT
#include "per_thread.hpp"

namespace frisket::kernel_calls {

namespace {

constinit std::atomic<ThreadKey*> first_key{nullptr};

// Runs after the destructors of static objects, which may still call kernels.
[[gnu::destructor]] void delete_keys() { ThreadKey::delete_all(); }

}  // namespace

void ThreadKey::make() {
    if (pthread_key_create(&key_, destroy_) != 0) throw std::bad_alloc();
    has_key_.store(true, std::memory_order_release);
    next_ = first_key.load();
    while (!first_key.compare_exchange_weak(next_, this)) {}
}

void ThreadKey::keep(void* object) {
    once_.run([this] { make(); });
    if (!has_key_.load(std::memory_order_acquire) || pthread_setspecific(key_, object) != 0)
        throw std::bad_alloc();
}

void ThreadKey::delete_all() noexcept {
    for (ThreadKey* key = first_key.load(); key != nullptr; key = key->next_)
        if (key->has_key_.exchange(false)) pthread_key_delete(key->key_);
}

}  // namespace frisket::kernel_calls
