// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/shape.hpp"

#include "../../../runtime/tensor/error.hpp"
#include "../../support/matchers.hpp"

namespace shapes_test {

using namespace frisket;
using namespace frisket::testing;

constexpr std::int64_t huge = std::int64_t{1} << 62;

TEST_CASE("a 0-d shape has one element and an extent of 0 makes a shape empty") {
    CHECK(element_count(Shape{}) == 1);
    CHECK(element_count(Shape{0}) == 0);
    CHECK(element_count(Shape{3, 5, 7}) == 105);
    CHECK(element_count(Shape{huge, huge, 0}) == 0);
}

TEST_CASE("a shape that cannot be counted is refused") {
    CHECK_THROWS_MATCHES(element_count(Shape{2, -1}), ShapeError,
                         Says("shape [2, -1] has extent -1: extents are 0 or more"));
    CHECK_THROWS_MATCHES(
        element_count(Shape{huge, 4}), ShapeError,
        Says("shape [4611686018427387904, 4] has more than 2^63 - 1 elements: make it smaller"));
}

TEST_CASE("contiguous strides count the elements to the right") {
    CHECK(contiguous_strides(Shape{2, 3, 4}) == Strides{12, 4, 1});
    CHECK(contiguous_strides(Shape{}).empty());
    CHECK(contiguous_strides(Shape{2, 0, 3}) == Strides{3, 3, 1});
}

TEST_CASE("extents of 1 and empty shapes are contiguous whatever their strides") {
    CHECK(is_contiguous(Shape{2, 3}, Strides{3, 1}));
    CHECK(is_contiguous(Shape{2, 1, 3}, Strides{3, 77, 1}));
    CHECK(is_contiguous(Shape{0, 3}, Strides{5, 9}));
    CHECK(is_contiguous(Shape{}, Strides{}));
    CHECK_FALSE(is_contiguous(Shape{2, 3}, Strides{1, 2}));
    CHECK_FALSE(is_contiguous(Shape{2, 3}, Strides{0, 1}));
    CHECK_FALSE(is_contiguous(Shape{3}, Strides{-1}));
}

TEST_CASE("shapes broadcast as in NumPy") {
    CHECK(broadcast(Shape{2, 1, 4}, Shape{3, 1}) == Shape{2, 3, 4});
    CHECK(broadcast(Shape{}, Shape{5}) == Shape{5});
    CHECK(broadcast(Shape{0}, Shape{1}) == Shape{0});
    CHECK(broadcasts_to(Shape{1, 4}, Shape{3, 4}));
    CHECK(broadcasts_to(Shape{}, Shape{3, 4}));
    CHECK_FALSE(broadcasts_to(Shape{3, 4}, Shape{1, 4}));
    CHECK_FALSE(broadcasts_to(Shape{1, 3}, Shape{3}));
    CHECK_THROWS_MATCHES(
        broadcast(Shape{2, 5}, Shape{2, 4}), ShapeError,
        Says("shapes [2, 5] and [2, 4] do not broadcast: aligned at the right, extents are equal or 1"));
}

TEST_CASE("a repeated dimension has stride 0") {
    CHECK(broadcast_strides(Shape{4, 1}, Strides{1, 1}, Shape{2, 4, 3}) == Strides{0, 1, 0});
    CHECK(broadcast_strides(Shape{4}, Strides{2}, Shape{4}) == Strides{2});
}

TEST_CASE("a position becomes its multi-index") {
    CHECK(unravel(6, Shape{2, 4}) == Shape{1, 2});
    CHECK(unravel(0, Shape{}) == Shape{});
    CHECK(to_string(unravel(6, Shape{2, 4})) == "[1, 2]");
    CHECK(to_string(Shape{}) == "[]");
}

TEST_CASE("a small vector holds what it was given, within its own room and beyond") {
    using Numbers = SmallVector<int, 3>;
    const std::size_t size = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                                      std::size_t{4}, std::size_t{6}, std::size_t{7}, std::size_t{100});
    std::vector<int> expected;
    Numbers list;
    for (std::size_t i = 0; i < size; ++i) {
        expected.push_back(static_cast<int>(i) + 1);
        list.push_back(expected.back());
    }
    const auto is = [](const Numbers& made, const std::vector<int>& numbers) {
        return std::vector<int>(made) == numbers && made.size() == numbers.size() &&
               made.empty() == numbers.empty();
    };
    CHECK(is(list, expected));
    CHECK(is(Numbers(expected), expected));
    CHECK(is(Numbers(expected.begin(), expected.end()), expected));

    for (const std::size_t before : {std::size_t{0}, std::size_t{3}, std::size_t{5}}) {
        Numbers copy;
        copy.assign(before, 9);
        copy = list;
        CHECK(is(copy, expected));
        CHECK(copy == list);
        const Numbers& itself = copy;
        copy = itself;
        CHECK(is(copy, expected));
        Numbers taken;
        taken.assign(before, 9);
        taken = std::move(copy);
        CHECK(is(taken, expected));
        CHECK(copy.empty());
        copy.push_back(5);
        CHECK(is(copy, {5}));
        CHECK(is(taken, expected));
    }

    Numbers changed = list;
    changed.insert(changed.begin(), 7);
    std::vector<int> longer = expected;
    longer.insert(longer.begin(), 7);
    CHECK(is(changed, longer));
    CHECK(changed.front() == 7);
    CHECK(changed.back() == longer.back());
    CHECK_FALSE(changed == list);
    changed[0] = 8;
    longer[0] = 8;
    changed.resize(size + 4);
    longer.resize(size + 4);
    CHECK(is(changed, longer));
    changed.resize(1);
    CHECK(is(changed, {8}));
    changed.push_back(changed[0]);
    CHECK(is(changed, {8, 8}));
    Numbers moved = std::move(changed);
    CHECK(is(moved, {8, 8}));
}

TEST_CASE("an element of a small vector that is added to it may move meanwhile") {
    SmallVector<std::int64_t, 2> list{3, 4};
    list.push_back(list[0]);
    list.insert(list.begin(), list.back());
    CHECK(list == SmallVector<std::int64_t, 2>{3, 3, 4, 3});
}

}  // namespace shapes_test
