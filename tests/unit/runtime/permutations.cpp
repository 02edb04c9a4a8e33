// SPDX-License-Identifier: MIT
/// Gathers of lists, compared with a gather of all elements.
#include "../../../runtime/list_kernels/list_gather.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace permutations_test {

using namespace frisket;
using list_kernels::ElementGather;
using Numbers = std::vector<std::int64_t>;

namespace {

/// Every third element, some twice as far apart.
std::shared_ptr<const IndexList> list_of(const Shape& shape) {
    Numbers positions;
    for (std::int64_t i = 1; i < element_count(shape); i += i % 5 == 0 ? 6 : 3) positions.push_back(i);
    return std::make_shared<const IndexList>(std::move(positions), element_count(shape));
}

Shape index_at(std::int64_t position, const Shape& shape) {
    Shape index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; position /= shape[d]) index[d] = position % shape[d];
    return index;
}

std::int64_t position_of(const Shape& index, const Shape& shape) {
    std::int64_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + index[d];
    return position;
}

/// Entries by their positions in the result.
using Found = std::map<std::int64_t, std::int64_t>;

Found by_elements(const IndexList& list, const ElementGather& gather,
                  const std::vector<Tensor<std::int64_t>>& indices) {
    Found entries, found;
    for (std::int64_t i = 0; i < list.size(); ++i) entries[list[i]] = i;
    std::vector<Tensor<std::int64_t>> whole;
    for (const auto& index : indices) whole.emplace_back(index.broadcast_to(gather.shape).clone());
    for (std::int64_t i = 0; i < element_count(gather.shape); ++i) {
        const Shape at = index_at(i, gather.shape);
        Shape from;
        bool is_in_range = true;
        for (std::size_t d = 0; d < gather.from.size(); ++d) {
            const std::int64_t along = gather.attributes[d];
            from.push_back(along >= 0 ? at[static_cast<std::size_t>(along)]
                                      : whole[static_cast<std::size_t>(-1 - along)].data()[i]);
            is_in_range = is_in_range && from.back() >= 0 && from.back() < gather.from[d];
        }
        if (!is_in_range) continue;
        const auto entry = entries.find(position_of(from, gather.from));
        if (entry != entries.end()) found[i] = entry->second;
    }
    return found;
}

/// Checks a gather; `attributes` as in ElementGather.
void check(const Shape& from, const Shape& shape, const Numbers& attributes,
           const std::vector<Tensor<std::int64_t>>& indices) {
    const auto list = list_of(from);
    ElementGather gather{.from = from, .shape = shape, .attributes = attributes, .indices = {}};
    for (const auto& index : indices) gather.indices.push_back(index.shape());
    REQUIRE(list_kernels::selects_lines(gather));
    const std::vector<AnyTensor> untyped(indices.begin(), indices.end());
    const list_kernels::Permutation made = list_kernels::selected(*list, gather, untyped);
    CHECK(made.list->is_coalesced());
    CHECK(made.list->bound() == element_count(shape));
    Found found;
    for (std::int64_t i = 0; i < made.list->size(); ++i) found[(*made.list)[i]] = (*made.entries)[i];
    CHECK(found == by_elements(*list, gather, indices));
}

Tensor<std::int64_t> ids(const Shape& shape, const Numbers& numbers) { return {shape, numbers}; }

}  // namespace

TEST_CASE("a gather of a list reads the elements that a gather of all elements reads", "[runtime]") {
    // By rows, by columns, and by both.
    check({7, 5}, {4, 5}, {-1, 1}, {ids({4, 1}, {6, 0, 6, 3})});
    check({7, 5}, {7, 6}, {0, -1}, {ids({1, 6}, {4, 4, 0, 1, 2, 4})});
    check({7, 5}, {3}, {-1, -2}, {ids({3}, {6, 2, 2}), ids({3}, {0, 4, 4})});
    check({7, 5}, {3}, {-1, -2}, {ids({3}, {6, 2, 2}), ids({1}, {3})});
    check({7, 5}, {1, 5}, {-1, 1}, {ids({1, 1}, {2})});
    check({7, 5}, {0, 5}, {-1, 1}, {ids({0, 1}, {})});
    check({7, 5}, {2, 3, 5}, {-1, 2}, {ids({2, 3, 1}, {6, 5, 4, 6, 0, 0})});
    // Dimensions that stay before, between and after.
    check({4, 3, 5}, {4, 2, 5}, {0, -1, 2}, {ids({1, 2, 1}, {2, 0})});
    check({4, 3, 5}, {6, 3, 5}, {-1, 1, 2}, {ids({6, 1, 1}, {3, 3, 0, 1, 2, 0})});
    check({4, 3, 5}, {2, 5}, {-1, -2, 1}, {ids({2, 1}, {3, 1}), ids({2, 1}, {0, 2})});
    check({4, 3, 5}, {3, 2}, {-1, 0, -2}, {ids({1, 2}, {3, 1}), ids({1, 2}, {0, 4})});
    // Dimensions that stay change their order.
    check({4, 3, 5}, {5, 2, 4}, {2, -1, 0}, {ids({1, 2, 1}, {1, 2})});
}

