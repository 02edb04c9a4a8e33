// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "float16.hpp"

namespace frisket {

/// Element types.  Those that values are computed in stand in promotion order: of two, the later one holds
/// the result.
enum class DType : std::uint8_t { boolean, uint8, int32, int64, float32, float64, float16, bfloat16 };

/// A row of the table of dtypes.
struct DTypeInfo {
    DType dtype;
    std::string_view name;  ///< as users read it, "float32"
    int bytes;              ///< of one element
    bool is_float;
    DType compute;  ///< what its values are computed in; another than itself: it is for storage only
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
constexpr const DTypeInfo& info(DType dtype) {
    if (static_cast<std::size_t>(dtype) >= std::size(dtypes)) detail::refuse_dtype(dtype);
    return dtypes[static_cast<std::size_t>(dtype)];
}
/// The name of a dtype, "float32". Errors: as info.
constexpr std::string_view name_of(DType dtype) { return info(dtype).name; }
/// Bytes of an element.  Errors: as info.
constexpr int bytes_of(DType dtype) { return info(dtype).bytes; }
/// The dtype in which values of `dtype` are computed.
constexpr DType compute_dtype(DType dtype) { return info(dtype).compute; }

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

/// The dtype of a C++ element type; `const` is looked through.
template <class T>
inline constexpr DType dtype_of = detail::DTypeOf<T>::value;
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

}  // namespace frisket
