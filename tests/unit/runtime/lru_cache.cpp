// SPDX-License-Identifier: MIT
#include "../../../runtime/support/lru_cache.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace lru_cache_test {

/// Values that are cached by use, within bounds.
using namespace frisket;

namespace {

struct Block {
    int name;
    std::size_t size;
    std::size_t bytes() const { return size; }
};

std::shared_ptr<Block> get(runtime::LruCache<Block>& cache, int name, std::size_t size, std::size_t hash) {
    return cache.get(
        hash, [&](const Block& block) { return block.name == name; },
        [&] { return std::make_shared<Block>(name, size); });
}

bool has(runtime::LruCache<Block>& cache, int name, std::size_t hash) {
    return cache.find(hash, [&](const Block& block) { return block.name == name; }) != nullptr;
}

}  // namespace

TEST_CASE("a cache keeps the values used last, as many as it may") {
    for (const std::size_t hash : {0U, 1U}) {  // one hash for all values, or one each
        runtime::LruCache<Block> cache(3);
        const auto hash_of = [&](int name) { return hash * static_cast<std::size_t>(name); };
        for (int name = 0; name < 3; ++name) get(cache, name, 1, hash_of(name));
        const auto first = get(cache, 0, 1, hash_of(0));
        get(cache, 3, 1, hash_of(3));
        CHECK(cache.size() == 3);
        CHECK(has(cache, 0, hash_of(0)));
        CHECK_FALSE(has(cache, 1, hash_of(1)));
        CHECK(has(cache, 2, hash_of(2)));
        CHECK(has(cache, 3, hash_of(3)));
        CHECK(get(cache, 0, 1, hash_of(0)) == first);
    }
}

TEST_CASE("a cache keeps as many bytes as it may, and the last value whatever its size") {
    runtime::LruCache<Block> cache(100, 10);
    const auto large = get(cache, 0, 50, 0);
    CHECK(has(cache, 0, 0));
    const std::weak_ptr<Block> dropped = get(cache, 1, 6, 1);
    CHECK_FALSE(has(cache, 0, 0));
    CHECK(large->size == 50);
    get(cache, 2, 4, 2);
    CHECK(cache.size() == 2);
    get(cache, 3, 1, 3);
    CHECK(dropped.expired());
    CHECK(cache.size() == 2);
    // A value that has grown counts as it is now.
    cache.find(3, [](const Block&) { return true; })->size = 9;
    get(cache, 4, 1, 4);
    CHECK(has(cache, 3, 3));
    CHECK_FALSE(has(cache, 2, 2));
}

TEST_CASE("a value that cannot be made leaves a cache as it was") {
    runtime::LruCache<Block> cache(2);
    get(cache, 0, 1, 7);
    const auto fails = [&] {
        cache.get(
            7, [](const Block& block) { return block.name == 1; },
            []() -> std::shared_ptr<Block> { throw std::string("no"); });
    };
    CHECK_THROWS_AS(fails(), std::string);
    CHECK(cache.size() == 1);
    CHECK(has(cache, 0, 7));
}

TEST_CASE("threads that want one value get the same") {
    runtime::LruCache<Block> cache(8);
    std::atomic<int> made = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i)
                cache.get(
                    static_cast<std::size_t>(i % 8), [&](const Block& block) { return block.name == i % 8; },
                    [&] {
                        ++made;
                        return std::make_shared<Block>(i % 8, 1U);
                    });
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(made == 8);
}

}  // namespace lru_cache_test