TEST_CASE("a gather of a list may take an index for each element, and less than all", "[runtime]") {
    check({7, 5}, {3, 4}, {-1, 1}, {ids({3, 4}, {6, 5, 4, 3, 2, 1, 0, 6, 2, 2, 2, 2})});
    check({7, 5}, {3, 4}, {0, -1}, {ids({3, 4}, {4, 0, 4, 3, 2, 1, 0, 0, 2, 2, 4, 2})});
    check({7, 5}, {3, 4}, {-1, 1}, {ids({3, 1}, {6, 2, 5})});
    check({4, 3, 5}, {2, 2, 3}, {-1, 1, 2}, {ids({2, 1, 1}, {3, 0})});
}

TEST_CASE("a gather of a list reads nothing at indices out of range", "[runtime]") {
    check({7, 5}, {4, 5}, {-1, 1}, {ids({4, 1}, {7, -1, 1, std::int64_t{1} << 60})});
    check({7, 5}, {7, 2}, {0, -1}, {ids({1, 2}, {-5, 5})});
}

TEST_CASE("a gather of a list wants an index tensor with an element for each line", "[runtime]") {
    const Shape from{7, 5}, shape{3, 2};
    const Numbers both{-1, -2}, twice{0, 0};
    const auto selects = [&](const Numbers& attributes, const std::vector<Shape>& indices) {
        return list_kernels::selects_lines(
            {.from = from, .shape = shape, .attributes = attributes, .indices = indices});
    };
    CHECK(selects(both, {{3, 2}, {1, 1}}));
    CHECK(selects(both, {{3, 2}, {1, 2}}));
    CHECK(!selects(both, {{3, 1}, {1, 2}}));
    CHECK(!selects(both, {{3, 1}, {3, 1}}));  // elements that repeat along the last dimension
    CHECK(!selects(twice, {}));               // a diagonal
}

TEST_CASE("joined lists have the entries of each part where it stands, in the order of places", "[runtime]") {
    constexpr std::int64_t wide = std::int64_t{1} << 33;
    const std::vector<std::vector<Shape>> cases{
        {{7, 5}, {7, 5}},
        {{7, 5}},
        {{4, 3, 5}, {4, 3, 5}, {4, 3, 5}},
        {{1, 1}, {1, 1}},
        {{6, 0}, {6, 0}},
        {{0, 4}, {0, 4}},
        {{3, wide}, {3, wide}},
        {{wide, 3}, {wide, 3}},
    };
    for (const std::vector<Shape>& given : cases)
        for (std::size_t dim = 0; dim < given[0].size(); ++dim)
            for (const std::int64_t more :
                 {0, 2}) {  // the last part is longer by so much, and stores no more
                std::vector<Shape> shapes = given;
                shapes.back()[dim] += more;
                Shape whole = shapes[0];
                whole[dim] = 0;
                std::vector<std::shared_ptr<const IndexList>> lists;
                Found wanted;
                std::int64_t before = 0, entry = 0;
                for (const Shape& shape : shapes) whole[dim] += shape[dim];
                for (std::size_t k = 0; k < shapes.size(); before += shapes[k++][dim]) {
                    const Shape few{std::min<std::int64_t>(shapes[k][0], 9),
                                    std::min<std::int64_t>(shapes[k][1], 9)};
                    Numbers places;
                    if (shapes[k].size() == 2 && k != 1)
                        for (std::int64_t i = 0; i < element_count(few); i += 2)
                            places.push_back(position_of(index_at(i, few), shapes[k]));
                    else if (shapes[k].size() == 3)
                        for (std::int64_t i = 1; i < element_count(shapes[k]); i += 3) places.push_back(i);
                    lists.push_back(std::make_shared<const IndexList>(places, element_count(shapes[k])));
                    for (const std::int64_t place : places) {
                        Shape at = index_at(place, shapes[k]);
                        at[dim] += before;
                        wanted[position_of(at, whole)] = entry++;
                    }
                }
                const auto made = list_kernels::joined(lists, shapes, static_cast<int>(dim));
                CHECK(made.list->is_coalesced());
                CHECK(made.list->bound() == element_count(whole));
                Found found;
                for (std::int64_t i = 0; i < made.list->size(); ++i)
                    found[(*made.list)[i]] = (*made.entries)[i];
                CHECK(found == wanted);
            }
}

}  // namespace permutations_test
