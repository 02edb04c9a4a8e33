// SPDX-License-Identifier: MIT
// Lists the dtypes, and defines the floats of 16 bits.
#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>

namespace frisket {

/// A binary floating-point number of 16 bits, for storage: it widens to float by itself and exactly, so that
/// arithmetic is float's, and numbers are rounded to it when one asks (to nearest, ties to even; a number
/// that is too large becomes infinite, a NaN stays one).
template <int ExponentBits, int MantissaBits>
class SmallFloat {
    static_assert(1 + ExponentBits + MantissaBits == 16);

public:
    /// Zero.
    SmallFloat() = default;
    /// The nearest number, ties to even.
    explicit constexpr SmallFloat(float number) : bits_(rounded(static_cast<double>(number))) {}
    /// The number nearest to one of any arithmetic type, rounded once.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    explicit constexpr SmallFloat(Number number) : bits_(rounded(exact_enough(number))) {}
    /// The number with these bits.
    static constexpr SmallFloat from_bits(std::uint16_t bits) {
        SmallFloat number;
        number.bits_ = bits;
        return number;
    }

    /// The bits as they are stored.
    constexpr std::uint16_t bits() const { return bits_; }
    /// The number as a float, exactly.
    constexpr operator float() const {
        if constexpr (ExponentBits == 8) {  // the upper half of a float
            return std::bit_cast<float>(std::uint32_t{bits_} << 16);
        } else {
            const std::uint32_t sign = std::uint32_t{bits_} >> 15 << 31;
            const std::uint32_t exponent = bits_ >> MantissaBits & most_exponent;
            const std::uint32_t mantissa = bits_ & ((1U << MantissaBits) - 1);
            const std::uint32_t fraction = mantissa << (23 - MantissaBits);
            if (exponent == most_exponent)  // infinite, or NaN
                return std::bit_cast<float>(sign | 0x7f80'0000U | fraction);
            if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 127 - bias) << 23 | fraction);
            const float magnitude =
                static_cast<float>(mantissa) / static_cast<float>(1U << (bias - 1 + MantissaBits));
            return sign != 0 ? -magnitude : magnitude;
        }
    }

private:
    static constexpr std::uint32_t most_exponent = (1U << ExponentBits) - 1;
    static constexpr std::uint32_t bias = most_exponent >> 1;

    /// A double that is rounded to the same result as the number.
    template <class Number>
    static constexpr double exact_enough(Number number) {
        if constexpr (std::integral<Number> && sizeof(Number) == 8) {
            // Integers of more than a double's 53 bits keep them, the last bit odd if any lower bit was set.
            const bool is_negative = number < 0;
            const auto bits = static_cast<std::uint64_t>(number);
            const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
            const int lost = std::bit_width(magnitude) - 53;
            if (lost > 0) {
                const std::uint64_t kept = magnitude >> lost << lost;
                const std::uint64_t sticky = kept != magnitude ? std::uint64_t{1} << lost : 0;
                const auto odd = static_cast<double>(kept | sticky);
                return is_negative ? -odd : odd;
            }
        }
        return static_cast<double>(number);
    }

