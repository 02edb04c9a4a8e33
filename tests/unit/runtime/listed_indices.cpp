// SPDX-License-Identifier: MIT
#include "../../../runtime/layouts/listed_indices.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../support/matchers.hpp"

namespace listed_indices_test {

using namespace frisket;
using namespace frisket::testing;
using runtime::IndexMemory;

namespace {

/// Lists of a dimension each, and the positions that they name.
template <class Index>
struct Lists {
    Lists(const Shape& of, std::int64_t size, bool ascend) : shape(of), lists(of.size()) {
        std::int64_t all = 1;
        for (const std::int64_t extent : shape) all *= extent;
        for (std::int64_t i = 0; i < size; ++i) {
            // A multiplier without common factors scatters; the last entries are at the end of the shape.
            std::int64_t position = ascend ? all - size + i : (i * 1'000'003 + 17) % all;
            positions.push_back(position);
            for (std::size_t d = shape.size(); d-- > 0; position /= shape[d])
                lists[d].push_back(static_cast<Index>(position % shape[d]));
        }
    }
    std::shared_ptr<const IndexList> made() const {
        std::vector<IndexMemory> memory;
        for (const std::vector<Index>& list : lists) memory.emplace_back(list.data());
        return runtime::row_major_positions(memory, std::ssize(positions), shape, "coo: index");
    }
    Shape shape;
    std::vector<std::vector<Index>> lists;
    std::vector<std::int64_t> positions;
};

template <class Index>
void check(const Shape& shape, std::int64_t size, bool ascend) {
    INFO(to_string(shape) << ", " << size << " entries of " << sizeof(Index) << " bytes");
    const Lists<Index> lists(shape, size, ascend);
    const auto made = lists.made();
    REQUIRE(made->size() == size);
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < size; ++i) found.push_back((*made)[i]);
    CHECK(found == lists.positions);
    CHECK(made->is_coalesced() == std::ranges::is_sorted(found, std::ranges::less_equal()));
    CHECK(made->bound() == element_count(shape));
}

}  // namespace

TEST_CASE("indices of the user's become positions, whatever their width, rank and number", "[runtime]") {
    const std::int64_t large = std::int64_t{1} << 31;
    // Lists are read 1,024 at a time; positions of up to 2^31 elements have 32 bits.
    for (const std::int64_t size : {0, 1, 2, 7, 1023, 1024, 1025, 2048, 2049})
        for (const bool ascend : {true, false})
            for (const Shape& shape :
                 std::vector<Shape>{{4096}, {64, 65}, {13, 17, 19}, {large / 2, 2}, {large / 2 + 1, 2}}) {
                check<std::int64_t>(shape, size, ascend);
                check<std::int32_t>(shape, size, ascend);
            }
    check<std::int64_t>({large * 4, 3}, 1025, false);
}

TEST_CASE("the first index of the first list that is out of range is named", "[runtime]") {
    for (const std::size_t at : {0, 1023, 1024, 2000}) {
        Lists<std::int32_t> lists({64, 65}, 2001, true);
        lists.lists[1][at] = 65;
        const std::string where =
            " in list 1 at position " + std::to_string(at) + " is out of range for extent 65";
        CHECK_THROWS_MATCHES(lists.made(), LayoutError, Says("coo: index 65" + where));
        lists.lists[1][at] = -1;
        CHECK_THROWS_MATCHES(lists.made(), LayoutError, Says("coo: index -1" + where));
        lists.lists[0][2000] = std::numeric_limits<std::int32_t>::min();
        CHECK_THROWS_MATCHES(
            lists.made(), LayoutError,
            Says("coo: index -2147483648 in list 0 at position 2000 is out of range for extent 64"));
    }
    Lists<std::int64_t> wide({64, 65}, 5, true);
    wide.lists[0][3] = std::int64_t{1} << 32;  // 0 in 32 bits
    CHECK_THROWS_MATCHES(wide.made(), LayoutError,
                         Says("coo: index 4294967296 in list 0 at position 3 is out of range for extent 64"));
}

}  // namespace listed_indices_test
