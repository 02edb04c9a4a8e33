// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/index_list.hpp"

#include <map>
#include <thread>

#include "../../support/matchers.hpp"

namespace index_lists_test {

using namespace frisket;
using namespace frisket::testing;

using Indices = std::vector<std::int64_t>;

TEST_CASE("a list is coalesced if it is strictly ascending") {
    CHECK(IndexList({}, 5).is_coalesced());
    CHECK(IndexList({3}, 5).is_coalesced());
    CHECK(IndexList({0, 2, 4}, 5).is_coalesced());
    CHECK_FALSE(IndexList({0, 2, 2}, 5).is_coalesced());
    CHECK_FALSE(IndexList({2, 0}, 5).is_coalesced());
}

TEST_CASE("indices are kept in 32 bits as long as the bound allows") {
    const std::int64_t limit = std::int64_t{1} << 31;
    const IndexList narrow({limit - 1}, limit), wide({limit}, limit + 1);
    CHECK(narrow.is_narrow());
    CHECK(narrow.narrow()[0] == limit - 1);
    CHECK(narrow.wide().empty());
    CHECK_FALSE(wide.is_narrow());
    CHECK(wide[0] == limit);
}

TEST_CASE("coalescing sorts, drops duplicates and keeps the order in which they came") {
    const IndexList list({7, 2, 7, 0, 2, 7}, 8);
    CHECK(list.unique().size() == 3);
    CHECK(list.unique().is_coalesced());
    CHECK(list.unique()[1] == 2);
    CHECK(std::ranges::equal(list.plan().order, Indices{3, 1, 4, 0, 2, 5}));
    CHECK(std::ranges::equal(list.plan().start, Indices{0, 1, 3, 6}));
}

TEST_CASE("long lists coalesce as short ones do, whatever their bound") {
    const std::int64_t bound = GENERATE(std::int64_t{3}, std::int64_t{2047}, std::int64_t{2048},
                                        std::int64_t{1} << 31, (std::int64_t{1} << 62) + 1);
    Random random(5);
    Indices indices(5000);
    for (auto& index : indices) index = random.below(bound);
    indices[17] = bound - 1;
    std::map<std::int64_t, Indices> wanted;
    for (std::size_t i = 0; i < indices.size(); ++i)
        wanted[indices[i]].push_back(static_cast<std::int64_t>(i));
    const IndexList list(indices, bound);
    REQUIRE(list.unique().size() == static_cast<std::int64_t>(wanted.size()));
    std::int64_t u = 0;
    for (const auto& [index, positions] : wanted) {
        REQUIRE(list.unique()[u] == index);
        const auto first = list.plan().order.begin();
        REQUIRE(Indices(first + list.plan().start[u], first + list.plan().start[u + 1]) == positions);
        ++u;
    }
}

TEST_CASE("a million indices coalesce to an ascending list without duplicates") {
    const std::int64_t count = 1'000'000;
    Random random(5);
    Indices indices(count);
    for (auto& index : indices) index = random.below(count * 16);
    const IndexList list(std::move(indices), count * 16);
    const IndexList& unique = list.unique();
    CHECK(unique.size() > count * 9 / 10);
    std::int64_t descents = 0;
    for (std::int64_t i = 1; i < unique.size(); ++i) descents += unique[i] <= unique[i - 1];
    CHECK(descents == 0);
}

TEST_CASE("a list may be coalesced from several threads at once") {
    Random random(5);
    Indices indices(20000);
    for (auto& index : indices) index = random.below(1000);
    const IndexList list(std::move(indices), 1000);
    std::vector<const IndexList*> found(4);
    std::vector<std::thread> threads;
    for (auto& result : found) threads.emplace_back([&] { result = &list.unique(); });
    for (auto& thread : threads) thread.join();
    for (const auto* result : found) CHECK(result == found[0]);
}

}  // namespace index_lists_test