    /// The bits of the nearest number; from a double, which holds every float and most integers exactly.
    static constexpr std::uint16_t rounded(double number) {
        const auto from = std::bit_cast<std::uint64_t>(number);
        const auto sign = static_cast<std::uint16_t>(from >> 63 << 15);
        const auto infinite = static_cast<std::uint16_t>(sign | most_exponent << MantissaBits);
        const int from_exponent = static_cast<int>(from >> 52 & 0x7ff);
        const std::uint64_t fraction = from & 0xf'ffff'ffff'ffff;
        if (from_exponent == 0x7ff) {
            if (fraction == 0) return infinite;
            const auto payload = static_cast<std::uint16_t>(fraction >> (52 - MantissaBits));
            return static_cast<std::uint16_t>(infinite | 1U << (MantissaBits - 1) | payload);
        }
        int exponent = from_exponent - 1023 + static_cast<int>(bias), shift = 52 - MantissaBits;
        if (exponent > static_cast<int>(most_exponent)) return infinite;
        if (exponent < 1) {  // denormal: fewer bits are left
            shift += 1 - exponent;
            exponent = 1;
        }
        if (shift > 53) return sign;  // less than half of the smallest number
        const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
        const std::uint64_t half = std::uint64_t{1} << (shift - 1);
        const std::uint64_t rest = significand & (2 * half - 1);
        std::uint64_t kept = significand >> shift;
        if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
        // The leading 1 of `kept`, if there is one, adds to the exponent; so does a carry.
        const std::uint64_t magnitude = (static_cast<std::uint64_t>(exponent - 1) << MantissaBits) + kept;
        return magnitude >= most_exponent << MantissaBits ? infinite
                                                          : static_cast<std::uint16_t>(sign | magnitude);
    }

    std::uint16_t bits_ = 0;
};

/// IEEE 754 binary16: 5 bits of exponent, 11 of precision, up to 65504.
using float16 = SmallFloat<5, 10>;
/// The upper half of a float: its range, 8 bits of precision.
using bfloat16 = SmallFloat<8, 7>;

/// x in another type.  A float becomes an integer by cutting; a value that does not fit, and NaN, becomes the
/// lowest integer.  Between integers the low bits stay; bool is whether x differs from 0.
template <class To, class From>
constexpr To converted(From x) {
    if constexpr (std::same_as<From, float16> || std::same_as<From, bfloat16>) {
        return converted<To>(static_cast<float>(x));
    } else if constexpr (std::floating_point<From> && std::integral<To> && !std::same_as<To, bool>) {
        // Powers of 2, exact in every float; the comparisons are false for NaN.
        using Int = std::conditional_t<(sizeof(To) < 4), std::int32_t, To>;
        constexpr double end = -static_cast<double>(std::numeric_limits<Int>::min());
        const From cut = std::trunc(x);
        const bool fits = cut >= static_cast<From>(-end) && cut < static_cast<From>(end);
        return static_cast<To>(fits ? static_cast<Int>(cut) : std::numeric_limits<Int>::min());
    } else {
        return static_cast<To>(x);
    }
}

/// Element types.  The types that values are computed in are listed in promotion order: the later one of two
/// holds the result.
enum class DType : std::uint8_t { boolean, uint8, int32, int64, float32, float64, float16, bfloat16 };

