// SPDX-License-Identifier: MIT
#include "../../../runtime/support/fork.hpp"
#include "../../../runtime/support/lru_cache.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace lock_forks_test {

using namespace frisket;
using runtime::Mutex;
using runtime::NoFork;
using runtime::Once;

namespace {

/// Number of children, of `count`, for which works() is false or does not end.
int failed_children(int count, const auto& works) {
    int failed = 0;
    for (int i = 0; i < count; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(10);
            ::_exit(works() ? 0 : 1);
        }
        int status = -1;
        failed += ::waitpid(child, &status, 0) != child || status != 0;
    }
    return failed;
}

/// Threads that run a body again and again until they are joined.
template <class Body>
class Running {
public:
    Running(int threads, const Body& body) {
        for (int i = 0; i < threads; ++i)
            threads_.emplace_back([this, body] {
                while (!stop_) body();
            });
    }
    ~Running() {
        stop_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("a child of fork finds locks free, and state under them whole", "[forks]") {
    Mutex outer, inner;
    int first = 0, second = 0;
    const auto count = [&] {
        const std::scoped_lock lock(outer);
        ++first;
        const std::scoped_lock nested(inner);
        ++second;
        return first == second;
    };
    const Running others(3, count);
    CHECK(failed_children(30, count) == 0);
}

TEST_CASE("a cache and a function that runs once are whole in a child of fork", "[forks]") {
    runtime::LruCache<int> cache(4);
    std::atomic<int> key = 0;
    const auto get = [&] {
        const int wanted = key++ % 8;
        const auto found = cache.get(
            static_cast<std::size_t>(wanted), [&](int value) { return value == wanted; },
            [&] { return std::make_shared<int>(wanted); });
        Once once;
        int runs = 0;
        for (int i = 0; i < 2; ++i) once.run([&] { ++runs; });
        return *found == wanted && runs == 1;
    };
    const Running others(3, get);
    CHECK(failed_children(30, get) == 0);
}

TEST_CASE("a function that throws has not run once", "[forks]") {
    Once once;
    CHECK_THROWS(once.run([] { throw 1; }));
    int runs = 0;
    once.run([&] { ++runs; });
    CHECK(runs == 1);
}

TEST_CASE("a thread that holds a lock can fork while others take locks", "[forks]") {
    Mutex mutex;
    const auto take = [&] {
        const std::scoped_lock lock(mutex);
        return true;
    };
    const Running others(2, take);
    const auto fork_within = [&] {
        const NoFork whole;
        return failed_children(1, take) == 0;
    };
    for (int i = 0; i < 5; ++i) CHECK(fork_within());
    CHECK(failed_children(5, fork_within) == 0);
}

TEST_CASE("a fork ends while a thread that holds a lock waits for one that takes its first", "[forks]") {
    Mutex task;
    // The holder waits for a thread that takes its first lock.
    const Running holder(1, [&] {
        const NoFork whole;
        std::thread([&] { const std::scoped_lock lock(task); }).join();
    });
    CHECK(failed_children(5, [&] {
              const std::scoped_lock lock(task);
              return true;
          }) == 0);
}

}  // namespace lock_forks_test
