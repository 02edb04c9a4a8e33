// SPDX-License-Identifier: MIT
#include "../../../ir/planner/list_spaces.hpp"
#include "../../../ir/planner/report/check_report.hpp"
#include "build_helpers.hpp"

namespace build_indexing_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::Message;

namespace {

constexpr std::nullopt_t no = std::nullopt;

/// 1 -- 3 | 4 5 --
Value matrix(Sheet& sheet) { return sheet.floats({2, 3}, {1, no, 3, 4, 5, no}); }

Value index_of(Sheet& sheet, const std::vector<std::int64_t>& indices) {
    return sheet.dense<std::int64_t>({static_cast<std::int64_t>(indices.size())}, indices);
}

}  // namespace

TEST_CASE("indices select elements with their masks") {
    Sheet sheet;
    const Value m = matrix(sheet);
    CHECK(sheet(ir::index_select(m, 1, index_of(sheet, {2, 0, 2}))) == "float32 [2, 3]: 3 1 3 -- 4 --");
    CHECK(sheet(ir::index_select(m, 1, index_of(sheet, {}))) == "float32 [2, 0]:");
    CHECK(sheet(ir::index(m, {index_of(sheet, {-1})})) == "float32 [1, 3]: 4 5 --");
    CHECK(sheet(ir::index(m, {index_of(sheet, {0, 1}), index_of(sheet, {1, 1})})) == "float32 [2]: -- 5");
    const Value picks = sheet.dense<std::int32_t>({2, 1}, {2, 0});
    CHECK(sheet(ir::gather(m, 1, picks)) == "float32 [2, 1]: 3 4");
    CHECK(sheet(ir::at_positions(m, index_of(sheet, {4, 1}), 2)) == "float32 [2]: 5 --");
}

TEST_CASE("a masked index gives masked elements, and is not read elsewhere") {
    Sheet sheet;
    const Value m = matrix(sheet), index = sheet.integers({2}, {1, no});
    CHECK(sheet(ir::index(m, {index})) == "float32 [2, 3]: 4 5 -- -- -- --");
    CHECK(sheet(ir::index_select(m, 1, index)) == "float32 [2, 2]: -- -- 5 --");
}

TEST_CASE("a condition selects in row-major order, where it is specified") {
    Sheet sheet;
    const Value m = matrix(sheet);
    const Value rows = sheet.dense<bool>({2}, {false, true});
    CHECK(sheet(sheet.session.index_bool(m, rows)) == "float32 [1, 3]: 4 5 --");
    CHECK(sheet(sheet.session.index_bool(m, ir::apply<op::Gt>({m, sheet.session.number(2.0)}))) ==
          "float32 [3]: 3 4 5");
    const Value never = sheet.dense<bool>({2, 3}, std::vector<bool>(6, false));
    CHECK(sheet(sheet.session.index_bool(m, never)) == "float32 [0]:");
}

TEST_CASE("an index out of range is named with its value, place and the extent") {
    const auto says = [](const auto& build, const std::string& what) {
        Sheet sheet;
        const Value made = build(sheet);
        CHECK_THROWS_MATCHES(sheet(made), IndexError, Message("frisket: e: " + what));
    };
    says([](Sheet& s) { return ir::index_select(matrix(s), 0, index_of(s, {0, 2})); },
         "index_select along dim 0 of shape [2, 3]: index 2 at [1] is out of range for extent 2: wanted 0 to "
         "1");
    says(
        [](Sheet& s) { return ir::index(matrix(s), {index_of(s, {1, -3, 7}), index_of(s, {0, 0, 1})}); },
        "indexing along dim 0 of shape [2, 3]: index -3 at [1] is out of range for extent 2: wanted -2 to 1");
    says(
        [](Sheet& s) { return ir::gather(matrix(s), 1, s.dense<std::int32_t>({2, 2}, {2, 0, 1, -1})); },
        "gather along dim 1 of shape [2, 3]: index -1 at [1, 1] is out of range for extent 3: wanted 0 to 2");
    says([](Sheet& s) { return ir::index(matrix(s), {s.integers({3}, {no, 1, 9})}); },
         "indexing along dim 0 of shape [2, 3]: index 9 at [2] is out of range for extent 2: wanted -2 to 1");
    says([](Sheet& s) { return ir::index(matrix(s), {s.session.number(std::int64_t{5})}); },
         "indexing along dim 0 of shape [2, 3]: index 5 at [] is out of range for extent 2: wanted -2 to 1");
    says(
        [](Sheet& s) { return ir::index(s.dense<float>({0, 2}, {}), {index_of(s, {0})}); },
        "indexing along dim 0 of shape [0, 2]: index 0 at [0] is out of range for extent 0: it has no index");
}

