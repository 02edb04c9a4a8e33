// SPDX-License-Identifier: MIT
/// Unions and intersections of lists, by the functions of the standard library.
#include "../../../runtime/list_kernels/list_merge.hpp"

#include "../../../runtime/limits.hpp"
#include "../../../runtime/support/parallel.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <iterator>
#include <thread>

namespace list_merges_test {

using namespace frisket;

namespace {

using Numbers = std::vector<std::int64_t>;
using List = std::shared_ptr<const IndexList>;

/// Ascending numbers at distances from 1 to `most`.
Numbers ascending(std::int64_t count, std::int64_t most, std::uint64_t seed) {
    Numbers made;
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        last += 1 + static_cast<std::int64_t>(seed >> 33U) % most;
        made.push_back(last);
    }
    return made;
}

List list_of(const Numbers& numbers, std::int64_t bound) {
    return std::make_shared<const IndexList>(numbers, bound);
}

Numbers numbers_of(const IndexList& list) {
    Numbers made;
    for (std::int64_t i = 0; i < list.size(); ++i) made.push_back(list[i]);
    return made;
}

/// Values by which entries are known: the numbers themselves.
Tensor<std::int64_t> values_of(const Numbers& numbers) {
    return {{static_cast<std::int64_t>(numbers.size())}, numbers};
}

/// Checks that each index has the value of the list's entry there.
void check_entries(const list_kernels::MergedLists& made, const std::vector<Numbers>& all) {
    const Numbers places = numbers_of(*made.list);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const list_kernels::ListEntries& entries = made.entries[k];
        CHECK(entries.are_all == (places == all[k]));
        const Tensor<std::int64_t> found(list_kernels::values_at(entries, values_of(all[k])));
        REQUIRE(found.size() == std::ssize(places));
        const auto* there = static_cast<const std::uint8_t*>(entries.is_there.data());
        bool is_right = true;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const bool is_in = std::ranges::binary_search(all[k], places[i]);
            if (there != nullptr) is_right = is_right && (there[i] != 0) == is_in;
            if (is_in) is_right = is_right && found.data()[i] == places[i];
        }
        CHECK(is_right);
    }
}

void check(const std::vector<Numbers>& all, std::int64_t bound) {
    std::vector<List> lists;
    Numbers any = all[0], each = all[0];
    for (const Numbers& numbers : all) {
        lists.push_back(list_of(numbers, bound));
        Numbers both, shared;
        std::ranges::set_union(any, numbers, std::back_inserter(both));
        std::ranges::set_intersection(each, numbers, std::back_inserter(shared));
        any = both;
        each = shared;
    }
    const list_kernels::MergedLists either = list_kernels::union_of(lists),
                                    both = list_kernels::intersection_of(lists);
    CHECK(numbers_of(*either.list) == any);
    CHECK(numbers_of(*both.list) == each);
    CHECK(either.list->bound() == bound);
    check_entries(either, all);
    check_entries(both, all);
}

/// Runs tasks on threads of their own.
void run_on_threads(int tasks, void (*task)(void*, int), void* closure) {
    std::vector<std::thread> threads;
    for (int i = 0; i < tasks; ++i) threads.emplace_back(task, closure, i);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("lists of any length meet as sets do", "[lists]") {
    const bool has_threads = GENERATE(false, true);
    runtime::set_task_runner(has_threads ? run_on_threads : nullptr);
    const std::int64_t bound = GENERATE(std::int64_t{1} << 31, std::int64_t{1} << 40);
    const std::int64_t half = limits::long_merge / 2;
    const std::int64_t first = GENERATE_COPY(0, 1, half - 1, half);
    const std::int64_t second = GENERATE_COPY(0, 3, half, half + 1);
    CAPTURE(has_threads, bound, first, second);
    check({ascending(first, 2, 1), ascending(second, 3, 2), ascending(1000, 5, 3)}, bound);
    runtime::set_task_runner(nullptr);
}

TEST_CASE("lists that hold each other meet without a merge or with one", "[lists]") {
    constexpr std::int64_t bound = std::int64_t{1} << 40;
    const Numbers all = ascending(limits::long_merge, 4, 7), end(all.end() - 5, all.end());
    Numbers some, others;
    for (std::size_t i = 0; i < all.size(); ++i) (i % 3 == 0 ? some : others).push_back(all[i]);
    for (const auto& lists : std::vector<std::vector<Numbers>>{{all, all},
                                                               {all, some},
                                                               {some, all},
                                                               {some, others},
                                                               {others, some, all},
                                                               {some, all, some},
                                                               {end, some, end, others},
                                                               {{}, all, {}},
                                                               {{}, {}}})
        check(lists, bound);
    const List one = list_of(some, bound), other = list_of(some, bound);
    CHECK(list_kernels::union_of({one, other}).list == one);
    CHECK(list_kernels::intersection_of({one, other, one}).list == one);
    const List whole = list_of(all, bound);
    CHECK(list_kernels::union_of({one, whole}).list == whole);
    CHECK(list_kernels::intersection_of({one, whole}).list == one);
    const List rest = list_of(others, bound), last = list_of(end, bound);
    check_entries(list_kernels::intersection_of({last, one, last}), {end, some, end});
    check_entries(list_kernels::intersection_of({last, one, one}), {end, some, some});
    check_entries(list_kernels::intersection_of({whole, rest, whole, last}), {all, others, all, end});
}

}  // namespace list_merges_test
