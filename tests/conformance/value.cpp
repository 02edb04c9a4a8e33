// SPDX-License-Identifier: MIT
#include "value.hpp"

#include "storage.hpp"

#include <algorithm>
#include <limits>

using namespace frisket;

namespace conformance {

namespace {

Input scalar_of(const Json& json) {
    Input value{.kind = ValueKind::scalar, .dtype = dtype_of(json)};
    const Json& number = json.at("value");
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

DType parse_dtype(const std::string& name) {
    const auto* row = std::ranges::find(dtypes, name, &DTypeInfo::name);
    if (row == std::end(dtypes)) throw DTypeError("conformance: there is no dtype " + name);
    return row->dtype;
}

Shape shape_of(const Json& json) { return json.at("shape").get<Shape>(); }

AnyTensor tensor_of(DType dtype, const Shape& shape, const Json& data) {
    AnyTensor tensor(dtype, shape);
    dispatch(dtype, [&]<class T>() {
        T* elements = static_cast<T*>(tensor.data());
        for (std::size_t i = 0; i < data.size(); ++i) elements[i] = element_of<T>(data[i]);
    });
    return tensor;
}

Input value_of(const Json& json) {
    const std::string kind = json.at("kind");
    if (kind == "scalar") return scalar_of(json);
    if (kind == "masked")
        return {.kind = ValueKind::masked, .dtype = dtype_of(json), .masked = masked_of(json)};
    Input value{.kind = ValueKind::dense, .dtype = dtype_of(json)};
    value.tensor = tensor_of(value.dtype, shape_of(json), json.at("data"));
    return value;
}

AnyMasked with_layout(const AnyMasked& masked, Layout layout) {
    try {
        return masked.to(layout);
    } catch (const LayoutError&) { throw Skip{"inputs that the layout asked for cannot hold"}; }
}

}  // namespace conformance
