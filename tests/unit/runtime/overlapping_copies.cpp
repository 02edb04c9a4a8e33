// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

namespace overlapping_copies_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Memory = std::vector<std::int32_t>;

Memory counted(std::int64_t count) {
    Memory memory(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
    return memory;
}

/// Place of a view in memory of its own.
struct Seen {
    std::int64_t first;
    Strides strides;
};

Tensor<std::int32_t> view(Memory& memory, const Shape& shape, const Seen& place) {
    return Tensor<std::int32_t>::view(memory.data() + place.first, shape, place.strides);
}

/// The copy of one view to another of the same memory, as if through a temporary.
void check_copy(std::int64_t count, const Shape& shape, const Seen& from, const Seen& to) {
    Memory memory = counted(count), wanted = memory;
    copy(view(wanted, shape, from).clone(), view(wanted, shape, to));
    copy(view(memory, shape, from), view(memory, shape, to));
    CAPTURE(from.first, from.strides, to.first, to.strides);
    CHECK(memory == wanted);
}

}  // namespace

TEST_CASE("a line is copied onto a line of the same memory as if through another") {
    constexpr std::int64_t length = 5, count = 40;
    for (const std::int64_t from_step : {-3, -2, -1, 1, 2, 3})
        for (const std::int64_t to_step : {-3, -2, -1, 1, 2, 3})
            for (std::int64_t from = 12; from < 28; from += 5)
                for (std::int64_t to = 12; to < 28; ++to)
                    check_copy(count, {length}, {from, {from_step}}, {to, {to_step}});
}

TEST_CASE("a matrix is copied onto its own transpose, its columns and its rows turned around") {
    const Seen rows{0, {4, 1}}, columns{0, {1, 4}}, back{15, {-4, -1}}, turned{3, {4, -1}}, half{4, {4, 1}};
    for (const Seen& from : {rows, columns, back, turned})
        for (const Seen& to : {rows, columns, back, turned}) check_copy(16, {4, 4}, from, to);
    check_copy(20, {4, 4}, rows, half);
    check_copy(20, {4, 4}, half, rows);
    check_copy(20, {4, 4}, half, columns);
}

TEST_CASE("a repeated line is copied over the memory that it lies in") {
    check_copy(16, {4, 4}, {4, {0, 1}}, {0, {4, 1}});
    check_copy(20, {4, 4}, {5, {4, 0}}, {0, {1, 4}});
    check_copy(16, {4, 4}, {5, {0, 0}}, {0, {1, 4}});
}

TEST_CASE("views of other memory are copied without a temporary's cost to what they hold") {
    Memory memory = counted(32);
    copy(view(memory, {4, 2}, {0, {4, 2}}), view(memory, {4, 2}, {1, {4, 2}}));  // even onto odd
    for (std::size_t i = 0; i < 16; i += 2) CHECK(memory[i + 1] == memory[i]);
}

}  // namespace overlapping_copies_test
