// SPDX-License-Identifier: MIT
#include "build_helpers.hpp"

#include <limits>

namespace build_reductions_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::Message;

namespace {

constexpr std::nullopt_t no = std::nullopt;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

/// 1 -- 3 | -- -- 6
Value matrix(Sheet& sheet) { return sheet.floats({2, 3}, {1, no, 3, no, no, 6}); }

}  // namespace

TEST_CASE("sums, products and extremes are of the specified elements") {
    Sheet sheet;
    const Value m = matrix(sheet);
    CHECK(sheet(ir::sum(m)) == "float32 []: 10");
    CHECK(sheet(ir::sum(m, {{0}})) == "float32 [3]: 1 -- 9");
    CHECK(sheet(ir::sum(m, {{-1}}, true)) == "float32 [2, 1]: 4 6");
    CHECK(sheet(ir::sum(m, {{1, 0}}, true)) == "float32 [1, 1]: 10");
    CHECK(sheet(ir::prod(m, {{1}})) == "float32 [2]: 3 6");
    CHECK(sheet(ir::amin(m, {{0}})) == "float32 [3]: 1 -- 3");
    CHECK(sheet(ir::amax(m)) == "float32 []: 6");
    CHECK(sheet(ir::mean(m, {{0}})) == "float32 [3]: 1 -- 4.5");
    CHECK(sheet(ir::count(m, {{0}})) == "int64 [3]: 1 0 2");
    CHECK(sheet(ir::count(sheet.dense<float>({2, 2}, {1, 2, 3, 4}))) == "int64 []: 4");
}

TEST_CASE("positions of extremes count all elements, and NaN comes first") {
    Sheet sheet;
    const Value m = matrix(sheet);
    CHECK(sheet(ir::argmax(m)) == "int64 []: 5");
    CHECK(sheet(ir::argmin(m, 1)) == "int64 [2]: 0 2");
    CHECK(sheet(ir::argmax(m, 0, true)) == "int64 [1, 3]: 0 -- 1");
    CHECK(sheet(ir::argmin(sheet.floats({4}, {7, no, not_a_number, -1}))) == "int64 []: 2");
    CHECK(sheet(ir::amax(sheet.floats({3}, {7, not_a_number, no}))) == "float32 []: nan");
}

TEST_CASE("an extreme of no dense element is refused by name, of no masked one masked") {
    Sheet sheet;
    const Value none = sheet.dense<std::int64_t>({2, 0}, {}), floats = sheet.dense<float>({2, 0}, {});
    const auto text = [](const std::string& what) {
        return Message(
            "frisket: e: " + what +
            " of shape [2, 0] along dim 1: there is no element and no identity, wanted one element "
            "or more; write masked(x, mask), whose result is masked where a slice has none");
    };
    using List = std::vector<int>;
    for (const ir::Dims& dims : {ir::Dims(), ir::Dims(List{1}), ir::Dims(List{-1}), ir::Dims(List{0, 1})}) {
        CHECK_THROWS_MATCHES(ir::amax(none, dims), IdentityError, text("amax"));
        CHECK_THROWS_MATCHES(ir::amin(floats, dims), IdentityError, text("amin"));
        CHECK_THROWS_MATCHES(ir::norm(floats, infinity, dims), IdentityError, text("norm"));
        CHECK_THROWS_MATCHES(ir::norm(floats, -infinity, dims), IdentityError, text("norm"));
    }
    CHECK_THROWS_MATCHES(ir::argmax(none, 1), IdentityError, text("argmax"));
    CHECK_THROWS_MATCHES(ir::argmin(floats), IdentityError, text("argmin"));
    CHECK_THROWS_AS(sheet.session.median(floats, 1), IdentityError);
    CHECK_THROWS_AS(sheet.session.median(floats), IdentityError);
    CHECK(sheet(ir::amax(none, {{0}})) == "int64 [0]:");
    CHECK(sheet(ir::sum(none, {{1}})) == "int64 [2]: 0 0");
    CHECK(sheet(ir::softmax(floats, 1)) == "float32 [2, 0]:");
    CHECK(sheet(ir::logsumexp(floats, {{1}})) == "float32 [2]: -inf -inf");
    const Value masked = sheet.floats({2, 0}, {});
    CHECK(sheet(ir::amax(masked, {{1}})) == "float32 [2]: -- --");
    CHECK(sheet(ir::argmin(masked, 1)) == "int64 [2]: -- --");
    CHECK(sheet(sheet.session.median(masked, 1)) == "float32 [2]: -- --");
}

TEST_CASE("whole numbers and bool add up as int64") {
    Sheet sheet;
    const Value bits = sheet.session.masked(masked_of<bool>({4}, {1, no, 0, 1}));
    CHECK(sheet(ir::sum(bits)) == "int64 []: 2");
    CHECK(sheet(ir::sum(sheet.dense<std::int32_t>({2}, {2147483647, 1}))) == "int64 []: 2147483648");
    CHECK(sheet(ir::amax(bits)) == "bool []: 1");
    CHECK(sheet(ir::all(bits)) == "bool []: 0");
    CHECK(sheet(ir::any(sheet.floats({2, 2}, {0, no, no, no}), {{1}})) == "bool [2]: 0 --");
    CHECK(sheet(ir::cumsum(sheet.integers({4}, {1, no, 3, 4}), 0)) == "int64 [4]: 1 -- 4 8");
    CHECK(sheet(ir::cumprod(sheet.dense<bool>({3}, {true, true, false}), 0)) == "int64 [3]: 1 1 0");
}

