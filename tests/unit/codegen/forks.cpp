// SPDX-License-Identifier: MIT
#include "../../../runtime/kernel/thread_pool.hpp"
#include "../../support/child.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace forks_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t large = 400'000;  // elements of a loop that all threads share

/// True if a known call, a new expression, a list, a step and a loop of all threads give their values.
bool evaluates(int number) {
    const Tensor<double> small({3}, {1, 2, 3});
    if (eval(sum(small * small + 1.0)).item() != 17) return false;
    Expression<double> nested = small;
    for (int i = 0; i < number % 7; ++i) nested = nested + 1.0;
    if (eval(sum(nested)).item() != 6 + 3 * (number % 7)) return false;
    const auto list =
        MaskedTensor<double>::coo({3, 3}, {{2, 0, 2}, {1, 1, 1}}, Tensor<double>({3}, {1, 2, 4}));
    if (eval(sum(list * list)).item() != 29) return false;
    const Tensor<float> ones = full<float>({large}, 1);
    if (eval(sum(ones + ones)).item() != 2 * static_cast<float>(large)) return false;
    constexpr InOut<"x"> x;
    constexpr Scalar<"by"> by;
    // Another schedule is another loop to compile.
    jit(step<"scaled_in_child">(x = x * by),
        schedule("dense grain=" + std::to_string(1024 << number % 12)))(x = ones, by = 3);
    return ones.data()[0] == 3 && ones.data()[large - 1] == 3;
}

/// Number of children, of `count`, that do not evaluate within a minute: children of a busy machine take
/// seconds, hanging children take for ever.
int failed_children(int count, const std::function<bool(int)>& works) {
    int failed = 0;
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            _exit(works(i) ? 0 : 1);
        }
        int status = -1;
        failed += waitpid(child, &status, 0) != child || status != 0;
    }
    return failed;
}

/// Threads that evaluate until they are joined.
class Evaluating {
public:
    explicit Evaluating(int threads) {
        for (int t = 0; t < threads; ++t)
            threads_.emplace_back([this, t] {
                for (int i = t; !stop_; ++i)
                    if (!evaluates(i)) ++wrong;
            });
    }
    ~Evaluating() {
        stop_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Evaluating(const Evaluating&) = delete;
    Evaluating& operator=(const Evaluating&) = delete;
    std::atomic<int> wrong = 0;

private:
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("child: a process forks while its threads evaluate", "[.]") {
    for (const int threads : {1, 3}) {
        const Evaluating others(threads);
        CHECK(failed_children(100, evaluates) == 0);
        CHECK(others.wrong == 0);
    }
}

TEST_CASE("child: a process forks while its threads compile", "[.]") {
    const Evaluating others(2);
    CHECK(failed_children(5, evaluates) == 0);
    CHECK(others.wrong == 0);
}

TEST_CASE("child: several threads fork at once and their children fork", "[.]") {
    const Evaluating others(1);
    std::atomic<int> failed = 0;
    std::vector<std::thread> forking;
    for (int t = 0; t < 3; ++t)
        forking.emplace_back([&failed] {
            failed +=
                failed_children(10, [](int i) { return failed_children(1, evaluates) == 0 && evaluates(i); });
        });
    for (std::thread& thread : forking) thread.join();
    CHECK(failed == 0);
    CHECK(others.wrong == 0);
}

TEST_CASE("child: a forked process has the threads of its parent", "[.]") {
    REQUIRE(evaluates(0));
    CHECK(failed_children(1, [](int i) {
              if (!evaluates(i)) return false;
              print_threads();
              std::fflush(stdout);
              return true;
          }) == 0);
}

TEST_CASE("children of fork evaluate, whatever the threads of their parent do", "[codegen]") {
    for (const char* test : {"child: a process forks while its threads evaluate",
                             "child: a process forks while its threads compile",
                             "child: several threads fork at once and their children fork"}) {
        const ChildResult found = run_child(test, "FRISKET_NUM_THREADS=4 FRISKET_CACHE_DIR=off");
        INFO(found.output);
        CHECK(found.status == 0);
    }
    const ChildResult found =
        run_child("child: a forked process has the threads of its parent", "FRISKET_NUM_THREADS=4");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "4 threads") == 1);
}

TEST_CASE("the variables of Halide's pool have the sizes that a child of fork resets", "[codegen]") {
    FILE* const symbols = popen("nm -S /proc/$PPID/exe 2>/dev/null", "r");
    REQUIRE(symbols != nullptr);
    std::array<char, 1024> line{};
    std::map<std::string, std::size_t> sizes;
    while (fgets(line.data(), static_cast<int>(line.size()), symbols) != nullptr) {
        std::size_t address = 0, size = 0;
        std::array<char, 1024> name{};
        if (std::sscanf(line.data(), "%zx %zx %*c %1000s", &address, &size, name.data()) == 3)
            sizes[name.data()] = size;
    }
    pclose(symbols);
    if (sizes.empty()) SKIP("there is no nm, or this program is stripped");
    CHECK(sizes["_ZN6Halide7Runtime8Internal10work_queueE"] == kernel_calls::halide_queue_bytes);
    CHECK(sizes["_ZN6Halide7Runtime8Internal15Synchronization5tableE"] == kernel_calls::halide_waiting_bytes);
}

}  // namespace forks_test
