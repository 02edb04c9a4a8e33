// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <pthread.h>

#include <atomic>
#include <memory>
#include <new>

#include "../support/fork.hpp"

namespace frisket::kernel_calls {

/// Key of an object of each thread, a static variable that needs no code to initialize it.  The destructor of
/// a thread_local object is registered in memory whose lack ends the process; a key reports it.
class ThreadKey {
public:
    /// `destroy` runs when a thread ends; not for the thread that ends the process, and not once the library
    /// is unloaded.
    explicit constexpr ThreadKey(void (*destroy)(void*)) noexcept : destroy_(destroy) {}
    /// The object of this thread, or null.
    void* find() const noexcept {
        return has_key_.load(std::memory_order_acquire) ? pthread_getspecific(key_) : nullptr;
    }
    /// Errors: std::bad_alloc.
    void keep(void* object);
    /// Deletes all keys, so that threads that outlive the library do not call it.
    static void delete_all() noexcept;

private:
    void make();

    void (*const destroy_)(void*);
    runtime::Once once_;
    pthread_key_t key_{};
    std::atomic<bool> has_key_{false};
    ThreadKey* next_ = nullptr;
};

/// An object of each thread, made when the thread first asks for it.
template <class T>
class PerThread {
public:
    /// The object of this thread, or null before it is made.
    T* find() const noexcept { return static_cast<T*>(key_.find()); }
    /// The object of this thread.
    /// Errors: std::bad_alloc.
    T& get() {
        if (T* const known = find()) return *known;
        auto made = std::make_unique<T>();
        key_.keep(made.get());
        return *made.release();
    }

private:
    ThreadKey key_{[](void* object) { delete static_cast<T*>(object); }};
};

}  // namespace frisket::kernel_calls
