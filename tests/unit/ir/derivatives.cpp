// SPDX-License-Identifier: MIT
#include "../../../ir/ops/meanings.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string_view>

namespace derivatives_test {

using namespace frisket;

namespace {

struct Range { double low, high; };

/// Range from which an operand of an operation is drawn; operands not listed are drawn from all around 0.
Range domain_of(std::string_view name, int operand) {
    static const std::map<std::string_view, Range> ranges{
        {"sqrt", {0.1, 4}},      {"rsqrt", {0.1, 4}},    {"log", {0.1, 4}},     {"log2", {0.1, 4}},
        {"log10", {0.1, 4}},     {"log1p", {-0.9, 4}},   {"logit", {0.1, 0.9}}, {"asin", {-0.9, 0.9}},
        {"acos", {-0.9, 0.9}},   {"atanh", {-0.9, 0.9}}, {"acosh", {1.1, 4}},   {"tan", {-1.3, 1.3}},
        {"erfinv", {-0.9, 0.9}}, {"lgamma", {0.2, 5}},   {"digamma", {0.2, 5}}, {"reciprocal", {0.2, 3}},
    };
    if (name == "pow" && operand == 0) return {0.2, 3};
    if ((name == "div" || name == "fmod" || name == "remainder") && operand == 1) return {0.7, 3};
    const auto found = ranges.find(name);
    return found == ranges.end() ? Range{-3, 3} : found->second;
}

template <class Op, std::size_t... I>
double eval(const std::array<double, 3>& x, std::index_sequence<I...> /*operands*/) {
    if constexpr (Op::info.arity == 3)
        return op::Meaning<Op>::eval(x[0] > 0, x[1], x[2]);
    else
        return static_cast<double>(op::Meaning<Op>::eval(x[I]...));
}

template <class Op, int Operand, std::size_t... I>
double derivative(double g, double y, const std::array<double, 3>& x,
                  std::index_sequence<I...> /*operands*/) {
    if constexpr (Op::info.arity == 3)
        return op::Meaning<Op>::template derivative<Operand>(g, y, x[0] > 0, x[1], x[2]);
    else
        return op::Meaning<Op>::template derivative<Operand>(g, y, x[I]...);
}

template <class Op, int Operand>
void check_operand(std::mt19937_64& random) {
    constexpr auto operands = std::make_index_sequence<static_cast<std::size_t>(Op::info.arity)>{};
    std::array<double, 3> x{};
    for (int i = 0; i < Op::info.arity; ++i) {
        const bool is_order = i < Op::info.parameters && Op::info.dtype == DTypeRule::floating;
        if (is_order) {
            x[static_cast<std::size_t>(i)] = static_cast<double>(2 + random() % 4);
            continue;
        }
        const Range range = domain_of(Op::info.name, i);
        x[static_cast<std::size_t>(i)] =
            range.low + (range.high - range.low) * (static_cast<double>(random() >> 11) * 0x1p-53);
    }
    const double step = 1e-6, g = 1.7;
    auto above = x, below = x;
    above[Operand] += step;
    below[Operand] -= step;
    const double high = eval<Op>(above, operands), low = eval<Op>(below, operands);
    const double slope = g * (high - low) / (2 * step);
    if (std::abs(slope) > 1e4) return;  // a jump is between
    const double found = derivative<Op, Operand>(g, eval<Op>(x, operands), x, operands);
    INFO(Op::info.name << ", operand " << Operand << " at " << x[0] << ", " << x[1] << ": " << found
                       << ", by differences " << slope);
    CHECK(std::abs(found - slope) <= 1e-5 * std::abs(slope) + 1e-7);
}

template <class Op, std::size_t... I>
void check_row(std::mt19937_64& random, std::index_sequence<I...> /*operands*/) {
    constexpr int first = Op::info.parameters;
    for (int i = 0; i < 50; ++i)
        (
            [&] {
                if constexpr (static_cast<int>(I) >= first) check_operand<Op, static_cast<int>(I)>(random);
            }(),
            ...);
}

template <class... Op>
void check_rows(OpList<Op...> /*rows*/) {
    std::mt19937_64 random(1);
    (
        [&] {
            if constexpr (Op::info.gradient == Gradient::formula)
                check_row<Op>(random, std::make_index_sequence<static_cast<std::size_t>(Op::info.arity)>{});
        }(),
        ...);
}

}  // namespace

TEST_CASE("every derivative of the table is what central differences say", "[ir]") { check_rows(Ops{}); }

TEST_CASE("where a function has no derivative, the table gives what PyTorch gives", "[ir]") {
    CHECK(op::Meaning<op::Abs>::derivative<0>(2.0, 0.0, 0.0) == 0);
    CHECK(op::Meaning<op::Relu>::derivative<0>(2.0, 0.0, 0.0) == 0);
    CHECK(op::Meaning<op::Maximum>::derivative<0>(2.0, 3.0, 3.0, 3.0) == 1);
    CHECK(op::Meaning<op::Minimum>::derivative<1>(2.0, 3.0, 3.0, 3.0) == 1);
    CHECK(op::Meaning<op::Pow>::derivative<0>(2.0, 1.0, 0.0, 0.0) == 0);
    CHECK(op::Meaning<op::Pow>::derivative<1>(2.0, 0.0, 0.0, 2.0) == 0);
    CHECK(op::Meaning<op::Sinc>::derivative<0>(2.0, 1.0, 0.0) == 0);
}

TEST_CASE("where an operand of fmin or fmax is NaN the other one has the gradient") {
    const double nan = std::nan("");
    const auto shares = []<class Op>(Op /*op*/, double a, double b) {
        using Meaning = op::Meaning<Op>;
        const double y = Meaning::eval(a, b);
        return std::array<double, 2>{Meaning::template derivative<0>(1.5, y, a, b),
                                     Meaning::template derivative<1>(1.5, y, a, b)};
    };
    using Shares = std::array<double, 2>;
    CHECK(shares(op::Fmin{}, nan, 2.0) == Shares{0, 1.5});
    CHECK(shares(op::Fmin{}, 2.0, nan) == Shares{1.5, 0});
    CHECK(shares(op::Fmax{}, nan, 2.0) == Shares{0, 1.5});
    CHECK(shares(op::Fmax{}, 2.0, nan) == Shares{1.5, 0});
    CHECK(shares(op::Fmin{}, nan, nan) == Shares{0, 1.5});
    CHECK(shares(op::Fmin{}, 1.0, 2.0) == Shares{1.5, 0});
    CHECK(shares(op::Fmax{}, 1.0, 2.0) == Shares{0, 1.5});
    CHECK(shares(op::Fmax{}, 2.0, 2.0) == Shares{0.75, 0.75});
}

}  // namespace derivatives_test
