// SPDX-License-Identifier: MIT
#include "exact_functions.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace bench {

namespace {

using Long = long double;
constexpr Long pi = std::numbers::pi_v<Long>;
constexpr Long infinity = std::numeric_limits<Long>::infinity();
constexpr Long nan_value = std::numeric_limits<Long>::quiet_NaN();

bool is_pole(Long x) { return x <= 0 && x == std::trunc(x); }

/// sin(pi x), exactly 0 at whole numbers: the sine of the distance to the nearest one, of its parity's sign.
Long sin_pi(Long x) {
    const Long whole = std::nearbyint(x), sine = std::sin(pi * (x - whole));
    return std::fmod(whole, 2) == 0 ? sine : -sine;
}

Long sinc(Long x) {
    if (x == 0) return 1;
    return std::isfinite(x) && x == std::trunc(x) ? 0 : sin_pi(x) / (pi * x);
}

Long sigmoid(Long x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
Long logit(Long x) {
    return std::fabs(x - 0.5L) < 0.25L ? 2 * std::atanh(2 * x - 1) : std::log(x) - std::log1p(-x);
}

/// Taylor's series of digamma around its positive root.
Long digamma_at_root(Long off) {
    constexpr Long terms[] = {
        0.9676722454476211704274448L,   -0.4427631689835921060928653L, 0.2584997609556510106244014L,
        -0.1639427054424065275042513L,  0.1078240506912623657571829L,  -0.07219956125645471092612178L,
        0.04880428816414310722509253L,  -0.0331611264748473592922584L, 0.02259764823221810465962483L,
        -0.01542476590494895913880032L, 0.01053879161661217538812405L, -0.007204534386356868240970474L};
    Long sum = 0;
    for (int k = 11; k >= 0; --k) sum = sum * off + terms[k];
    return off * sum;
}

/// Asymptotic series, from 30 on; below it the recurrence, and the reflection for negative numbers.
Long digamma(Long x) {
    // The root to 128 bits, of which the first number has 53.
    const Long from_root = (x - 0x1.762d86356be3fp+0L) - 9.549995429965697715184e-17L;
    if (std::fabs(from_root) < 0x1p-6L) return digamma_at_root(from_root);
    if (std::isnan(x) || x == infinity) return x;
    if (x == 0) return std::copysign(infinity, -x);
    if (x == -infinity || is_pole(x)) return nan_value;
    if (x < 0) {
        const Long rest = x - std::nearbyint(x);
        return digamma(1 - x) - pi / std::tan(pi * rest);
    }
    Long sum = 0;
    for (; x < 30; x += 1) sum -= 1 / x;
    const Long s = 1 / (x * x);
    const Long series =
        s * (1.0L / 12 -
             s * (1.0L / 120 - s * (1.0L / 252 - s * (1.0L / 240 - s * (1.0L / 132 - s * 691 / 32760)))));
    return sum + std::log(x) - 0.5L / x - series;
}

Long trigamma(Long x) {
    if (std::isnan(x)) return x;
    if (x == infinity) return 0;
    if (x == -infinity) return nan_value;
    if (is_pole(x)) return infinity;
    if (x < 0) {
        const Long quotient = pi / sin_pi(x);
        return quotient * quotient - trigamma(1 - x);
    }
    Long sum = 0;
    for (; x < 30; x += 1) sum += 1 / (x * x);
    const Long s = 1 / (x * x);
    const Long series =
        s *
        (1.0L / 6 - s * (1.0L / 30 - s * (1.0L / 42 - s * (1.0L / 30 - s * (5.0L / 66 - s * 691 / 2730)))));
    return sum + 1 / x + s / 2 + series / x;
}

/// Newton's method on what is left to 1.
Long erfinv(Long x) {
    const Long magnitude = std::fabs(x);
    if (std::isnan(x) || magnitude > 1) return nan_value;
    if (magnitude == 1) return std::copysign(infinity, x);
    const Long slope = 2 / std::sqrt(pi);
    if (magnitude < 1e-10L) return x / slope;
    const Long rest = 1 - magnitude, logarithm = std::log(rest * (1 + magnitude)), a = 0.147L;
    const Long first = 2 / (pi * a) + logarithm / 2;
    Long y = std::sqrt(std::sqrt(first * first - logarithm / a) - first);
    for (int i = 0; i < 6; ++i) {
        const Long off = magnitude < 0.5L ? std::erf(y) - magnitude : rest - std::erfc(y);
        const Long step = off / (slope * std::exp(-y * y));
        y -= step / (1 + y * step);
    }
    return std::copysign(y, x);
}

/// The power series, all of whose terms have one sign, then the asymptotic one.
Long bessel_i(int order, Long x) {
    const Long magnitude = std::fabs(x);
    if (std::isinf(x)) return order == 0 ? infinity : x;
    Long term = 1, sum = 1;
    if (magnitude < 40) {
        const Long quarter = x * x / 4;
        for (int k = 1; term > sum * 1e-21L; ++k)
            sum += term *= quarter / (static_cast<Long>(k) * (k + order));
        return order == 0 ? sum : sum * x / 2;
    }
    for (int k = 1; k < 40 && std::fabs(term) > 1e-21L; ++k) {
        const Long odd = 2 * k - 1;
        sum += term *= (odd * odd - 4 * order) / (8 * magnitude * k);
    }
    const Long value =
        std::exp(magnitude / 2) / std::sqrt(2 * pi * magnitude) * sum * std::exp(magnitude / 2);
    return order == 1 ? std::copysign(value, x) : value;
}

Long logaddexp(Long x, Long y) {
    if (x == y) return x + std::numbers::ln2_v<Long>;
    return std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}

constexpr Exact table[] = {
    {.name = "sqrt", .of_one = [](Long x) { return std::sqrt(x); }},
    {.name = "rsqrt", .of_one = [](Long x) { return 1 / std::sqrt(x); }},
    {.name = "reciprocal", .of_one = [](Long x) { return 1 / x; }},
    {.name = "exp", .of_one = [](Long x) { return std::exp(x); }},
    {.name = "exp2", .of_one = [](Long x) { return std::exp2(x); }},
    {.name = "expm1", .of_one = [](Long x) { return std::expm1(x); }},
    {.name = "log", .of_one = [](Long x) { return std::log(x); }},
    {.name = "log2", .of_one = [](Long x) { return std::log2(x); }},
    {.name = "log10", .of_one = [](Long x) { return std::log10(x); }},
    {.name = "log1p", .of_one = [](Long x) { return std::log1p(x); }},
    {.name = "sigmoid", .of_one = sigmoid},
    {.name = "logit", .of_one = logit},
    {.name = "sin", .of_one = [](Long x) { return std::sin(x); }},
    {.name = "cos", .of_one = [](Long x) { return std::cos(x); }},
    {.name = "tan", .of_one = [](Long x) { return std::tan(x); }},
    {.name = "asin", .of_one = [](Long x) { return std::asin(x); }},
    {.name = "acos", .of_one = [](Long x) { return std::acos(x); }},
    {.name = "atan", .of_one = [](Long x) { return std::atan(x); }},
    {.name = "sinh", .of_one = [](Long x) { return std::sinh(x); }},
    {.name = "cosh", .of_one = [](Long x) { return std::cosh(x); }},
    {.name = "tanh", .of_one = [](Long x) { return std::tanh(x); }},
    {.name = "asinh", .of_one = [](Long x) { return std::asinh(x); }},
    {.name = "acosh", .of_one = [](Long x) { return std::acosh(x); }},
    {.name = "atanh", .of_one = [](Long x) { return std::atanh(x); }},
    {.name = "deg2rad", .of_one = [](Long x) { return x * (pi / 180); }},
    {.name = "rad2deg", .of_one = [](Long x) { return x * (180 / pi); }},
    {.name = "sinc", .of_one = sinc},
    {.name = "erf", .of_one = [](Long x) { return std::erf(x); }},
    {.name = "erfc", .of_one = [](Long x) { return std::erfc(x); }},
    {.name = "erfinv", .of_one = erfinv},
    {.name = "lgamma", .of_one = [](Long x) { return std::lgamma(x); }},
    {.name = "digamma",
     .of_one = digamma,
     .size_of_terms = [](Long x, Long) { return x < 0 ? std::fmax(1, std::fabs(digamma(1 - x))) : 0; },
     .root = 1.4616321449683622},
    {.name = "trigamma", .of_one = trigamma},
    {.name = "i0", .of_one = [](Long x) { return bessel_i(0, x); }},
    {.name = "i1", .of_one = [](Long x) { return bessel_i(1, x); }},
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
