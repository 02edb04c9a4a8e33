// SPDX-License-Identifier: MIT
/// Operations of integers at the limits of dtypes and of floats, against exact integers of 128 bits.
#include "../../../ir/expressions/expression_context.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace whole_numbers_test {

using namespace frisket;
using namespace frisket::ir;

namespace {

using Whole = std::int64_t;
__extension__ typedef __int128 Exact;

Exact floor_of(Exact a, Exact b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// An operation, and its exact result; the divisor is not 0, and shifts are within the width.
struct Case {
    OpId op;
    Exact (*right)(Exact a, Exact b);
    enum class Second : std::uint8_t { any, divisor, shift } second = Second::any;
};

using enum Case::Second;
constexpr std::array cases{
    Case{op_id<op::Add>, [](Exact a, Exact b) { return a + b; }},
    Case{op_id<op::Sub>, [](Exact a, Exact b) { return a - b; }},
    Case{op_id<op::Mul>, [](Exact a, Exact b) { return a * b; }},
    Case{op_id<op::FloorDivide>, floor_of, divisor},
    Case{op_id<op::TruncDivide>, [](Exact a, Exact b) { return a / b; }, divisor},
    Case{op_id<op::Remainder>, [](Exact a, Exact b) { return a - floor_of(a, b) * b; }, divisor},
    Case{op_id<op::Fmod>, [](Exact a, Exact b) { return a % b; }, divisor},
    Case{op_id<op::Minimum>, [](Exact a, Exact b) { return a < b ? a : b; }},
    Case{op_id<op::Maximum>, [](Exact a, Exact b) { return a < b ? b : a; }},
    Case{op_id<op::BitwiseAnd>, [](Exact a, Exact b) { return a & b; }},
    Case{op_id<op::BitwiseOr>, [](Exact a, Exact b) { return a | b; }},
    Case{op_id<op::BitwiseXor>, [](Exact a, Exact b) { return a ^ b; }},
    Case{op_id<op::BitwiseLeftShift>, [](Exact a, Exact b) { return a * (Exact{1} << b); }, shift},
    Case{op_id<op::BitwiseRightShift>, [](Exact a, Exact b) { return a >> b; }, shift},
};

/// Numbers of a dtype at powers of two and next to them.
template <class T>
std::vector<T> numbers() {
    std::vector<T> made;
    const auto add = [&](Whole number) {
        if (std::in_range<T>(number)) made.push_back(static_cast<T>(number));
    };
    for (const Whole number : {0, 1, -1, 3, -7, 10}) add(number);
    for (const int bits : {7, 8, 15, 16, 24, 31, 32, 53, 62})
        for (const Whole step : {-1, 0, 1})
            for (const Whole sign : {1, -1}) add(sign * ((Whole{1} << bits) + step));
    for (const Whole step : {0, 1}) {
        made.push_back(static_cast<T>(std::numeric_limits<T>::max() - step));
        made.push_back(static_cast<T>(std::numeric_limits<T>::min() + step));
    }
    return made;
}

/// Elements of one tensor with the elements of another, or with a host scalar.
template <class T>
std::int64_t wrong_results(const Case& one, bool with_number) {
    using Result = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const std::vector<T> all = numbers<T>();
    const auto count = static_cast<std::int64_t>(all.size());
    std::int64_t wrong = 0;
    for (const T b : all) {
        if (one.second == divisor && b == 0) continue;
        if (one.second == shift && (b < 0 || b >= static_cast<int>(8 * sizeof(Result)))) continue;
        ExpressionContext session("whole");
        const Value x = session.tensor(Tensor<T>({count}, all));
        const Value second =
            with_number ? session.number(static_cast<Whole>(b)) : session.tensor(Tensor<T>({1}, {b}));
        const Tensor<Result> found(session.run(apply(one.op, {x, second})).values.clone());
        for (std::size_t i = 0; i < all.size(); ++i)
            wrong += found.data()[i] != static_cast<Result>(one.right(all[i], b));
    }
    return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("whole numbers at all limits give the low bits of exact results", "", std::uint8_t,
                   std::int32_t, std::int64_t) {
    for (const Case& one : cases)
        for (const bool with_number : {false, true}) {
            CAPTURE(info_of(one.op).name, with_number);
            CHECK(wrong_results<TestType>(one, with_number) == 0);
        }
}

TEST_CASE("sums and products of whole numbers give the low bits of exact results") {
    const std::vector<Whole> all = numbers<Whole>();
    const auto count = static_cast<std::int64_t>(all.size());
    ExpressionContext session("whole");
    const Value x = session.tensor(Tensor<Whole>({count}, all));
    Exact sum = 0;
    std::uint64_t product = 1;
    for (const Whole one : all) {
        sum += one;
        if (one != 0) product *= static_cast<std::uint64_t>(one);
    }
    const auto number_of = [&](Value made) { return Tensor<Whole>(session.run(made).values.clone()).item(); };
    CHECK(number_of(ir::sum(x)) == static_cast<Whole>(sum));
    CHECK(static_cast<std::uint64_t>(number_of(ir::prod(
              where(apply<op::Eq>({x, session.number(Whole{0})}), session.number(Whole{1}), x)))) == product);
}

}  // namespace whole_numbers_test
