// SPDX-License-Identifier: MIT
// Kinds, dtypes and shapes of the arguments of a call: what decides which trace it has.
#include "descriptions.hpp"

#include "../../ir/tensor_ops/operations.hpp"

#include <string>
#include <vector>

namespace frisket::python {

namespace {

bool is_array(nb::handle object) {
    return PyBytes_Check(object.ptr()) == 0 && array_type_of(object.ptr()).access != Access::none;
}

/// (kind of a parameter, dtype, shape).
nb::tuple describe(nb::handle object) {
    const Given read = given(object.ptr());
    const auto described = [](const char* kind, DType dtype, const Shape& shape) {
        return nb::make_tuple(kind, std::string(name_of(dtype)), nb::tuple(nb::cast(shape)));
    };
    switch (read.kind) {
        case Given::Kind::masked: return described("Masked", read.masked->dtype(), read.masked->shape());
        case Given::Kind::tensor: return described("In", read.tensor->dtype(), read.tensor->shape());
        case Given::Kind::real: return described("Scalar", DType::float64, {});
        case Given::Kind::whole: return described("Scalar", DType::int64, {});
        case Given::Kind::state: return described("ScalarState", DType::float64, {});
        case Given::Kind::flag: break;
    }
    throw BindingError("a bool is no array and no number: it is part of a trace");
}

/// Kinds, dtypes and perhaps shapes of arguments.
nb::bytes key_of(const nb::list& leaves, bool with_shapes) {
    CallKey key;
    for (const nb::handle leaf : leaves) key.add(given(leaf.ptr()));
    const std::string_view text = with_shapes ? key.with_shapes() : key.without_shapes();
    return nb::bytes(text.data(), text.size());
}

std::vector<std::string> elementwise_names() {
    std::vector<std::string> names;
    for (const auto& [name, operation] : ir::operations())
        if (operation.is_elementwise()) names.push_back(name);
    return names;
}

}  // namespace

void CallKey::add(const Given& given) {
    const bool is_masked = given.kind == Given::Kind::masked;
    const DType dtype = is_masked ? given.masked->dtype() : given.tensor ? given.tensor->dtype() : DType();
    kinds_.push_back(static_cast<char>(given.kind));
    kinds_.push_back(static_cast<char>(dtype));
    if (given.is_number()) return;
    const auto add_word = [&](std::int64_t word) {
        shapes_.append(reinterpret_cast<const char*>(&word), sizeof word);
    };
    const Shape& shape = is_masked ? given.masked->shape() : given.tensor->shape();
    add_word(static_cast<std::int64_t>(shape.size()));
    for (const std::int64_t extent : shape) add_word(extent);
}

void add_descriptions(nb::module_& module) {
    module.def("is_array", &is_array);
    module.def("describe", &describe);
    module.def("key_of", &key_of);
    module.def("elementwise_names", &elementwise_names);
}

}  // namespace frisket::python
