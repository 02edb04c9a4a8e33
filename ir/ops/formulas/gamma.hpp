// SPDX-License-Identifier: MIT
// Computes the logarithm of the gamma function and its first two derivatives.
#pragma once
#include "logarithm.hpp"
#include "numbers.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

/// The logarithm of the gamma function and its derivatives.  With z = |x|, n the integer next to z and e the
/// distance of x from its own, the gamma function of x > 0 is (z - 1) ... (z - n + 1) gamma(1 + e), and the
/// gamma function of x < 0 has the size gamma(1 + e) / (z (z - 1) ... (z - n + 1) |e|), but of n = 0 without
/// the |e|.  Polynomials are by Remez' algorithm in 50 digits where no other source is told.
namespace frisket::formulas {

/// Coefficients of the factor f(e) of 1 / gamma(1 + e) = 1 + e (1 - e) f(e): degree 14 in [-0.5, 0.5],
/// error 2^-58.8.
inline constexpr double gamma_terms[] = {
    0.5772156649015329,      -0.07866240661872097,   -0.1206650416528163,    0.045873569729466324,
    0.003675835173934243,    -0.005946136353561208,  0.0012728068926197423,  0.00010763929352553144,
    -0.00010760237185368545, 2.0447980847355325e-05, 3.1304325928974834e-07, -9.378148390647596e-07,
    1.9563706081967328e-07,  -9.042965536057555e-09, -4.043213699287926e-09,
};
/// f(e) for e from -1/2 to 1/2, 1 / gamma(1 + e) as the sum of two to 2^-57, that less 1; 1 / gamma(1 - e).
template <class T>
struct InverseGamma {
    T factor;
    Extended<T> value;
    T less_1, mirrored;
};
template <class T>
InverseGamma<T> inverse_gamma(const T& e) {
    constexpr double rest_of_first = -4.942915152430645e-18;  // rest of gamma_terms[0], Euler's constant
    const T one = like(e, 1);
    const Extended<T> square = exact_product(e, e);
    T even = like(e, gamma_terms[14]), odd = like(e, gamma_terms[13]);
    for (int k = 12; k >= 2; k -= 2) {
        even = fma(even, square.high, like(e, gamma_terms[k]));
        odd = fma(odd, square.high, like(e, gamma_terms[k - 1]));
    }
    const T part = square.high * even;
    const Extended<T> factor = fast_sum(like(e, gamma_terms[0]), fma(odd, e, part));
    const T factor_low = factor.low + like(e, rest_of_first);
    const T mirrored = fma(-odd, e, part) + like(e, gamma_terms[0]);
    const Extended<T> weight = fast_sum(e, -square.high);
    const Extended<T> product = exact_product(weight.high, factor.high);
    const T low = product.low + fma(weight.high, factor_low, (weight.low - square.low) * factor.high);
    Extended<T> value = fast_sum(one, product.high);
    value.low = value.low + low;
    return {factor.high, value, product.high + low, fma(-(e + square.high), mirrored, one)};
}

/// 1 - (1 / gamma(1 + e) - 1) / e; divided by 1 + e a polynomial of degree 14 in [-0.5, 0.5], error 2^-58.6.
template <class T>
T one_less_slope(const T& e) {
    constexpr double terms[] = {
        0.42278433509846713,    0.23309373642178682,    -0.19109110138769153,   0.024552490005389494,
        0.017645244550147106,   -0.008023273021812547,  0.0008043297755231844,  0.0003608378075880102,
        -0.0001455961409697939, 1.7545944547133968e-05, 2.5889857721347136e-06, -1.3389460042108983e-06,
        2.0551524991743023e-07, 1.346990920147977e-09,  -6.370909146591793e-09,
    };
    return (like(e, 1) + e) * polynomial(e, terms);
}

/// The product of z - j over j from 1 to n - 1, for n up to `most`.
template <class T>
Extended<T> product_below(const T& z, const T& n, int most) {
    const T one = like(z, 1);
    Extended<T> product = {one, like(z, 0)};
    for (int j = 1; j < most; ++j) {
        const T factor = select(n > like(z, j), z - like(z, j), one);
        const Extended<T> next = exact_product(product.high, factor);
        product = {next.high, fma(product.low, factor, next.low)};
    }
    return product;
}

/// lgamma(z), given log(z) as the sum of two, for z >= 7.5.  Source: Abramowitz and Stegun 6.1.41.
template <class T>
T stirling(const T& z, const T& log_high, const T& log_low) {
    // Times z: degree 5 in 1 / z^2 for z >= 7.5, error 2^-53.6.
    constexpr double terms[] = {
        0.08333333333333326,    -0.0027777777774665876, 0.0007936505867605938,
        -0.0005951875848101524, 0.0008361251954503697,  -0.0016216849651981696,
    };
    constexpr double constant = 0.4189385332046727;  // (log(2 pi) - 1) / 2
    const T inverse = like(z, 1) / z, less = z - like(z, 0.5);
    const T tail = fma(inverse, polynomial(inverse * inverse, terms), like(z, constant));
    return fma(less, log_high - like(z, 1), fma(less, log_low, tail));
}

/// The value of lgamma at poles and infinities.
template <class T>
T with_ends_of_lgamma(const T& x, const T& value) {
    const T infinity = like(x, std::numeric_limits<double>::infinity());
    const auto is_pole = x <= like(x, 0) && x == round_to_even(x);
    return select(is_pole || is_inf(x), infinity, select(is_nan(x), x, value));
}

/// lgamma of a float32, in float64.
template <class T>
T lgamma_single(const T& number) {
    using std::abs;
    const auto x = widen(number), z = abs(x), one = like(x, 1);
    const auto whole = round_to_even(x), e = x - whole;
    const auto is_low = whole < one, is_far = z >= like(x, 7.5);
    const auto parts = inverse_gamma(e);
    const auto inverse = parts.value.high, product = product_below(z, abs(whole), 8).high;
    const auto low = select(whole == like(x, 0), z, z * abs(e)) * (product * inverse);
    const auto near = select(is_low, low, product / inverse);
    const auto number_of_log = select(is_far, z, near);
    const auto logarithm = short_log(number_of_log, number_of_log - one);
    const auto far = stirling(z, logarithm, like(x, 0));
    // Reflects: 1 / gamma(1 + e) and 1 / gamma(1 - e) make sin(pi e) / (pi e).
    const auto sine = z * (abs(e) * (inverse * parts.mirrored));
    const auto reflected = -far - short_log(sine, sine - one);
    const auto value = select(is_far, select(is_low, reflected, far), select(is_low, -logarithm, logarithm));
    return narrow(number, with_ends_of_lgamma(x, value));
}

/// Where lgamma is 0 below -2, from -2 to -17.5, each as the sum of two; one root is on either side of each
/// integer from -3 on.  Source: bisection in 60 digits.
inline constexpr Extended<double> lgamma_roots[] = {
    {-0x1.3a7fc9600f86cp+1, -0x1.55f64f98af8d0p-55}, {-0x1.5fb410a1bd901p+1, 0x1.a19a96d2e6f85p-54},
    {-0x1.9260dbc9e59afp+1, -0x1.f717cd335a7b3p-53}, {-0x1.fa471547c2fe5p+1, -0x1.70d4561291237p-56},
    {-0x1.0284e78599581p+2, 0x1.e78c1e9e43cfep-53},  {-0x1.3f7577a6eeafdp+2, 0x1.5de5eab7f12cfp-53},
    {-0x1.4086a57f0b6d9p+2, -0x1.95262b72ca9cap-55}, {-0x1.7fe92f591f40dp+2, -0x1.7dd4ed62cbd32p-52},
    {-0x1.8016b25897c8dp+2, 0x1.27e0f49a4ba72p-54},  {-0x1.bffcbf76b86f0p+2, 0x1.853b29347b806p-57},
    {-0x1.c0033fdedfe1fp+2, 0x1.20bb7d2324678p-52},  {-0x1.ffff97f8159cfp+2, -0x1.e54f415a91586p-55},
    {-0x1.000034028b3f9p+3, -0x1.f60cb3cec1cedp-52}, {-0x1.1ffffa3884bd0p+3, -0x1.ff90c9d2ae925p-53},
    {-0x1.200005c7768fbp+3, -0x1.b5b610ffb70d4p-54}, {-0x1.3fffff6c0d7c0p+3, 0x1.197cea8c42d7dp-51},
    {-0x1.40000093f2777p+3, -0x1.927b45d95e154p-52}, {-0x1.5ffffff28cdd4p+3, 0x1.c9924a65aa486p-53},
    {-0x1.6000000d7322ap+3, -0x1.8aecb2d37ff52p-51}, {-0x1.7ffffffee1127p+3, -0x1.ce1f7906b30f5p-54},
    {-0x1.800000011eed9p+3, 0x1.19d5307e1fb5ep-53},  {-0x1.9fffffffe9edcp+3, 0x1.84f40342d001cp-51},
    {-0x1.a000000016124p+3, -0x1.84e03341ee8ddp-51}, {-0x1.bffffffffe6c7p+3, 0x1.d2a30f3dae0fbp-51},
    {-0x1.c000000001939p+3, -0x1.d2a2f4a73af63p-51}, {-0x1.dfffffffffe52p+3, 0x1.fcf9ccfd8867ep-51},
    {-0x1.e0000000001aep+3, -0x1.fcf9ccde87210p-51}, {-0x1.fffffffffffe5p+3, -0x1.80c18cc43ea26p-53},
    {-0x1.000000000000dp+4, -0x1.cfe7ce6768509p-50}, {-0x1.0ffffffffffffp+4, -0x1.ab4e23f3d49f1p-51},
    {-0x1.1000000000001p+4, 0x1.ab4e23f3d4bbcp-51},
};
/// The root on the same side of the same integer as x, below -3.
template <class T>
Extended<T> lgamma_root(const T& x) {
    Extended<T> root = {like(x, lgamma_roots[2].high), like(x, lgamma_roots[2].low)};
    for (std::size_t k = 3; k < std::size(lgamma_roots); ++k) {
        const auto is_beyond = x < like(x, -2 - 0.5 * static_cast<double>(k));
        root.high = select(is_beyond, like(x, lgamma_roots[k].high), root.high);
        root.low = select(is_beyond, like(x, lgamma_roots[k].low), root.low);
    }
    return root;
}

/// lgamma(x) between its first two roots below -2, and a little around.
template <class T>
T lgamma_at_first_roots(const T& x) {
    // Divided by the distances from both: degree 22 in x + 2.6, of [-2.76, -2.44], relative error 2^-55.3.
    constexpr double terms[] = {
        5.5890044042266664, -4.195503576241636,  12.948653794180558,  -19.17675513121439, 49.45697188557673,
        -93.06770949679323, 223.67520862025452,  -469.64384182380803, 1102.337018917023,  -2444.773636764225,
        5712.185502187503,  -13046.077727277167, 30560.919025914256,  -71143.91754431915, 167648.01700188202,
        -385528.2475188679, 905159.1599231658,   -2509788.159873187,  6180935.249167175,  -4655104.093586875,
        7623551.743047212,  -175682764.59144795, 446024070.0433624,
    };
    const T first = (x - like(x, lgamma_roots[0].high)) - like(x, lgamma_roots[0].low);
    const T second = (x - like(x, lgamma_roots[1].high)) - like(x, lgamma_roots[1].low);
    return first * second * polynomial(x + like(x, 2.6), terms);
}

/// 1 / |gamma(x)| - 1 from -17.5 to -3, near a root r of lgamma: the difference of x and r times that
/// quotient of e g(e) (1 - e) ... (n - e), g = 1 / gamma(1 + e), in which differences are divided by the
/// difference of x and r. `rest` is the quotient 1 / |gamma(x) e|.
template <class T>
T inverse_gamma_at_root(const T& x, const T& whole, const T& e, const T& factor, const T& rest) {
    const Extended<T> root = lgamma_root(x);
    const T distance = (x - root.high) - root.low, e_root = (root.high - whole) + root.low, one = like(x, 1);
    constexpr std::size_t count = std::size(gamma_terms);
    T at_root = like(x, gamma_terms[count - 1]), quotient = at_root;
    for (std::size_t k = count - 1; k-- > 1;) {
        at_root = fma(at_root, e_root, like(x, gamma_terms[k]));
        quotient = fma(quotient, e, at_root);
    }
    at_root = fma(at_root, e_root, like(x, gamma_terms[0]));
    // f(e) has become e (1 - e) f(e) + 1.
    const T product = e_root * (one - e_root);
    quotient = fma(product, quotient, ((one - e) - e_root) * factor);
    at_root = fma(product, at_root, one);
    for (int k = 1; k <= 17; ++k) {
        const auto is_below = whole <= like(x, -k);
        quotient = select(is_below, fma(quotient, like(x, k) - e, -at_root), quotient);
        at_root = select(is_below, at_root * (like(x, k) - e_root), at_root);
    }
    const T difference = distance * fma(e_root, quotient, rest);
    return select(e < like(x, 0), -difference, difference);
}

/// a * b of extended numbers.
template <class T>
Extended<T> extended_product(const Extended<T>& a, const Extended<T>& b) {
    const Extended<T> product = exact_product(a.high, b.high);
    return {product.high, product.low + fma(a.high, b.low, a.low * b.high)};
}

/// The size of the gamma function, or 1 divided by it, as the sum of two.
template <class T>
struct GammaSize {
    Extended<T> value;
    T reflected;  ///< x sin(pi x) / pi
};
/// gamma(x) from 1/2 to 7.5, 1 / |gamma(x)| from -19.5 to 1/2.
template <class T>
GammaSize<T> gamma_size(const T& x, const T& whole, const T& e) {
    using std::abs;
    const T z = abs(x), one = like(x, 1), zero = like(x, 0);
    const InverseGamma<T> parts = inverse_gamma(e);
    const Extended<T> inverse = parts.value, product = product_below(z, abs(whole), 19);
    const Extended<T> rest = extended_product(extended_product(product, inverse), {z, zero});
    const T distance = select(whole == zero, one, abs(e));
    const Extended<T> low = extended_product(rest, {distance, zero});
    const T of_one = one / inverse.high, quotient = product.high * of_one;
    const T error = fma(-quotient, inverse.high, product.high) + fma(-quotient, inverse.low, product.low);
    // Next to 1 the difference from 1, by which it comes from a root.
    const T at_root = inverse_gamma_at_root(x, whole, e, parts.factor, rest.high + rest.low);
    const T less_1 = select(whole == one, -parts.less_1, e * one_less_slope(e)) * of_one;
    const auto is_low = whole < one;
    const Extended<T> value = {select(is_low, low.high, quotient), select(is_low, low.low, error * of_one)};
    const auto has_root = x < like(x, -3) || whole == one || whole == like(x, 2);
    const Extended<T> sum = fast_sum(one, select(is_low, at_root, less_1));
    const auto is_near = has_root && abs(value.high - one) < like(x, 0.0625);
    return {{select(is_near, sum.high, value.high), select(is_near, sum.low, value.low)},
            z * (abs(e) * (inverse.high * parts.mirrored))};
}

/// log of an extended number above 0, normalised; the low part is left out unless the high one is from 1/16
/// to 16.
template <class T>
Extended<T> log_of_size(const Extended<T>& x) {
    const T one = like(x.high, 1), zero = like(x.high, 0);
    const Binary<T> binary = any_binary_parts(x.high);
    const auto has_low = x.high > like(x.high, 0.0625) && x.high < like(x.high, 16);
    const T k = select(has_low, binary.exponent, zero), low = select(has_low, x.low, zero);
    // The inverse of the mantissa, about, and exactly so at 1.
    const T less_1 = binary.mantissa - one, inverse = fma(less_1, less_1 - one, one);
    const Extended<T> logarithm = short_log(log_parts(x.high));
    const T scaled = low * power_of_two(like(k, whole_wide) - k);
    return fast_sum(logarithm.high, fma(scaled, inverse, logarithm.low));
}

/// lgamma of a float64.
template <class T>
T lgamma_wide(const T& x) {
    using std::abs;
    const T z = abs(x), whole = round_to_even(x), e = x - whole;
    const auto is_low = whole < like(x, 1);
    const auto is_far = z >= select(is_low, like(x, 19.5), like(x, 7.5));
    const GammaSize<T> size = gamma_size(x, whole, e);
    const T high = select(is_far, z, size.value.high), low = select(is_far, like(x, 0), size.value.low);
    const Extended<T> logarithm = log_of_size(Extended<T>{high, low});
    const T far = stirling(z, logarithm.high, logarithm.low);
    const T reflected = -far - rounded_log(log_parts(size.reflected));
    const auto is_middle = x > like(x, -2.76) && x < like(x, -2.44);
    const T low_near = select(is_middle, lgamma_at_first_roots(x), -logarithm.high);
    const T near = select(is_low, low_near, logarithm.high);
    return with_ends_of_lgamma(x, select(is_far, select(is_low, reflected, far), near));
}

/// log of the size of gamma(x).
template <class T>
T lgamma(const T& x) {
    return by_width(
        x, [](const auto& v) { return lgamma_single(v); }, [](const auto& v) { return lgamma_wide(v); });
}

/// pi cot(pi f) of f from -1/2 to 1/2.
template <class T>
T cotangent_of_turns(const T& f) {
    // Without poles and roots, times f (1 - f^2) / (1/4 - f^2): degree 9 in f^2, relative error 2^-59.8.
    constexpr double terms[] = {
        0x1.0000000000000p+2,   -0x1.28d3312983ea8p+0,  -0x1.18954703bb4ffp-3,  -0x1.cd941f94ff5c0p-6,
        -0x1.ae35127f8a353p-8,  -0x1.a2425c6f8999cp-10, -0x1.9d42b9eb8c2a4p-12, -0x1.9ce747738d5a0p-14,
        -0x1.845e2879cce24p-16, -0x1.1a9065ed35d1fp-17,
    };
    const T square = f * f;
    const Extended<T> upper = exact_product(fma(-f, f, like(f, 0.25)), polynomial(square, terms));
    const Extended<T> value = extended_quotient(upper, fast_sum(f, -square * f));
    return value.high + value.low;
}
/// pi / sin(pi f) of f from -1/2 to 1/2.
template <class T>
T cosecant_of_turns(const T& f) {
    // Without poles, times f (1 - f^2): degree 9 in f^2, relative error 2^-56.
    constexpr double terms[] = {
        0x1.0000000000000p+0,  0x1.4a34cc4a61009p-1,  0x1.fe38b4454c7dcp-3,  0x1.3b8aa65c88b3cp-4,
        0x1.5e065a2690de1p-6,  0x1.6fdb31b1eacafp-8,  0x1.787688537a5a9p-10, 0x1.7e219c80f62bdp-12,
        0x1.6a3241d0c830bp-14, 0x1.07d368f735cccp-15,
    };
    const T square = f * f;
    return polynomial(square, terms) / fma(-square, f, f);
}

/// digamma in [1, 2] by a Chebyshev fit of digamma(x) / (x - root) around 3/2, relative error 5e-17.
template <class T>
T digamma_at_root(const T& x) {
    constexpr double root = 1.4616321449683622, rest_of_root = 9.549995429965697e-17;
    constexpr double terms[] = {
        0.9510558760318328,    -0.4236274212814606,     0.24054248424078697,    -0.14840492305388092,
        0.09498872445289039,   -0.06192213327548831,    0.040760833940846085,   -0.026975796659787055,
        0.017907248317313294,  -0.011908220105959716,   0.007927021796868154,   -0.005279937255532708,
        0.003518106563802472,  -0.0023454947397380833,  0.0015633696313653504,  -0.0010364584817312839,
        0.0006909255761282986, -0.00048595039220036254, 0.00032395945401345196, -0.00014480643368061614,
        9.653646261410062e-05, -0.0001782188548855923,  0.00011881232908510335,
    };
    return ((x - like(x, root)) - like(x, rest_of_root)) * polynomial(x - like(x, 1.5), terms);
}

/// digamma(x), or digamma(1 + x) = digamma(x) + 1 / x, of x > 0: for numbers below 7 by its recurrence from
/// [1, 2]; the sum added is one quotient.  Source: Abramowitz and Stegun 6.3.5, 6.3.18.
template <class T>
T digamma_of_positive(const T& x, const auto& is_next) {
    // (log(x) - 1 / (2 x) - digamma(x)) x^2: degree 6 in 1 / x^2 for x >= 7, error 2^-54.2.
    constexpr double terms[] = {
        0.08333333333333329,  -0.008333333333096554, 0.003968253779134748, -0.004166609807372932,
        0.007567549587020663, -0.02047351373421277,  0.05907107921560892,
    };
    const T zero = like(x, 0), one = like(x, 1), least = like(x, 7);
    const auto is_far = x >= least, is_below = x < one;
    T at = select(is_far, one, select(is_below, x + one, x));
    Extended<T> upper = {select(is_below, select(is_next, zero, -one), select(is_next, one, zero)), zero};
    Extended<T> lower = {select(is_below || is_next, x, one), zero};
    for (int k = 0; k < 5; ++k) {
        const auto is_above = at > like(x, 2);
        at = select(is_above, at - one, at);
        const Extended<T> factor = {select(is_above, at, one), zero};
        const Extended<T> product = extended_product(upper, factor);
        upper = fast_sum(product.high, select(is_above, lower.high, zero));
        upper.low = upper.low + (product.low + select(is_above, lower.low, zero));
        lower = extended_product(lower, factor);
    }
    const Extended<T> sum = extended_quotient(upper, lower);
    const T inverse = one / select(is_far, x, least), square = inverse * inverse;
    const T tail =
        fma(square, polynomial(square, terms), inverse * select(is_next, like(x, -0.5), like(x, 0.5)));
    const T far = rounded_log(log_parts(select(is_far, x, least))) - tail;
    return select(is_far, far, sum.high + (sum.low + digamma_at_root(at)));
}

/// The derivative of lgamma.  Source: Abramowitz and Stegun 6.3.7.
template <class T>
T digamma(const T& number) {
    using std::abs;
    const auto x = widen(number), zero = like(x, 0), one = like(x, 1);
    const auto reflects = x < zero;
    const auto right = digamma_of_positive(select(reflects, -x, x), reflects);
    const auto fraction = x - round_to_even(x);
    const auto value = select(reflects, right - cotangent_of_turns(fraction), right);
    const auto nan = like(x, std::numeric_limits<double>::quiet_NaN());
    const auto poles =
        select(abs(x) < like(x, 0x1p-60), -one / x, select(reflects && !(fraction != zero), nan, value));
    return narrow(number, select(is_inf(x) && !reflects, x, poles));
}

/// trigamma of x > 0 in float64, but for 1 / x^2 if x < 7: the sum of 1 / (x + k)^2 up to 7 is one quotient.
/// Source: Abramowitz and Stegun 6.4.6, 6.4.12.
template <class T>
T rest_of_trigamma(const T& x) {
    // (trigamma(x) - 1 / x - 1 / (2 x^2)) x^3: degree 6 in 1 / x^2 for x >= 7, error 2^-50.3.
    constexpr double terms[] = {
        0.16666666666666594, -0.033333333329749304, 0.02380952094065046, -0.033332468528974486,
        0.07563228220807333, -0.2436050999791552,   0.7898874888025043,
    };
    const T zero = like(x, 0), one = like(x, 1), least = like(x, 7);
    T at = select(x < least, x + one, x), upper = zero, lower = one;
    for (int k = 0; k < 6; ++k) {
        const auto is_small = at < least;
        const T factor = select(is_small, at * at, one);
        upper = fma(upper, factor, select(is_small, lower, zero));
        lower = lower * factor;
        at = select(is_small, at + one, at);
    }
    const T root = one / at, inverse = root * root;
    const T tail = fma(inverse * root, polynomial(inverse, terms), inverse * like(x, 0.5));
    return upper / lower + (root + tail);
}

/// The derivative of digamma.  Source: Abramowitz and Stegun 6.4.7.
template <class T>
T trigamma(const T& number) {
    const auto x = widen(number), zero = like(x, 0), one = like(x, 1);
    const auto reflects = x < zero;
    const auto right = select(reflects, one - x, x), root = one / right;
    const auto positive = fma(select(right < like(x, 7), root, zero), root, rest_of_trigamma(right));
    const auto quotient = cosecant_of_turns(x - round_to_even(x));
    return narrow(number, select(reflects, fma(quotient, quotient, -positive), positive));
}

}  // namespace frisket::formulas
