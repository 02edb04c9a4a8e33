// SPDX-License-Identifier: MIT
#include "exact_functions.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace bench {

namespace {

// Reference in long double; and in double, for functions whose float32 is compared with it.
using Long = long double;
template <class Real>
constexpr Real pi = std::numbers::pi_v<Real>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class Real>
bool is_pole(Real x) {
    return x <= 0 && x == std::trunc(x);
}

/// sin(pi x), exactly 0 at whole numbers: the sine of the distance to the nearest one, of its parity's sign.
template <class Real>
Real sin_pi(Real x) {
    const Real whole = std::nearbyint(x), sine = std::sin(pi<Real> * (x - whole));
    return std::fmod(whole, 2) == 0 ? sine : -sine;
}

template <class Real>
Real sinc(Real x) {
    if (x == 0) return 1;
    return std::isfinite(x) && x == std::trunc(x) ? 0 : sin_pi(x) / (pi<Real> * x);
}

template <class Real>
Real sigmoid(Real x) {
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
template <class Real>
Real logit(Real x) {
    return std::fabs(x - 0.5L) < 0.25L ? 2 * std::atanh(2 * x - 1) : std::log(x) - std::log1p(-x);
}

/// Taylor's series of digamma around its positive root.
template <class Real>
Real digamma_at_root(Real off) {
    constexpr Real terms[] = {
        0.9676722454476211704274448L,   -0.4427631689835921060928653L, 0.2584997609556510106244014L,
        -0.1639427054424065275042513L,  0.1078240506912623657571829L,  -0.07219956125645471092612178L,
        0.04880428816414310722509253L,  -0.0331611264748473592922584L, 0.02259764823221810465962483L,
        -0.01542476590494895913880032L, 0.01053879161661217538812405L, -0.007204534386356868240970474L};
    Real sum = 0;
    for (int k = 11; k >= 0; --k) sum = sum * off + terms[k];
    return off * sum;
}

/// Asymptotic series, from 30 on; below it the recurrence, and the reflection for negative numbers.
template <class Real>
Real digamma(Real x) {
    // The root to 128 bits, of which the first number has 53.
    const Real from_root = (x - 0x1.762d86356be3fp+0L) - 9.549995429965697715184e-17L;
    if (std::fabs(from_root) < 0x1p-6L) return digamma_at_root(from_root);
    if (std::isnan(x) || x == infinity) return x;
    if (x == 0) return std::copysign(infinity, -x);
    if (x == -infinity || is_pole(x)) return nan_value;
    if (x < 0) {
        const Real rest = x - std::nearbyint(x);
        return digamma(1 - x) - pi<Real> / std::tan(pi<Real> * rest);
    }
    Real sum = 0;
    for (; x < 30; x += 1) sum -= 1 / x;
    const Real s = 1 / (x * x);
    const Real series =
        s * (1.0L / 12 -
             s * (1.0L / 120 - s * (1.0L / 252 - s * (1.0L / 240 - s * (1.0L / 132 - s * 691 / 32760)))));
    return sum + std::log(x) - 0.5L / x - series;
}

template <class Real>
Real trigamma(Real x) {
    if (std::isnan(x)) return x;
    if (x == infinity) return 0;
    if (x == -infinity) return nan_value;
    if (is_pole(x)) return infinity;
    if (x < 0) {
        const Real quotient = pi<Real> / sin_pi(x);
        return quotient * quotient - trigamma(1 - x);
    }
    Real sum = 0;
    for (; x < 30; x += 1) sum += 1 / (x * x);
    const Real s = 1 / (x * x);
    const Real series =
        s *
        (1.0L / 6 - s * (1.0L / 30 - s * (1.0L / 42 - s * (1.0L / 30 - s * (5.0L / 66 - s * 691 / 2730)))));
    return sum + 1 / x + s / 2 + series / x;
}

/// Newton's method on what is left to 1.
template <class Real>
Real erfinv(Real x) {
    const Real magnitude = std::fabs(x);
    if (std::isnan(x) || magnitude > 1) return nan_value;
    if (magnitude == 1) return std::copysign(infinity, x);
    const Real slope = 2 / std::sqrt(pi<Real>);
    if (magnitude < 1e-10L) return x / slope;
    const Real rest = 1 - magnitude, logarithm = std::log(rest * (1 + magnitude)), a = 0.147L;
    const Real first = 2 / (pi<Real> * a) + logarithm / 2;
    Real y = std::sqrt(std::sqrt(first * first - logarithm / a) - first);
    for (int i = 0; i < 6; ++i) {
        const Real off = magnitude < 0.5L ? std::erf(y) - magnitude : rest - std::erfc(y);
        const Real step = off / (slope * std::exp(-y * y));
        y -= step / (1 + y * step);
    }
    return std::copysign(y, x);
}

/// The power series, all of whose terms have one sign, then the asymptotic one.
template <class Real>
Real bessel_i(int order, Real x) {
    const Real magnitude = std::fabs(x);
    if (std::isinf(x)) return order == 0 ? infinity : x;
    Real term = 1, sum = 1;
    if (magnitude < 40) {
        const Real quarter = x * x / 4;
        for (int k = 1; term > sum * 1e-21L; ++k)
            sum += term *= quarter / (static_cast<Real>(k) * (k + order));
        return order == 0 ? sum : sum * x / 2;
    }
    for (int k = 1; k < 40 && std::fabs(term) > 1e-21L; ++k) {
        const Real odd = 2 * k - 1;
        sum += term *= (odd * odd - 4 * order) / (8 * magnitude * k);
    }
    const Real value =
        std::exp(magnitude / 2) / std::sqrt(2 * pi<Real> * magnitude) * sum * std::exp(magnitude / 2);
    return order == 1 ? std::copysign(value, x) : value;
}

Long logaddexp(Long x, Long y) {
    if (x == y) return x + std::numbers::ln2_v<Long>;
    return std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}

constexpr Exact one(std::string_view name, auto function) {
    return {.name = name, .of_one = function, .of_one_fast = function};
}

constexpr Exact series(std::string_view name, auto function) {
    Exact made = one(name, function);
    made.by_series = true;
    return made;
}

constexpr Exact table[] = {
    one("sqrt", [](auto x) { return std::sqrt(x); }),
    one("rsqrt", [](auto x) { return 1 / std::sqrt(x); }),
    one("reciprocal", [](auto x) { return 1 / x; }),
    one("exp", [](auto x) { return std::exp(x); }),
    one("exp2", [](auto x) { return std::exp2(x); }),
    one("expm1", [](auto x) { return std::expm1(x); }),
    one("log", [](auto x) { return std::log(x); }),
    one("log2", [](auto x) { return std::log2(x); }),
    one("log10", [](auto x) { return std::log10(x); }),
    one("log1p", [](auto x) { return std::log1p(x); }),
    one("sigmoid", [](auto x) { return sigmoid(x); }),
    one("logit", [](auto x) { return logit(x); }),
    one("sin", [](auto x) { return std::sin(x); }),
    one("cos", [](auto x) { return std::cos(x); }),
    one("tan", [](auto x) { return std::tan(x); }),
    one("asin", [](auto x) { return std::asin(x); }),
    one("acos", [](auto x) { return std::acos(x); }),
    one("atan", [](auto x) { return std::atan(x); }),
    one("sinh", [](auto x) { return std::sinh(x); }),
    one("cosh", [](auto x) { return std::cosh(x); }),
    one("tanh", [](auto x) { return std::tanh(x); }),
    one("asinh", [](auto x) { return std::asinh(x); }),
    one("acosh", [](auto x) { return std::acosh(x); }),
    one("atanh", [](auto x) { return std::atanh(x); }),
    one("deg2rad", [](auto x) { return x * (pi<decltype(x)> / 180); }),
    one("rad2deg", [](auto x) { return x * (180 / pi<decltype(x)>); }),
    one("sinc", [](auto x) { return sinc(x); }),
    one("erf", [](auto x) { return std::erf(x); }),
    one("erfc", [](auto x) { return std::erfc(x); }),
    one("erfinv", [](auto x) { return erfinv(x); }),
    one("lgamma", [](auto x) { return std::lgamma(x); }),
    {.name = "digamma",
     .of_one = digamma<Long>,
     .of_one_fast = digamma<double>,
     .size_of_terms = [](Long x, Long) { return x < 0 ? std::fmax(1, std::fabs(digamma(1 - x))) : 0; },
     .root = 1.4616321449683622,
     .by_series = true},
    series("trigamma", [](auto x) { return trigamma(x); }),
    series("i0", [](auto x) { return bessel_i(0, x); }),
    series("i1", [](auto x) { return bessel_i(1, x); }),
    {.name = "pow", .of_two = [](Long x, Long y) { return std::pow(x, y); }},
    {.name = "atan2", .of_two = [](Long x, Long y) { return std::atan2(x, y); }},
    {.name = "hypot", .of_two = [](Long x, Long y) { return std::hypot(x, y); }},
    {.name = "fmod", .of_two = [](Long x, Long y) { return std::fmod(x, y); }},
    {.name = "logaddexp",
     .of_two = logaddexp,
     .size_of_terms = [](Long x, Long y) { return std::fabs(std::fmax(x, y)); },
     .partner = [](double x) { return std::log(-std::expm1(x)); }},
};

}  // namespace

std::span<const Exact> exact_functions() { return table; }

}  // namespace bench
