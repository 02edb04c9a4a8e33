// SPDX-License-Identifier: MIT
/// Means, deviations and norms of numbers whose sums or squares leave the range of their dtype, against sums
/// in long double, whose range holds the squares of every double.
#include "../../../ir/expressions/expression_context.hpp"
#include "../../../ir/passes/gradient/gradient.hpp"
#include "../../support/random.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace reductions_far_out_test {

using namespace frisket;
using namespace frisket::ir;

namespace {

using Real = long double;
using Reals = std::vector<Real>;

Real total(const Reals& x, const std::function<Real(Real)>& term) {
    Real sum = 0;
    for (const Real one : x) sum += term(one);
    return sum;
}

Real mean_of(const Reals& x) {
    return total(x, [](Real one) { return one; }) / static_cast<Real>(x.size());
}

Real variance_of(const Reals& x) {
    const Real middle = mean_of(x);
    return total(x, [&](Real one) { return (one - middle) * (one - middle); }) / static_cast<Real>(x.size());
}

Real norm_of(const Reals& x, Real ord) {
    const Real unit = std::abs(x.front());
    return unit * std::pow(total(x, [&](Real one) { return std::pow(std::abs(one) / unit, ord); }), 1 / ord);
}

/// Elements of `x` at the odd places of a masked tensor, each between two NaN.
template <class T>
Value among_unspecified(ExpressionContext& session, const std::vector<T>& x) {
    const auto size = static_cast<std::int64_t>(x.size());
    Tensor<T> values({2 * size + 1});
    Tensor<bool> mask({2 * size + 1});
    for (std::int64_t i = 0; i < values.size(); ++i) {
        mask.data()[i] = i % 2 == 1;
        values.data()[i] =
            mask.data()[i] ? x[static_cast<std::size_t>(i / 2)] : std::numeric_limits<T>::quiet_NaN();
    }
    return session.masked(AnyMasked::strided(values, mask));
}

template <class T>
Value dense(ExpressionContext& session, const std::vector<T>& x) {
    return session.tensor(Tensor<T>({static_cast<std::int64_t>(x.size())}, x));
}

using Function = std::function<Value(Value)>;

/// The specified elements of a function's result.
template <class T>
std::vector<T> result_of(ExpressionContext& session, Value made) {
    const Result result = session.run(made);
    const Tensor<T> values(result.values.clone());
    std::vector<T> found;
    for (std::int64_t i = 0; i < values.size(); ++i)
        if (!result.mask || Tensor<bool>(result.mask->clone()).data()[i]) found.push_back(values.data()[i]);
    return found;
}

/// A result is within a few units in the last place of the right one, or of the least number.
template <class T>
bool is_near(T found, Real right, Real units) {
    if (std::abs(right) > std::numeric_limits<T>::max()) return std::isinf(found);
    const Real unit = std::max<Real>(std::abs(right) * std::numeric_limits<T>::epsilon(),
                                     std::numeric_limits<T>::denorm_min());
    return std::abs(static_cast<Real>(found) - right) <= units * unit;
}

/// Checks a function of dense and of masked elements.
template <class T>
void check(const std::vector<T>& x, const Reals& right, Real units, const Function& function) {
    for (const bool is_masked : {false, true}) {
        ExpressionContext session("far");
        const auto found =
            result_of<T>(session, function(is_masked ? among_unspecified(session, x) : dense(session, x)));
        REQUIRE(found.size() == right.size());
        for (std::size_t i = 0; i < right.size(); ++i) {
            INFO("element " << i << ", masked " << is_masked << ": " << found[i] << ", right " << right[i]);
            CHECK(is_near(found[i], right[i], units));
        }
    }
}

/// The gradient of a function whose result is one number.
Function slope_of(const Function& function) {
    return [function](Value x) { return gradient(function(x), std::array{x})[0]; };
}

/// Seven numbers of one size, in a dtype.
template <class T>
std::vector<T> numbers_near(double exponent, std::uint32_t seed) {
    testing::Random random(seed);
    std::vector<T> made;
    for (int i = 0; i < 7; ++i)
        made.push_back(static_cast<T>((1 + static_cast<Real>(random.below(1 << 20)) * 0x1p-20L) *
                                      std::exp2(static_cast<Real>(exponent)) * (i % 3 == 0 ? -1 : 1)));
    return made;
}

/// Exponents of two from near the least normal number to the largest whose norms are numbers too.
template <class T>
std::vector<int> exponents() {
    constexpr int least = std::numeric_limits<T>::min_exponent, most = std::numeric_limits<T>::max_exponent;
    return {least + (std::is_same_v<T, float> ? 8 : 64),
            least / 2 - 20,
            least / 2,
            -3,
            0,
            20,
            most / 2 - 1,
            most / 2 + 9,
            most - 8};
}

}  // namespace