TEST_CASE("a variance that divides by nothing is specified") {
    Sheet sheet;
    const Value x = sheet.floats({2, 2}, {1, 3, 5, no});
    CHECK(sheet(ir::var(x, {{1}})) == "float32 [2]: 2 nan");
    CHECK(sheet(ir::var(x, {{1}}, 0)) == "float32 [2]: 1 0");
    CHECK(sheet(ir::std(x, {{1}}, 0, true)) == "float32 [2, 1]: 1 0");
}

TEST_CASE("norms of every order leave out what is not specified") {
    Sheet sheet;
    const Value x = sheet.floats({5}, {3, -4, no, 0, no});
    CHECK(sheet(ir::norm(x)) == "float32 []: 5");
    CHECK(sheet(ir::norm(x, 1)) == "float32 []: 7");
    CHECK(sheet(ir::norm(x, 0)) == "float32 []: 2");
    CHECK(sheet(ir::norm(x, infinity)) == "float32 []: 4");
    CHECK(sheet(ir::norm(x, -infinity)) == "float32 []: 0");
    CHECK(sheet(ir::normalize(x, 2, 0, 1e-12)) == "float32 [5]: 0.6 -0.8 -- 0 --");
}

TEST_CASE("exponentials are summed without overflow") {
    Sheet sheet;
    const Value x = sheet.floats({2, 2}, {1000, no, no, no});
    CHECK(sheet(ir::logsumexp(x, {{1}})) == "float32 [2]: 1000 --");
    CHECK(sheet(ir::softmax(x, 1)) == "float32 [2, 2]: 1 -- -- --");
    CHECK(sheet(ir::log_softmax(x, 1)) == "float32 [2, 2]: 0 -- -- --");
    CHECK(sheet(ir::softmin(sheet.floats({2}, {4, 4}), 0)) == "float32 [2]: 0.5 0.5");
}

TEST_CASE("the median is the lower one of the specified elements") {
    Sheet sheet;
    const Value m = sheet.floats({2, 4}, {4, 1, no, 2, no, no, no, no});
    CHECK(sheet(sheet.session.median(m)) == "float32 []: 2");
    CHECK(sheet(sheet.session.median(m, 1)) == "float32 [2]: 2 --");
    CHECK(sheet(sheet.session.median(m, 0, true)) == "float32 [1, 4]: 4 1 -- 2");
    CHECK(sheet(sheet.session.median(sheet.floats({3}, {1, not_a_number, 0}))) == "float32 []: nan");
}

TEST_CASE("nothing reduces to nothing if it is masked, and to the identity if it is dense") {
    Sheet sheet;
    CHECK(sheet(ir::sum(sheet.floats({0, 3}, {}), {{0}})) == "float32 [3]: -- -- --");
    CHECK(sheet(ir::sum(sheet.dense<float>({0, 2}, {}), {{0}})) == "float32 [2]: 0 0");
    CHECK(sheet(ir::prod(sheet.dense<float>({0}, {}))) == "float32 []: 1");
    CHECK(sheet(ir::sum(sheet.floats({0, 3}, {}), {{1}})) == "float32 [0]:");
    CHECK(sheet(sheet.session.median(sheet.floats({0}, {}))) == "float32 []: --");
    CHECK(sheet(ir::count(sheet.floats({0}, {}))) == "int64 []: 0");
}

TEST_CASE("a tensor of rank 0 reduces to itself") {
    Sheet sheet;
    const Value x = sheet.floats({}, {5});
    CHECK(sheet(ir::sum(x)) == "float32 []: 5");
    CHECK(sheet(ir::amax(x, {{0}})) == "float32 []: 5");
    CHECK(sheet(ir::argmax(x, -1)) == "int64 []: 0");
    CHECK(sheet(ir::cumsum(x, 0)) == "float32 []: 5");
    CHECK(sheet(ir::softmax(x, 0)) == "float32 []: 1");
    CHECK(sheet(sheet.session.median(x)) == "float32 []: 5");
    CHECK(sheet(ir::sum(sheet.floats({}, {no}))) == "float32 []: --");
}

TEST_CASE("reductions refuse dimensions and dtypes, and say why") {
    Sheet sheet;
    const Value m = matrix(sheet), n = sheet.integers({2}, {1, 2});
    CHECK_THROWS_MATCHES(
        ir::sum(m, {{2}}), DimError,
        Message("frisket: e: sum along dim 2 of a tensor of rank 2: dims are 0 to rank - 1, or -rank to -1 "
                "counted from the end"));
    CHECK_THROWS_MATCHES(ir::mean(m, {{0, -2}}), DimError,
                         Message("frisket: e: mean names dim 0 twice: name each dimension once"));
    CHECK_THROWS_MATCHES(
        ir::mean(n), DTypeError,
        Message("frisket: e: mean is not defined for int64: write cast<float>(x), or give it a dtype"));
    CHECK_THROWS_AS(ir::softmax(n, 0), DTypeError);
    CHECK_THROWS_AS(ir::norm(n), DTypeError);
}

}  // namespace build_reductions_test