TEST_CASE("a check over listed places names the first bad value, and its index in the whole tensor") {
    const auto report_listed = [](const Graph& graph, std::span<const Argument> arguments) {
        const auto spaces = planning::spaces_of_lists(graph, planning::PlanFacts(arguments));
        planning::report_checks_at(graph, list_kernels::CoordinateSet::union_of(spaces.at(0), arguments),
                                   arguments);
        return evaluate(graph, arguments);
    };
    ir::ExpressionContext session("e", report_listed);
    const auto numbers = masked_of<std::int64_t>({3, 4}, {1, no, no, 9, no, no, 2, no, 8, no, no, 5});
    const Value m = session.masked(AnyMasked(numbers).to(Layout::coo));
    ir::require_none(ir::apply<op::Gt>({m, session.number(std::int64_t{9})}), ErrorCode::value,
                     "never {value}", m);
    ir::require_none(ir::apply<op::Ge>({m, session.number(std::int64_t{8})}), ErrorCode::index,
                     "{value} at {}", m);
    CHECK_THROWS_MATCHES(session.run(ir::apply<op::Mul>({m, m})), IndexError,
                         Message("frisket: e: 9 at [0, 3]"));
}

TEST_CASE("indexing refuses dtypes and shapes that it cannot use") {
    Sheet other;
    const Value floats = other.dense<float>({1}, {0});
    CHECK_THROWS_MATCHES(ir::index(matrix(other), {floats}), DTypeError,
                         Message("frisket: e: indexing by an index of float32, wanted int64 or int32"));
    CHECK_THROWS_AS(ir::index(matrix(other), {index_of(other, {0, 1}), index_of(other, {0, 1, 0})}),
                    ShapeError);
    CHECK_THROWS_AS(ir::gather(matrix(other), 0, index_of(other, {0})), ShapeError);
    const Value taller = other.dense<std::int64_t>({3, 1}, {0, 1, 2});
    CHECK_THROWS_MATCHES(
        ir::gather(matrix(other), 1, taller), ShapeError,
        Message(
            "frisket: e: gather along dim 1 of shape [2, 3] by an index of shape [3, 1]: the index has the "
            "same rank, and no larger extent elsewhere"));
    CHECK(other(ir::gather(matrix(other), 0, other.dense<std::int64_t>({3, 1}, {0, 1, 0}))) ==
          "float32 [3, 1]: 1 4 1");
    CHECK_THROWS_AS(other.session.index_bool(matrix(other), index_of(other, {0, 1})), DTypeError);
}

TEST_CASE("a product has the terms of which both factors are specified") {
    Sheet sheet;
    const Value m = matrix(sheet), column = sheet.floats({3}, {no, 2, 10});
    CHECK(sheet(ir::matmul(m, column)) == "float32 [2]: 30 10");
    CHECK(sheet(ir::mv(m, sheet.floats({3}, {no, 2, no}))) == "float32 [2]: -- 10");
    CHECK(sheet(ir::mm(m, ir::transpose(m, 0, 1))) == "float32 [2, 2]: 10 4 4 41");
    CHECK(sheet(ir::dot(column, column)) == "float32 []: 104");
    const Value batch = sheet.dense<float>({2, 1, 2}, {1, 2, 3, 4});
    CHECK(sheet(ir::bmm(batch, ir::transpose(batch, 1, 2))) == "float32 [2, 1, 1]: 5 25");
    CHECK(sheet(ir::linear(m, sheet.dense<float>({1, 3}, {1, 1, 1}), sheet.dense<float>({1}, {0.5}))) ==
          "float32 [2, 1]: 4.5 9.5");
    CHECK(sheet(ir::mm(sheet.dense<float>({2, 0}, {}), sheet.dense<float>({0, 1}, {}))) ==
          "float32 [2, 1]: 0 0");
}

TEST_CASE("products refuse shapes and bool, and say why") {
    Sheet sheet;
    const Value m = matrix(sheet), row = sheet.floats({3}, {1, 2, 3});
    CHECK_THROWS_MATCHES(
        ir::matmul(m, m), ShapeError,
        Message("frisket: e: matmul of shapes [2, 3] and [2, 3]: the inner dimensions must be equal"));
    CHECK_THROWS_MATCHES(ir::mm(m, row), ShapeError,
                         Message("frisket: e: mm of shapes [2, 3] and [3]: wanted ranks 2 and 2, write "
                                 "matmul(a, b) for others"));
    CHECK_THROWS_AS(ir::matmul(m, ir::sum(m)), ShapeError);
    CHECK_THROWS_AS(ir::mm(ir::mask_of(m), ir::mask_of(ir::transpose(m, 0, 1))), DTypeError);
}

TEST_CASE("whole numbers are not divided by 0 where that is specified") {
    Sheet sheet;
    const Value x = sheet.integers({3}, {7, -7, 8});
    const Value some = sheet.integers({3}, {2, 2, no}), zero = sheet.integers({3}, {2, 0, 1});
    const OpId divide = find_op("floor_divide"), power = find_op("pow");
    CHECK(sheet(ir::apply(divide, {x, some}, MaskMode::intersection)) == "int64 [3]: 3 -4 --");
    CHECK_THROWS_MATCHES(
        sheet(ir::apply(divide, {x, zero})), ValueError,
        Message("frisket: e: floor_divide of whole numbers by 0, first at [1]: write a float "
                "operand, or where(...) around it"));
    Sheet other;
    const Value y = other.integers({2}, {2, 3});
    CHECK(other(ir::apply(power, {y, other.session.number(std::int64_t{3})})) == "int64 [2]: 8 27");
    CHECK_THROWS_AS(other(ir::apply(power, {y, other.session.number(std::int64_t{-1})})), ValueError);
}

}  // namespace build_indexing_test
