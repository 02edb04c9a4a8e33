// SPDX-License-Identifier: MIT
/// Numbers of the host that the elements they meet cannot hold.
#include "build_helpers.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <functional>
#include <limits>

namespace numbers_beyond_test {

using namespace frisket;
using namespace frisket::ir;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

using Whole = std::int64_t;

struct Comparison {
    OpId op;
    bool (*right)(Whole a, Whole b);
};

constexpr std::array comparisons{
    Comparison{op_id<op::Eq>, [](Whole a, Whole b) { return a == b; }},
    Comparison{op_id<op::Ne>, [](Whole a, Whole b) { return a != b; }},
    Comparison{op_id<op::Lt>, [](Whole a, Whole b) { return a < b; }},
    Comparison{op_id<op::Le>, [](Whole a, Whole b) { return a <= b; }},
    Comparison{op_id<op::Gt>, [](Whole a, Whole b) { return a > b; }},
    Comparison{op_id<op::Ge>, [](Whole a, Whole b) { return a >= b; }},
};

/// Limits of integers and of floats, and their neighbours.
std::vector<Whole> numbers() {
    std::vector<Whole> made{0, 5, -6};
    for (const int bits : {7, 8, 15, 16, 31, 32, 40, 52, 53, 62})
        for (const Whole limit : {Whole{1} << bits, -(Whole{1} << bits)})
            for (const Whole step : {-1, 0, 1}) made.push_back(limit + step);
    for (const Whole step : {0, 1}) {
        made.push_back(std::numeric_limits<Whole>::max() - step);
        made.push_back(std::numeric_limits<Whole>::min() + step);
    }
    return made;
}

/// The numbers that a dtype holds.
template <class T>
std::vector<T> held() {
    std::vector<T> made;
    for (const Whole number : numbers())
        if (std::in_range<T>(number)) made.push_back(static_cast<T>(number));
    return made;
}

/// Compares elements with numbers, on either side, as constants or as expressions of them.
template <class T>
void check_comparisons() {
    const std::vector<T> elements = held<T>();
    std::int64_t wrong = 0;
    for (const Whole number : numbers()) {
        ExpressionContext session("beyond");
        const Value x = session.tensor(Tensor<T>({static_cast<std::int64_t>(elements.size())}, elements));
        // A host scalar that is no constant.
        const Value constant = ir::number(session.graph(), number),
                    made = apply<op::BitwiseXor>({constant, ir::number(session.graph(), Whole{0})});
        std::vector<Value> results;
        for (const Comparison& comparison : comparisons)
            for (const Value b : {constant, made}) {
                results.push_back(apply(comparison.op, {x, b}));
                results.push_back(apply(comparison.op, {b, x}));
            }
        const std::vector<Result> found = session.run(results);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Tensor<bool> truths(found[i].values.clone());
            for (std::size_t k = 0; k < elements.size(); ++k) {
                const auto element = static_cast<Whole>(elements[k]);
                const bool is_left = i % 2 == 0;
                const auto right = comparisons[i / 4].right;
                wrong += truths.data()[k] != (is_left ? right(element, number) : right(number, element));
            }
        }
    }
    CHECK(wrong == 0);
}

void check_refused(const std::function<void(Sheet&, Value)>& make, const std::string& part) {
    Sheet sheet;
    const Value x = sheet.dense<std::int32_t>({3}, {0, 5, -5});
    CHECK_THROWS_MATCHES(make(sheet, x), DTypeError, MessageMatches(ContainsSubstring(part)));
}

}  // namespace

TEST_CASE("elements compare with numbers that they cannot hold as the numbers do") {
    check_comparisons<std::uint8_t>();
    check_comparisons<std::int32_t>();
    check_comparisons<Whole>();
}

TEST_CASE("a comparison with a number beyond the elements keeps their mask") {
    Sheet sheet;
    const Value m = sheet.session.masked(masked_of<std::int32_t>({3}, {1, std::nullopt, 3}));
    const Value wide = sheet.session.number(Whole{1} << 40);
    CHECK(sheet(apply<op::Lt>({m, wide})) == "bool [3]: 1 -- 1");
    CHECK(sheet(apply<op::Eq>({wide, m})) == "bool [3]: 0 -- 0");
}

TEST_CASE("a constant that the elements cannot hold is refused wherever it stands") {
    const auto number = [](Sheet& sheet, Whole value) { return sheet.session.number(value); };
    constexpr Whole wide = 3'000'000'000;
    for (const OpId op : {op_id<op::Add>, op_id<op::Sub>, op_id<op::Mul>, op_id<op::FloorDivide>,
                          op_id<op::Remainder>, op_id<op::Minimum>, op_id<op::BitwiseAnd>}) {
        const std::string name(info_of(op).name);
        for (const Whole value : {wide, -wide, std::numeric_limits<Whole>::min()}) {
            check_refused([&](Sheet& s, Value x) { apply(op, {x, number(s, value)}); },
                          "operand 2 of " + name + " is " + std::to_string(value) + ", which int32");
            check_refused([&](Sheet& s, Value x) { apply(op, {number(s, value), x}); },
                          "operand 1 of " + name + " is ");
        }
    }
    check_refused([&](Sheet& s, Value x) { where(apply<op::Gt>({x, number(s, 0)}), x, number(s, wide)); },
                  "operand 3 of where is 3000000000, which int32 cannot hold");
    check_refused(
        [&](Sheet& s, Value) {
            to_dense(s.session.masked(masked_of<std::int32_t>({1}, {1})), number(s, wide));
        },
        "the fill of to_dense is 3000000000");
    check_refused(
        [&](Sheet& s, Value) {
            to_dense(s.session.masked(masked_of<std::int32_t>({1}, {1})), s.session.number(1e10));
        },
        "the fill of to_dense is");
}

TEST_CASE("an update of whole numbers by a constant that they cannot hold is refused") {
    for (const auto& [dtype, value] :
         {std::pair{DType::uint8, Whole{256}}, {DType::uint8, Whole{-1}}, {DType::int32, Whole{1} << 31}}) {
        GraphBuilder step("s");
        step.symbol("p", SymbolKind::in_out, dtype);
        CHECK_THROWS_MATCHES(step.update("p", step.constant(value)), DTypeError,
                             MessageMatches(ContainsSubstring("s: what p takes is ")));
    }
}

TEST_CASE("numbers at the limits of the elements stay what they are") {
    Sheet sheet;
    const Value x = sheet.dense<std::int32_t>({2}, {0, -1});
    CHECK(sheet(x + sheet.session.number(Whole{2147483647})) == "int32 [2]: 2147483647 2147483646");
    CHECK(sheet(apply<op::Div>({x, sheet.session.number(Whole{1} << 32)})) == "float32 [2]: 0 -2.32831e-10");
    CHECK(sheet(cast(x, DType::int64) + sheet.session.number(Whole{3'000'000'000})) ==
          "int64 [2]: 3000000000 2999999999");
}

}  // namespace numbers_beyond_test
