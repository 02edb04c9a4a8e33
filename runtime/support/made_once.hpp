// SPDX-License-Identifier: MIT
// Makes values once in a process, safely under fork.
#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <type_traits>

#include "fork.hpp"

namespace frisket::runtime {

/// The value that make() returns at its first call in the process, for all threads and never destroyed: a
/// static variable of a function, which a fork never finds half made.  Each lambda has one.
template <class Make>
auto& made_once(Make make) {
    using Value = std::invoke_result_t<Make>;
    static constinit Once once;
    alignas(Value) static std::byte memory[sizeof(Value)];
    once.run([&] { ::new (static_cast<void*>(memory)) Value(make()); });
    return *std::launder(reinterpret_cast<Value*>(memory));
}

/// Returns the value that `place` points to.  The first call makes the value by make(), which returns a
/// pointer.  All threads share the value, it is never destroyed, and no fork finds it half made.
template <class T, class Make>
const T& made_once_at(std::atomic<const T*>& place, Make make) {
    if (const T* const known = place.load(std::memory_order_acquire)) return *known;
    static constinit Mutex mutex;
    const std::lock_guard lock(mutex);
    if (place.load(std::memory_order_relaxed) == nullptr) place.store(make(), std::memory_order_release);
    return *place.load(std::memory_order_relaxed);
}

}  // namespace frisket::runtime
