// SPDX-License-Identifier: MIT
// Numbers are read first, then arrays by their type.
#include "arguments.hpp"

#include "masked_tensors.hpp"

namespace frisket::python {

namespace {

std::int64_t integer_of(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0)
        throw DTypeError("an integer does not fit int64: write a float, or two smaller integers");
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
}

/// A NumPy scalar is a number: it takes the dtype of the other operand.
Given number_of(PyObject* object) {
    const nb::object plain = nb::handle(object).attr("item")();
    if (PyBool_Check(plain.ptr()) || PyFloat_Check(plain.ptr()) || PyLong_Check(plain.ptr()))
        return given(plain.ptr());
    throw DTypeError("a NumPy scalar is no bool, integer or float: write float(x)");
}

}  // namespace

Given converted(PyObject* object) {
    static PyObject* const asmasked =
        nb::module_::import_("frisket.interop").attr("asmasked").inc_ref().ptr();
    Given made{.kind = Given::Kind::masked};
    made.converted = nb::handle(asmasked)(nb::handle(object));
    made.masked = nb::inst_ptr<Masked>(made.converted);
    return made;
}

namespace {

Given given_torch(PyObject* object) {
    std::optional<AnyTensor> dense = borrow_torch(object, RequiresGrad::refused);
    if (!dense) return converted(object);
    return {.kind = Given::Kind::tensor, .tensor = std::move(dense)};
}

}  // namespace

Argument Given::argument() const {
    switch (kind) {
        case Kind::tensor: return Argument::borrow(*tensor);
        case Kind::masked: return Argument::borrow(*masked);
        case Kind::real: return real;
        case Kind::whole: return whole;
        case Kind::state: return Argument::state(*state);
        case Kind::flag: break;
    }
    throw BindingError("a bool is no number of a call: write 1.0 or 0.0, or an array of bool");
}

std::int64_t Given::size() const {
    return kind == Kind::tensor ? tensor->size() : kind == Kind::masked ? masked->size() : 0;
}

Given given(PyObject* object) {
    if (PyFloat_Check(object)) return {.kind = Given::Kind::real, .real = PyFloat_AsDouble(object)};
    if (PyBool_Check(object)) return {.kind = Given::Kind::flag, .whole = object == Py_True ? 1 : 0};
    if (PyLong_Check(object)) return {.kind = Given::Kind::whole, .whole = integer_of(object)};
    switch (array_type_of(object).access) {
        case Access::masked: return {.kind = Given::Kind::masked, .masked = nb::inst_ptr<Masked>(object)};
        case Access::convertible: return converted(object);
        case Access::number: return number_of(object);
        case Access::state:
            return {.kind = Given::Kind::state, .state = &nb::inst_ptr<Number>(object)->value};
        case Access::exchange: return given_torch(object);
        default: return {.kind = Given::Kind::tensor, .tensor = borrow(object)};
    }
}

AnyMasked masked_of(const Result& result) {
    if (result.listed) return *result.listed;
    const Shape& shape = result.values.shape();
    return AnyMasked::strided(
        result.values, result.mask->shape() == shape ? *result.mask : result.mask->broadcast_to(shape));
}

nb::object to_python(Result& result, PyObject* like) {
    if (result.mask || result.listed) return nb::cast(Masked(masked_of(result)));
    // Results of the interpreter may be memory of an operand.
    if (!result.values.is_writable()) result.values = result.values.clone();
    return array_of(std::move(result.values), like);
}

nb::list to_python(std::vector<Result>& results, PyObject* like) {
    nb::list made;
    for (Result& result : results) made.append(to_python(result, like));
    return made;
}

}  // namespace frisket::python
