// SPDX-License-Identifier: MIT
#include "build_helpers.hpp"

namespace build_views_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::Message;

namespace {

constexpr std::nullopt_t no = std::nullopt;

/// 1 -- 3 | 4 5 --
Value matrix(Sheet& sheet) { return sheet.floats({2, 3}, {1, no, 3, 4, 5, no}); }

}  // namespace

TEST_CASE("views select the mask as they select the values") {
    Sheet sheet;
    const Value m = matrix(sheet);
    CHECK(sheet(ir::select(m, 1, -1)) == "float32 [2]: 3 --");
    CHECK(sheet(ir::slice(m, 1, {}, {}, 2)) == "float32 [2, 2]: 1 3 4 --");
    CHECK(sheet(ir::slice(m, 1, -2, 100)) == "float32 [2, 2]: -- 3 5 --");
    CHECK(sheet(ir::slice(m, 0, 2, 1)) == "float32 [0, 3]:");
    CHECK(sheet(ir::narrow(m, 1, 1, 1)) == "float32 [2, 1]: -- 5");
    CHECK(sheet(ir::transpose(m, 0, -1)) == "float32 [3, 2]: 1 4 -- 5 3 --");
    CHECK(sheet(ir::reshape(m, {3, -1})) == "float32 [3, 2]: 1 -- 3 4 5 --");
    CHECK(sheet(ir::reshape(ir::transpose(m, 0, 1), {6})) == "float32 [6]: 1 4 -- 5 3 --");
    CHECK(sheet(ir::flatten(m)) == "float32 [6]: 1 -- 3 4 5 --");
    CHECK(sheet(ir::flip(m, {1})) == "float32 [2, 3]: 3 -- 1 -- 5 4");
    CHECK(sheet(ir::roll(m, -1, 1)) == "float32 [2, 3]: -- 3 1 5 -- 4");
    CHECK(sheet(ir::diagonal(m)) == "float32 [2]: 1 5");
    CHECK(sheet(ir::diagonal(m, 1)) == "float32 [2]: -- --");
    CHECK(sheet(ir::diagonal(m, -1)) == "float32 [1]: 4");
    CHECK(sheet(ir::diagonal(m, 7)) == "float32 [0]:");
}

TEST_CASE("dimensions of one element come, go and repeat") {
    Sheet sheet;
    const Value x = sheet.floats({2, 1}, {1, no});
    CHECK(sheet(ir::squeeze(x, -1)) == "float32 [2]: 1 --");
    CHECK(sheet(ir::squeeze(x, 0)) == "float32 [2, 1]: 1 --");
    CHECK(sheet(ir::unsqueeze(x, -1)) == "float32 [2, 1, 1]: 1 --");
    CHECK(sheet(ir::expand(x, {2, -1, 2})) == "float32 [2, 2, 2]: 1 1 -- -- 1 1 -- --");
    CHECK(sheet(ir::repeat(x, {1, 3})) == "float32 [2, 3]: 1 1 1 -- -- --");
    CHECK(sheet(ir::repeat(x, {2, 0})) == "float32 [4, 0]:");
    CHECK(sheet(ir::movedim(ir::unsqueeze(x, 0), 1, 0)) == "float32 [2, 1, 1]: 1 --");
    CHECK(sheet(ir::sum_to(ir::expand(x, {3, 2, 1}), {2, 1})) == "float32 [2, 1]: 3 --");
}

TEST_CASE("a tensor of rank 0 has views") {
    Sheet sheet;
    const Value x = sheet.floats({}, {5});
    CHECK(sheet(ir::reshape(x, {1, 1})) == "float32 [1, 1]: 5");
    CHECK(sheet(ir::flatten(x)) == "float32 [1]: 5");
    CHECK(sheet(ir::unsqueeze(x, 0)) == "float32 [1]: 5");
    CHECK(sheet(ir::expand(x, {2})) == "float32 [2]: 5 5");
    CHECK(sheet(ir::transpose(x, 0, -1)) == "float32 []: 5");
    CHECK_THROWS_AS(ir::select(x, 0, 0), DimError);
}

TEST_CASE("joining takes dense parts as specified, and promotes") {
    Sheet sheet;
    const Value m = matrix(sheet), ones = sheet.dense<float>({1, 3}, {1, 1, 1});
    CHECK(sheet(ir::cat({m, ones}, 0)) == "float32 [3, 3]: 1 -- 3 4 5 -- 1 1 1");
    const Value a = sheet.integers({2}, {1, no}), b = sheet.dense<double>({2}, {0.5, 2});
    CHECK(sheet(ir::stack({a, b}, 1)) == "float64 [2, 2]: 1 0.5 -- 2");
    const std::vector<Value> parts = ir::split(m, 2, 1);
    REQUIRE(parts.size() == 2);
    CHECK(sheet(parts[0]) == "float32 [2, 2]: 1 -- 4 5");
    CHECK(sheet(parts[1]) == "float32 [2, 1]: 3 --");
}

TEST_CASE("views refuse what they cannot show, and say why") {
    Sheet sheet;
    const Value m = matrix(sheet);
    CHECK_THROWS_MATCHES(
        ir::select(m, 1, 3), IndexError,
        Message("frisket: e: select of index 3 along dim 1 of shape [2, 3]: indices are 0 to extent - 1, or "
                "-extent to -1"));
    CHECK_THROWS_MATCHES(ir::slice(m, 0, {}, {}, -1), ValueError,
                         Message("frisket: e: slice with step -1: steps are 1 or more, write flip(x, {dim}) "
                                 "to go backwards"));
    CHECK_THROWS_MATCHES(
        ir::reshape(m, {4, 2}), ShapeError,
        Message("frisket: e: reshape of shape [2, 3] (6 elements) to [4, 2]: the element counts must be "
                "equal"));
    CHECK_THROWS_AS(ir::reshape(m, {-1, -1}), ShapeError);
    CHECK_THROWS_AS(ir::reshape(m, {0, -1}), ShapeError);
    CHECK_THROWS_AS(ir::narrow(m, 1, 2, 2), IndexError);
    CHECK_THROWS_AS(ir::permute(m, {0, 0}), DimError);
    CHECK_THROWS_AS(ir::expand(m, {3, 3}), ShapeError);
    CHECK_THROWS_AS(ir::diagonal(m, 0, 1, -1), DimError);
    CHECK_THROWS_AS(ir::cat({m, ir::transpose(m, 0, 1)}, 0), ShapeError);
    CHECK_THROWS_AS(ir::stack({m, ir::select(m, 0, 0)}, 0), ShapeError);
    CHECK_THROWS_AS(ir::split(m, 0, 0), ValueError);
}

}  // namespace build_views_test
