// SPDX-License-Identifier: MIT
// Locks shared state in programs that fork.
#pragma once
#include <atomic>
#include <mutex>
#include <utility>

/// Locks of state that all threads share, for programs that fork.  A fork waits until no other thread holds
/// one, so that a child finds them free and the state whole.
namespace frisket::runtime {

/// While a thread has one, forks of other threads wait.  Threads that need one wait for a fork under way.
/// Nests: only the first of a thread waits.
class NoFork {
public:
    NoFork() noexcept { enter(); }
    ~NoFork() { leave(); }
    NoFork(const NoFork&) = delete;
    NoFork& operator=(const NoFork&) = delete;

    static void enter() noexcept;
    static void leave() noexcept;
};

/// A mutex that is free in a child of fork, unless the thread that forks holds it.
class Mutex {
public:
    void lock() {
        NoFork::enter();
        mutex_.lock();
    }
    void unlock() noexcept {
        mutex_.unlock();
        NoFork::leave();
    }

private:
    std::mutex mutex_;
};

/// Runs a function once; a call that throws does not count.  Not under way in a child of fork.
class Once {
public:
    template <class Function>
    void run(Function&& function) {
        if (is_done_.load(std::memory_order_acquire)) return;
        const std::lock_guard lock(mutex_);
        if (is_done_.load(std::memory_order_relaxed)) return;
        std::forward<Function>(function)();
        is_done_.store(true, std::memory_order_release);
    }

private:
    std::atomic<bool> is_done_{false};
    Mutex mutex_;
};

}  // namespace frisket::runtime