/// True for floats that are only for storage.
constexpr bool has_16_bits(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

/// A row of the table of dtypes.
struct DTypeInfo {
    DType dtype;
    std::string_view name;  ///< as users read it, "float32"
    int bytes;              ///< size of one element
    bool is_float;
    DType compute;  ///< dtype in which its values are computed; another one: this dtype is for storage only
};

/// THE table of dtypes, in the order of the enumeration.
inline constexpr DTypeInfo dtypes[] = {
    {.dtype = DType::boolean, .name = "bool", .bytes = 1, .is_float = false, .compute = DType::boolean},
    {.dtype = DType::uint8, .name = "uint8", .bytes = 1, .is_float = false, .compute = DType::int32},
    {.dtype = DType::int32, .name = "int32", .bytes = 4, .is_float = false, .compute = DType::int32},
    {.dtype = DType::int64, .name = "int64", .bytes = 8, .is_float = false, .compute = DType::int64},
    {.dtype = DType::float32, .name = "float32", .bytes = 4, .is_float = true, .compute = DType::float32},
    {.dtype = DType::float64, .name = "float64", .bytes = 8, .is_float = true, .compute = DType::float64},
    {.dtype = DType::float16, .name = "float16", .bytes = 2, .is_float = true, .compute = DType::float32},
    {.dtype = DType::bfloat16, .name = "bfloat16", .bytes = 2, .is_float = true, .compute = DType::float32},
};

namespace detail {
[[noreturn]] void refuse_dtype(DType dtype);
}

/// Errors: DTypeError if a number that is no dtype was cast to one; so all that take a dtype.
constexpr const DTypeInfo& info_of(DType dtype) {
    if (static_cast<std::size_t>(dtype) >= std::size(dtypes)) detail::refuse_dtype(dtype);
    return dtypes[static_cast<std::size_t>(dtype)];
}
/// The name of a dtype, "float32". Errors: as info.
constexpr std::string_view name_of(DType dtype) { return info_of(dtype).name; }
/// The dtype of a name.  Errors: DTypeError if no dtype has this name.
DType parse_dtype(std::string_view name);
/// Bytes of an element.  Errors: as info.
constexpr int bytes_of(DType dtype) { return info_of(dtype).bytes; }
/// The dtype in which values of `dtype` are computed.
constexpr DType compute_dtype(DType dtype) { return info_of(dtype).compute; }

namespace detail {
template <class T>
struct DTypeOf;
template <> struct DTypeOf<bool> { static constexpr DType value = DType::boolean; };
template <> struct DTypeOf<std::uint8_t> { static constexpr DType value = DType::uint8; };
template <> struct DTypeOf<std::int32_t> { static constexpr DType value = DType::int32; };
template <> struct DTypeOf<std::int64_t> { static constexpr DType value = DType::int64; };
template <> struct DTypeOf<float> { static constexpr DType value = DType::float32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::float64; };
template <> struct DTypeOf<float16> { static constexpr DType value = DType::float16; };
template <> struct DTypeOf<bfloat16> { static constexpr DType value = DType::bfloat16; };
}  // namespace detail

namespace detail {
/// The sentence that refuses other types of elements.
#define FRISKET_SAYS_ELEMENTS                                                                                \
    "frisket: elements are float, double, float16, bfloat16, bool, std::uint8_t, int32_t or int64_t"

/// True for the types of elements.
template <class T>
inline constexpr bool is_element = requires { DTypeOf<T>::value; };

/// Any dtype for a type that is no element, which its caller refuses.
template <class T>
consteval DType dtype_of_element() {
    if constexpr (is_element<T>)
        return DTypeOf<T>::value;
    else
        return DType::float32;
}

/// Refused for a type that is no element: the message lists the element types.
template <class T>
consteval DType element_dtype() {
    static_assert(is_element<T>, FRISKET_SAYS_ELEMENTS);
    return dtype_of_element<T>();
}
}  // namespace detail

/// The dtype of a C++ element type; `const` is looked through.
template <class T>
inline constexpr DType dtype_of = detail::element_dtype<T>();
template <class T>
inline constexpr DType dtype_of<const T> = detail::DTypeOf<T>::value;

/// Calls `body.template operator()<T>()` with the C++ type of `dtype`.
template <class Body>
decltype(auto) dispatch(DType dtype, Body&& body) {
    switch (dtype) {
        case DType::boolean: return body.template operator()<bool>();
        case DType::uint8: return body.template operator()<std::uint8_t>();
        case DType::int32: return body.template operator()<std::int32_t>();
        case DType::int64: return body.template operator()<std::int64_t>();
        case DType::float32: return body.template operator()<float>();
        case DType::float16: return body.template operator()<float16>();
        case DType::bfloat16: return body.template operator()<bfloat16>();
        case DType::float64: return body.template operator()<double>();
    }
    detail::refuse_dtype(dtype);
}

/// Ways to put elements together, of reductions, scans and scatters.
enum class Reduction : std::uint8_t {
    sum,
    prod,
    amin,
    amax,
    any,
    all,
    argmin,
    argmax,
    /// The sum of products of two factors, as matrices have it: for floats in ascending order of the reduced
    /// indices by fused multiply-adds from +0 on; sums of limits::product_panel indices are added in float64.
    contract
};

}  // namespace frisket
