// SPDX-License-Identifier: MIT
// Computes the error function, its complement and its inverse.
#pragma once
#include "exponential.hpp"
#include "logarithm.hpp"
#include "numbers.hpp"

#include <cmath>
#include <limits>

/// The error function, its complement and its inverse.  The complement is exp(-x^2) times a function that
/// falls slowly, which is a polynomial in (x - c) / (x + c).
namespace frisket::formulas {

/// erf(x) / x - 1 of |x| <= 1.
template <class T>
T erf_near_zero(const T& x) {
    // Degree 12 in x^2 - 1/2, error 2^-62.6.  Source: Remez' algorithm in 50 digits.
    constexpr double terms[] = {
        -0.03453126133013269,   -0.2810721780454342,     0.07940998675593483,   -0.01828388448915294,
        0.0034802744966653367,  -0.0005611894221151111,  7.829649525990062e-05, -9.614808695751059e-06,
        1.0536449076302369e-06, -1.0420365556136259e-07, 9.387804703537812e-09, -7.799151796991402e-10,
        5.93374432685842e-11,
    };
    return polynomial(fma(x, x, like(x, -0.5)), terms);
}

/// erf of a float32 in float64: 1 - exp(log(erfc(x))).
template <class T>
T erf_single(const T& number) {
    using std::abs;
    // log(erfc(x)) / x: degree 11 in [0, 3.95], error 2^-33.3 of erf(x).  Source: Remez' algorithm in 50
    // digits.
    constexpr double terms[] = {
        -1.1283791669863772,    -0.6366197887679762,    -0.10277220682252285,    0.0191247878189677,
        0.0002262447969541124,  -0.0017420961087480798, 0.0006667864047419133,   -0.00010801730439616669,
        -8.512766541754241e-06, 7.864670515426268e-06,  -1.5101758200864316e-06, 1.0578642238185827e-07,
    };
    const T size = abs(number), most = like(number, 3.95);
    const auto x = widen(select(size > most, most, size));
    const auto power = short_power(x * polynomial(x, terms));
    const auto value = fma(-power.scale, power.less_one, like(x, 1) - power.scale);
    return with_sign_of(narrow(number, value), number);
}

/// 1 - erf(x) of x >= 1, with an error of 2^-55 of erf(x).
template <class T>
T one_less_erf(const T& x) {
    // log(erfc(x)) in x - 5 / 4: degree 17 in [1, 5.95], error 2^-57.1 of erf(x); at 5.95 erf rounds to 1.
    // Source: Remez' algorithm in 50 digits.
    constexpr double terms[] = {
        -2.5626536619221256,     -3.0677239416692372,     -0.8708101640587634,     -0.03268700868291132,
        0.0077919616108665145,   -0.0016069509505878805,  0.0002467839908705309,   -1.0041852712505621e-05,
        -1.083047058669248e-05,  5.166846951612374e-06,   -1.4489571595114484e-06, 2.579751736727147e-07,
        -1.0618212250188616e-08, -1.1233445526424856e-08, 4.415433211656778e-09,   -8.831603664269924e-10,
        9.865047050887636e-11,   -4.8650671405112795e-12,
    };
    // expm1(r) / r: degree 10 in [-0.3467, 0.3467], error 2^-55.6.  Source: Remez' algorithm in 50 digits.
    constexpr double exp_terms[] = {
        1.0,
        0.5000000000000006,
        0.1666666666666669,
        0.041666666666572746,
        0.008333333333312872,
        0.0013888888932625369,
        0.0001984126990568606,
        2.480150417450988e-05,
        2.7557226065501972e-06,
        2.762642870787559e-07,
        2.5114978054684093e-08,
    };
    const T most = like(x, 5.95);
    const T logarithm = polynomial(select(x > most, most, x) - like(x, 1.25), terms);
    const T shifted = fma(logarithm, like(x, log2_e), like(x, whole_wide)), n = shifted - like(x, whole_wide);
    const T r = fma(n, like(x, -ln2_low), fma(n, like(x, -ln2_high), logarithm));
    const T power = power_of_two(shifted);
    return fma(power * r, polynomial(r, exp_terms), power);
}

template <class T>
T erf_wide(const T& x) {
    using std::abs;
    const T size = abs(x);
    const T near = fma(x, erf_near_zero(x), x), far = like(x, 1) - one_less_erf(size);
    return select(size < like(x, 1), near, with_sign_of(far, x));
}

/// 2 / sqrt(pi) times the integral of exp(-t^2) over t from 0 to x.
template <class T>
T erf(const T& x) {
    return by_width(
        x, [](const auto& v) { return erf_single(v); }, [](const auto& v) { return erf_wide(v); });
}

/// erfc of a float32 in float64.
template <class T>
T erfc_single(const T& number) {
    using std::abs;
    // exp(x^2) erfc(x) (x + 3) in t = (x - 3) / (x + 3): degree 11 for x in [0, 10.3], relative error
    // 2^-34.6. Source: Remez' algorithm in 50 digits.
    constexpr double terms[] = {
        1.0740069070850924,     -0.8833944538836785,     0.5902283580501091,     -0.3104672239184791,
        0.11952774300865447,    -0.026827814539407673,   -0.0012124803611962987, 0.003037781429115353,
        -0.0005460516402067414, -0.00028725721720208517, 9.630634472373793e-05,  3.975056060941856e-05,
    };
    const T size = abs(number), most = like(number, 10.3);
    const auto x = widen(select(size > most, most, size)), one = like(x, 1);
    const auto divisor = x + like(x, 3);
    const auto coarse = widen(like(number, 1) / narrow(number, divisor));
    const auto inverse = fma(coarse, fma(-divisor, coarse, one), coarse);
    const auto power = short_power(-(x * x));
    const auto scaled = inverse * polynomial(fma(inverse, like(x, -6), one), terms);
    const auto value = fma(power.scale, power.less_one, power.scale) * scaled;
    return narrow(number, select(widen(number) < like(x, 0), like(x, 2) - value, value));
}

/// exp(x^2) erfc(x) of a float64 from 0 to 27.5, with a relative error of 2^-56.
template <class T>
Extended<T> scaled_erfc(const T& x) {
    // exp(x^2) erfc(x) (1 + 9/8 x) in t = (x - 3.5) / (x + 3.5), but for its first term: degree 22 for x in
    // [0, 27.5], relative error 2^-57.  Source: Remez' algorithm in 50 digits.
    constexpr double first = 0.7667624245689156, rest_of_first = -4.5835862062250134e-17;
    constexpr double terms[] = {
        -0.2053086209417466,     0.09605706276323854,    -0.015731113560772874,   -0.023425733442432334,
        0.029611941008969817,    -0.020035787868461264,  0.008887394260500971,    -0.002253967747784692,
        -4.3782734298033824e-05, 0.00027017932623186596, -7.039566725204858e-05,  -1.8226960731542503e-05,
        1.2934876883035915e-05,  6.478814656276288e-07,  -1.9849581645848313e-06, 5.343900526944099e-08,
        3.124080377085421e-07,   -9.729826104733211e-09, -4.98263090096397e-08,   -2.7799035032201316e-09,
        5.894973530508196e-09,   1.3111044556898676e-09,
    };
    const T one = like(x, 1), sum = x + like(x, 3.5);
    const Extended<T> part = exact_product(x, like(x, 1.125));
    Extended<T> divisor = exact_sum(one, part.high);
    divisor.low = divisor.low + part.low;
    const T both = one / (divisor.high * sum), inverse = both * sum;
    const T error = fma(-inverse, divisor.high, one) - inverse * divisor.low;
    const T t = (x - like(x, 3.5)) * (both * divisor.high);
    const Extended<T> value = fast_sum(like(x, first), t * polynomial(t, terms));
    Extended<T> product = exact_product(inverse, value.high);
    product.low = product.low + fma(inverse, value.low + like(x, rest_of_first), product.high * error);
    return product;
}

/// 2^n times an extended exp(-x^2), and times an extended erfc(x).
template <class T>
struct GaussianTail {
    T shifted;  ///< whole_wide + n
    T density;
    Extended<T> tail;
};

/// Both of a float64 from 0 to 27.5.
template <class T>
GaussianTail<T> gaussian_tail(const T& x) {
    const Extended<T> square = exact_product(x, x), scaled = scaled_erfc(x);
    const Power<T> power = reduced_exponent(-square.high, -square.low);
    const Extended<T> density = shifted_expm1({like(x, 1), like(x, 0)}, power.number);
    Extended<T> tail = exact_product(density.high, scaled.high);
    tail.low = tail.low + fma(density.high, scaled.low, density.low * scaled.high);
    return {power.shifted, density.high + density.low, tail};
}

template <class T>
T erfc_wide(const T& number) {
    using std::abs;
    const T size = abs(number), most = like(number, 27.5);  // where erfc is less than any float64
    const GaussianTail<T> parts = gaussian_tail(select(size > most, most, size));
    const T value = times_power(parts.tail.high, parts.tail.low, parts.shifted);
    return select(number < like(number, 0), like(number, 2) - value, value);
}

/// 1 - erf(x).
template <class T>
T erfc(const T& x) {
    return by_width(
        x, [](const auto& v) { return erfc_single(v); }, [](const auto& v) { return erfc_wide(v); });
}

/// log(1 - x^2) of |x| < 1 in float64, with a relative error of 2^-33.
template <class T>
T log_of_rest(const T& x) {
    return short_log(fma(-x, x, like(x, 1)), -(x * x));
}

/// The values of erfinv outside of -1 to 1 and at its ends.
template <class T>
T erfinv_ends(const T& x, const T& value) {
    using std::abs;
    const T size = abs(x), one = like(x, 1);
    const T infinity = like(x, std::numeric_limits<double>::infinity());
    const T nan = like(x, std::numeric_limits<double>::quiet_NaN());
    return select(size < one, value, select(size == one, with_sign_of(infinity, x), nan));
}

/// erfinv of a float32 in float64: x times a polynomial in log(1 - x^2).
template <class T>
T erfinv_single(const T& number) {
    // erfinv(x) / x in -log(1 - x^2) - 8: degree 22 in [-8, 8.1], relative error 2^-34.4.
    // Source: Remez' algorithm in 50 digits.
    constexpr double terms[] = {
        2.661438641645536,       0.17635728079437782,     -0.0050554364195251975,  0.00024556001432034263,
        -8.905955700946858e-06,  -4.822851833417133e-07,  1.6073497140331918e-07,  -2.1756328571590275e-08,
        1.969122344431994e-09,   -1.0515661301678153e-10, -3.0737997497028684e-12, 1.516576384626671e-12,
        -1.5267172899751584e-13, 6.706988861882338e-15,   -1.3125974665944014e-15, 1.861958825885088e-16,
        2.3117415461193508e-17,  -5.8025154579136304e-18, 7.051180813631554e-20,   4.6761542256893194e-20,
        -2.0586995701084783e-21, -1.302599098796471e-22,  7.894572635885637e-24,
    };
    const auto x = widen(number);
    const auto value = x * polynomial(like(x, -8) - log_of_rest(x), terms);
    return erfinv_ends(number, narrow(number, value));
}

/// erfinv of a float64: a first guess, then one step of Halley's method, for which erf(y) - x, and beyond the
/// middle (1 - x) - erfc(y), are known to more digits than erf and erfc.
template <class T>
T erfinv_wide(const T& number) {
    using std::abs;
    // erfinv(x) / x in -log(1 - x^2) - 18: degree 21 in [-18, 18.2], relative error 2^-22.6.
    // Source: Remez' algorithm in 50 digits.
    constexpr double terms[] = {
        4.084791259362367,       0.11902624576238768,    -0.0016434055283161514,  4.453709912338405e-05,
        -1.4624827553378209e-06, 6.277359384618345e-08,  -3.9004874736425524e-09, -1.1446299972169506e-10,
        3.410662869481949e-11,   3.439948562635849e-12,  -4.942214409837253e-13,  -3.13197709333173e-14,
        4.012358994639851e-15,   1.7038912173850604e-16, -2.0314838787435362e-17, -5.342720472410432e-19,
        6.446574854833889e-20,   6.753942347795701e-22,  -1.0969049773799055e-22, 1.5193930599798936e-25,
        7.495676374576057e-26,   -7.007878334674522e-28,
    };
    constexpr double slope = 1.1283791670955126, inverse_slope_less_1 = -0.11377307454724199;
    const T size = abs(number), one = like(number, 1), zero = like(number, 0);
    const T x = select(size < one, size, zero);
    const T y = x * polynomial(like(x, -18) - log_of_rest(x), terms);
    const GaussianTail<T> parts = gaussian_tail(y);
    const T power = power_of_two(parts.shifted);
    const T near = fma(y, erf_near_zero(y), y - x);
    const T far = ((one - x) - power * parts.tail.high) - power * parts.tail.low;
    const T error = select(x < like(x, 0.75), near, far);
    const T better = y - error / fma(power * parts.density, like(x, slope), y * error);
    const T tiny = fma(x, like(x, inverse_slope_less_1), x);
    return erfinv_ends(number, with_sign_of(select(x < like(x, 0x1p-30), tiny, better), number));
}

/// The number whose erf is x.
template <class T>
T erfinv(const T& x) {
    return by_width(
        x, [](const auto& v) { return erfinv_single(v); }, [](const auto& v) { return erfinv_wide(v); });
}

}  // namespace frisket::formulas