TEMPLATE_TEST_CASE("norms of numbers whose squares leave the range are right, and their gradients", "", float,
                   double) {
    for (const int exponent : exponents<TestType>()) {
        const auto x = numbers_near<TestType>(exponent, 3);
        const Reals exact(x.begin(), x.end());
        INFO("numbers near 2^" << exponent);
        for (const double ord : {2.0, 1.0, 3.0, 0.5, -1.0, 40.0}) {
            INFO("ord " << ord);
            const Real size = norm_of(exact, ord), units = ord == 2 || ord == 1 ? 1 : 64;
            check(x, {size}, units, [&](Value e) { return norm(e, ord); });
            Reals slopes, directions;
            for (const Real one : exact) {
                slopes.push_back(std::copysign(std::pow(std::abs(one) / size, Real(ord) - 1), one));
                directions.push_back(one / size);
            }
            check(x, slopes, units + 3, slope_of([&](Value e) { return norm(e, ord); }));
            check(x, directions, units, [&](Value e) { return normalize(e, ord, 0, 0); });
        }
    }
}

TEMPLATE_TEST_CASE("deviations of numbers whose squares leave the range are right, and their gradients", "",
                   float, double) {
    for (const int exponent : exponents<TestType>()) {
        const auto x = numbers_near<TestType>(exponent, 5);
        const Reals exact(x.begin(), x.end());
        const Real middle = mean_of(exact), deviation = std::sqrt(variance_of(exact));
        INFO("numbers near 2^" << exponent);
        check(x, {middle}, 6, [](Value e) { return mean(e); });
        check(x, {deviation}, 6, [](Value e) { return ir::std(e, {}, 0); });
        Reals slopes;
        for (const Real one : exact)
            slopes.push_back((one - middle) / deviation / static_cast<Real>(exact.size()));
        check(x, slopes, 16, slope_of([](Value e) { return ir::std(e, {}, 0); }));
    }
}

TEMPLATE_TEST_CASE("a mean that is no number of the dtype makes no variance wrong", "", float, double) {
    const TestType most = std::ldexp(TestType(1), std::numeric_limits<TestType>::digits);
    const std::vector<TestType> x{most - 1, most, most};
    const Real ninth = Real(1) / 9;
    check(x, {2 * ninth}, 1, [](Value e) { return var(e, {}, 0); });
    check(x, {std::sqrt(2 * ninth)}, 1, [](Value e) { return ir::std(e, {}, 0); });
    check(x, {-4 * ninth, 2 * ninth, 2 * ninth}, 2, slope_of([](Value e) { return var(e, {}, 0); }));
}

TEST_CASE("the variance of whole numbers is that of the numbers, not of their float32") {
    ExpressionContext session("far");
    const Value x = session.tensor(Tensor<std::int32_t>({3}, {16777217, 16777219, 16777221}));
    CHECK(result_of<float>(session, var(x, {}, 0)).front() == 8.0f / 3);
}

TEST_CASE("a mean of float32 near the limit is finite, and infinities and NaN stay") {
    const float most = std::numeric_limits<float>::max(), inf = std::numeric_limits<float>::infinity();
    check<float>({most, most, most}, {most}, 0, [](Value e) { return mean(e); });
    ExpressionContext session("far");
    for (const double ord : {2.0, 3.0}) {
        CHECK(result_of<double>(session, norm(dense<double>(session, {1, inf}), ord)).front() == inf);
        CHECK(std::isnan(result_of<double>(session, norm(dense<double>(session, {1, NAN}), ord)).front()));
        CHECK(result_of<double>(session, norm(dense<double>(session, {0, 0}), ord)).front() == 0);
    }
}

}  // namespace reductions_far_out_test
