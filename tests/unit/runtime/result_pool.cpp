// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/memory.hpp"
#include "../../../runtime/tensor/result_memory.hpp"
#include "../../support/matchers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace result_pool_test {

using namespace frisket;
using namespace frisket::testing;
using runtime::block_bytes;
using runtime::result_tensor;

namespace {

constexpr std::int64_t least = runtime::least_pooled_bytes;

/// A tensor of the given size in bytes.
AnyTensor result(std::int64_t bytes) { return result_tensor(DType::uint8, {bytes}); }

/// Result of a function in a child of fork; -1 if that does not end by itself.
int forked(int (*run)()) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// An empty pool with a limit, and as it was afterwards.
class Limited {
public:
    explicit Limited(std::int64_t limit) : before_(result_pool_use().limit) {
        trim_result_pool();
        set_result_pool_limit(limit);
    }
    Limited(const Limited&) = delete;
    Limited& operator=(const Limited&) = delete;
    ~Limited() { set_result_pool_limit(before_); }

private:
    std::int64_t before_;
};

}  // namespace

TEST_CASE("blocks are powers of two and half as much again, and waste at most a third and a page",
          "[tensors]") {
    constexpr std::int64_t page = 4096;
    CHECK(block_bytes(least) == least + page);
    CHECK(block_bytes(least + page) == least + page);
    CHECK(block_bytes(least + page + 1) == least * 3 / 2 + page);
    CHECK(block_bytes(least * 3 / 2 + page) == least * 3 / 2 + page);
    CHECK(block_bytes(least * 3 / 2 + page + 1) == 2 * least + page);
    for (std::size_t bytes = least; bytes < std::size_t{1} << 34; bytes += bytes / 7 + 1) {
        CHECK(block_bytes(bytes) >= bytes);
        CHECK(block_bytes(bytes) - bytes <= block_bytes(bytes) / 3 + page);
        CHECK(block_bytes(bytes) % 4096 == 0);
    }
}

TEST_CASE("the memory of a large result is that of the next one", "[tensors]") {
    const Limited limited(64 << 20);
    for (const std::int64_t bytes : {least, least + 1, std::int64_t{5} << 20}) {
        trim_result_pool();
        const ResultPoolUse before = result_pool_use();
        const void* const first = result(bytes).data();
        CHECK(result_pool_use().bytes_kept ==
              before.bytes_kept + static_cast<std::int64_t>(block_bytes(bytes)));
        const AnyTensor second = result(bytes), third = result(bytes);
        CHECK(second.data() == first);
        CHECK(third.data() != first);
        CHECK(result_pool_use().blocks_reused == before.blocks_reused + 1);
        CHECK(result_pool_use().blocks_made == before.blocks_made + 2);
        CHECK(reinterpret_cast<std::uintptr_t>(second.data()) % 64 == 0);
        std::memset(third.data(), 1, static_cast<std::size_t>(bytes));
    }
    // Copies and views hold it.
    std::optional<AnyTensor> view;
    const void* data = nullptr;
    {
        const AnyTensor whole = result(least);
        data = whole.data();
        view = whole.slice(0, 1, 5);
    }
    CHECK(result(least).data() != data);
    view.reset();
    CHECK(result(least).data() == data);
}

TEST_CASE("small results are zeros and no part of the pool", "[tensors]") {
    const ResultPoolUse before = result_pool_use();
    const Tensor<std::uint8_t> small(result(least - 1));
    CHECK(result_pool_use().bytes_in_use == before.bytes_in_use);
    for (std::int64_t i = 0; i < small.size(); ++i) REQUIRE(small.data()[i] == 0);
    CHECK(result_tensor(DType::float32, {0, 4}).size() == 0);
    CHECK(result_tensor(DType::float32, {}).size() == 1);
}

TEST_CASE("the pool keeps its limit, the blocks that were used last, and nothing once trimmed", "[tensors]") {
    constexpr auto one = static_cast<std::int64_t>(block_bytes(least)),
                   two = static_cast<std::int64_t>(block_bytes(2 * least));
    const Limited limited(one + two);
    {
        const AnyTensor a = result(least), b = result(least), c = result(2 * least);
        CHECK(result_pool_use().bytes_kept == 0);
    }
    // c, b and a go in this order: with a there would be too much.
    CHECK(result_pool_use().bytes_kept == 2 * one);
    set_result_pool_limit(one);
    CHECK(result_pool_use().bytes_kept == one);
    trim_result_pool();
    CHECK(result_pool_use().bytes_kept == 0);
    set_result_pool_limit(0);
    static_cast<void>(result(least));
    CHECK(result_pool_use().bytes_kept == 0);
    CHECK_THROWS_MATCHES(set_result_pool_limit(-1), ValueError,
                         Says("set_result_pool_limit: -1 bytes, wanted 0 or more: 0 keeps nothing"));
    set_result_pool_limit(std::int64_t{1} << 40);
    {
        std::vector<AnyTensor> many;
        for (int i = 0; i < 100; ++i) many.push_back(result(least));
    }
    CHECK(result_pool_use().bytes_kept == 64 * one);
}

TEST_CASE("kept memory is given back before a result is refused for want of it", "[tensors]") {
    const int status = forked([] {
        const Limited limited(std::int64_t{1} << 40);
        constexpr std::int64_t size = std::int64_t{256} << 20;
        { const AnyTensor a = result(size), b = result(size); }
        rlimit now{};
        ::getrlimit(RLIMIT_AS, &now);
        std::int64_t pages = 0;
        if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(file, "%ld", &pages) != 1) return 1;
            std::fclose(file);
        }
        now.rlim_cur = static_cast<rlim_t>(pages) * 4096 + (std::size_t{64} << 20);
        ::setrlimit(RLIMIT_AS, &now);
        if (result_pool_use().bytes_kept < 2 * size) return 2;
        const AnyTensor large =
            result(size + size / 4);  // a block of 384 MB, which the limit has no room for
        if (result_pool_use().bytes_kept != 0) return 3;
        try {
            static_cast<void>(result(std::int64_t{4} << 30));
        } catch (const ShapeError&) { return 0; }
        return 4;
    });
    CHECK(status == 0);
}

TEST_CASE("a child of fork has a pool of its own, whatever other threads do", "[tensors]") {
    const Limited limited(64 << 20);
    std::atomic<bool> stop = false;
    std::thread other([&] {
        while (!stop) static_cast<void>(result(least));
    });
    for (int i = 0; i < 50; ++i)
        CHECK(forked([] {
                  const AnyTensor mine = result(least), larger = result(4 * least);
                  std::memset(mine.data(), 1, least);
                  trim_result_pool();
                  return 0;
              }) == 0);
    stop = true;
    other.join();
}

TEST_CASE("threads take and give blocks at once", "[tensors]") {
    constexpr std::int64_t most = 8 * static_cast<std::int64_t>(block_bytes(least));
    const Limited limited(most);
    std::vector<std::thread> threads;
    std::atomic<int> faults = 0;
    const ResultPoolUse before = result_pool_use();
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&faults, t] {
            for (int i = 0; i < 500; ++i) {
                const AnyTensor mine = result(least << (i % 3));
                auto* const bytes = static_cast<std::uint8_t*>(mine.data());
                std::memset(bytes, t, static_cast<std::size_t>(mine.size()));
                for (std::int64_t j = 0; j < mine.size(); j += 4096) faults += bytes[j] != t;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(faults == 0);
    CHECK(result_pool_use().bytes_in_use == before.bytes_in_use);
    CHECK(result_pool_use().bytes_kept <= most);
}

}  // namespace result_pool_test
