// SPDX-License-Identifier: MIT
#include "value.hpp"

#include <limits>

using namespace frisket;

namespace conformance {

namespace {

/// The storage of a coo case, as it stands there.
AnyMasked coo_of(DType dtype, const Json& json) {
    const auto indices = json.at("indices").get<std::vector<std::vector<std::int64_t>>>();
    const Json& values = json.at("values");
    const Shape stored{static_cast<std::int64_t>(values.size())};
    return AnyMasked::coo(shape_of(json), indices, tensor_of(dtype, stored, values));
}

Value masked_of(const Json& json) {
    Value value{.kind = ValueKind::masked, .dtype = dtype_of(json)};
    const std::string layout = json.at("layout");
    if (json.contains("values_mask") && layout == "coo") throw Skip{"values_mask of layout coo"};
    if (layout == "coo") {
        value.masked = coo_of(value.dtype, json);
    } else if (layout == "strided") {
        const Shape shape = shape_of(json);
        value.masked = AnyMasked::strided(tensor_of(value.dtype, shape, json.at("data")),
                                          tensor_of(DType::boolean, shape, json.at("mask")));
    } else {
        throw Skip{"layout " + layout};
    }
    return value;
}

Value scalar_of(const Json& json) {
    Value value{.kind = ValueKind::scalar};
    const std::string dtype = json.at("dtype");
    const Json& number = json.at("value");
    value.dtype = dtype == "int64" ? DType::int64 : dtype == "bool" ? DType::boolean : DType::float64;
    value.number = number_of(number);
    value.integer = number.is_number_integer() ? number.get<std::int64_t>() : 0;
    return value;
}

}  // namespace

double number_of(const Json& json) {
    if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
    if (!json.is_string()) return json.get<double>();
    const std::string text = json;
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

DType dtype_of(const Json& json) {
    const std::string name = json.at("dtype");
    if (name == "float32") return DType::float32;
    if (name == "float64") return DType::float64;
    if (name == "bool") return DType::boolean;
    if (name == "int32") return DType::int32;
    if (name == "int64") return DType::int64;
    throw Skip{"elements of " + name};
}

Shape shape_of(const Json& json) { return json.at("shape").get<Shape>(); }

/// Whole numbers beyond 2^53 stay exact.
template <class T>
T element_of(const Json& json) {
    if (std::is_integral_v<T> && json.is_number_integer()) return static_cast<T>(json.get<std::int64_t>());
    return static_cast<T>(number_of(json));
}

AnyTensor tensor_of(DType dtype, const Shape& shape, const Json& data) {
    AnyTensor tensor(dtype, shape);
    dispatch(dtype, [&]<class T>() {
        T* elements = static_cast<T*>(tensor.data());
        for (std::size_t i = 0; i < data.size(); ++i) elements[i] = element_of<T>(data[i]);
    });
    return tensor;
}

Value value_of(const Json& json) {
    const std::string kind = json.at("kind");
    if (kind == "scalar") return scalar_of(json);
    if (kind == "masked") return masked_of(json);
    Value value{.kind = ValueKind::dense, .dtype = dtype_of(json)};
    value.tensor = tensor_of(value.dtype, shape_of(json), json.at("data"));
    return value;
}

AnyMasked with_layout(const AnyMasked& masked, Layout layout) {
    try {
        return masked.to(layout);
    } catch (const LayoutError&) { throw Skip{"inputs that the layout asked for cannot hold"}; }
}

}  // namespace conformance
