// SPDX-License-Identifier: MIT
#include "../../../codegen/loops/threads.hpp"
#include "../../support/child.hpp"
#include "../../support/folder.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace parallel_loops_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// run_tasks with a callable: returns the code of an error, or 0.
template <class Body>
int in_parallel(int first, int count, Body body) {
    return codegen::run_tasks(
        &body, [](void* context, int i, std::uint8_t*) { return (*static_cast<Body*>(context))(i); }, first,
        count, nullptr);
}

}  // namespace

TEST_CASE("a parallel loop runs each of its tasks once", "[codegen]") {
    for (const int count : {0, 1, 2, 3, 1003}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count) + 5);
        CHECK(in_parallel(5, count, [&](int i) {
                  ++runs[static_cast<std::size_t>(i)];
                  return 0;
              }) == 0);
        for (std::size_t i = 0; i < runs.size(); ++i) CHECK(runs[i] == (i < 5 ? 0 : 1));
    }
}

TEST_CASE("parallel loops within parallel loops, from several threads at once, all end", "[codegen]") {
    std::atomic<int> runs{0};
    constexpr int callers = 4, outer = 20, inner = 30, times = 20;
    {
        std::vector<std::jthread> threads;
        for (int caller = 0; caller < callers; ++caller)
            threads.emplace_back([&] {
                for (int time = 0; time < times; ++time)
                    in_parallel(0, outer, [&](int) {
                        return in_parallel(0, inner, [&](int) {
                            ++runs;
                            return 0;
                        });
                    });
            });
    }
    CHECK(runs == callers * outer * inner * times);
}

TEST_CASE("a task that fails ends its parallel loop with its code", "[codegen]") {
    std::atomic<int> runs{0};
    CHECK(in_parallel(0, 100'000, [&](int i) {
              ++runs;
              return i == 10 ? -7 : 0;
          }) == -7);
    CHECK(runs < 100'000);
}

TEST_CASE("child: threads of loops in memory and of loops on disk", "[.]") {
    constexpr InOut<"x"> x;
    constexpr Scalar<"by"> by;
    constexpr auto scaled = step<"scaled">(x = x * by);
    constexpr std::int64_t count = 4'000'000;
    const Tensor<float> data = full<float>({count}, 1);
    for (const std::string& cache : {std::string("off"), std::string(std::getenv("KEPT"))}) {
        setenv("FRISKET_CACHE_DIR", cache.c_str(), 1);
        // Another schedule is another kernel.
        jit(scaled, schedule(std::string("dense grain=") + (cache[0] == '/' ? "65536" : "32768")))(x = data,
                                                                                                   by = 2);
    }
    CHECK(data.data()[0] == 4);
    CHECK(data.data()[count - 1] == 4);
    print_threads();
}

TEST_CASE("child: a process that has run loops forks", "[.]") {
    in_parallel(0, 100, [](int) { return 0; });
    const pid_t forked = fork();
    if (forked == 0) std::exit(0);
    int status = -1;
    CHECK(waitpid(forked, &status, 0) == forked);
    CHECK(status == 0);
}

TEST_CASE("child: a process ends while its threads run loops", "[.]") {
    for (int caller = 0; caller < 4; ++caller)
        std::thread([] {
            while (true) in_parallel(0, 64, [](int) { return 0; });
        }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::exit(0);
}

TEST_CASE("a process with threads of loops can fork, and end at any time", "[codegen]") {
    for (const char* test :
         {"child: a process that has run loops forks", "child: a process ends while its threads run loops"})
        for (int time = 0; time < 5; ++time) {
            const ChildResult found = run_child(test, "FRISKET_NUM_THREADS=4");
            INFO(found.output);
            CHECK(found.status == 0);
            CHECK(count_of(found.output, "failed") == 0);
        }
}

TEST_CASE("all loops of a process share one pool, of as many threads as the environment says", "[codegen]") {
    const Folder folder;
    for (const char* variable :
         {"FRISKET_NUM_THREADS=5", "HL_NUM_THREADS=5", "FRISKET_NUM_THREADS=5 HL_NUM_THREADS=9"}) {
        const ChildResult found =
            run_child("child: threads of loops in memory and of loops on disk",
                      std::string(variable) + " FRISKET_SHOW=cache KEPT=" + folder / "jit");
        INFO(found.output);
        CHECK(found.status == 0);
        CHECK(count_of(found.output, "compiled in memory") == 1);
        CHECK(count_of(found.output, "5 threads") == 1);
    }
}

}  // namespace parallel_loops_test
