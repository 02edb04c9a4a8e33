// SPDX-License-Identifier: MIT
#pragma once
#include "../support/case_program.hpp"

#include <frisket/runtime.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// Values of the reference cases, as tensors.
namespace conformance {

using frisket::testing::Json;

/// Reason why a case does not run: it needs something that there is not yet.
struct Skip { std::string reason; };

enum class ValueKind { scalar, dense, masked };

/// An input: a number, a tensor, or a masked tensor in the layout that the case asks for.
struct Input {
    ValueKind kind = ValueKind::scalar;
    frisket::DType dtype = frisket::DType::float64;
    double number = 0;
    std::int64_t integer = 0;
    frisket::AnyTensor tensor = {};
    frisket::AnyMasked masked = {};

    const frisket::Shape& shape() const {
        return kind == ValueKind::masked ? masked.shape() : tensor.shape();
    }
};

/// A number of a case: "nan", "inf" and "-inf" are numbers.
double number_of(const Json& json);

/// A number of a case as an element; integers are read exactly.
template <class T>
T element_of(const Json& json) {
    if (std::is_integral_v<T> && json.is_number_integer()) return static_cast<T>(json.get<std::int64_t>());
    return static_cast<T>(number_of(json));
}

/// Errors: DTypeError.
frisket::DType parse_dtype(const std::string& name);
inline frisket::DType dtype_of(const Json& json) { return parse_dtype(json.at("dtype")); }
frisket::Shape shape_of(const Json& json);
/// A row-major tensor.
frisket::AnyTensor tensor_of(frisket::DType dtype, const frisket::Shape& shape, const Json& data);
/// Errors: the library's, for broken storage.
Input value_of(const Json& json);

/// Converts to another layout.  Errors: Skip if the layout cannot hold it.
frisket::AnyMasked with_layout(const frisket::AnyMasked& masked, frisket::Layout layout);

}  // namespace conformance
