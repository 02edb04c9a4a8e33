// SPDX-License-Identifier: MIT
// The class Array: a tensor that other libraries read through the buffer protocol or __dlpack__.
#include "../../runtime/io/dlpack.hpp"
#include "arrays.hpp"

#include <dlpack/dlpack.h>

#include <memory>
#include <string>

namespace frisket::python {

namespace {

/// Lists that a buffer refers to.
struct BufferLists { Shape shape, strides; };

const char* format_of(DType dtype) {
    switch (dtype) {
        case DType::boolean: return "?";
        case DType::uint8: return "B";
        case DType::int32: return "i";
        case DType::int64: return "q";
        case DType::float16: return "e";
        case DType::float32: return "f";
        case DType::float64: return "d";
        default: return nullptr;
    }
}

int open(PyObject* self, Py_buffer* view, int flags) {
    const AnyTensor& tensor = nb::inst_ptr<Array>(self)->tensor;
    const char* format = format_of(tensor.dtype());
    const bool is_writable = tensor.is_writable();
    const bool is_flat = (flags & PyBUF_STRIDES) != PyBUF_STRIDES && !tensor.is_contiguous();
    if (format == nullptr || is_flat || ((flags & PyBUF_WRITABLE) != 0 && !is_writable)) {
        PyErr_SetString(PyExc_BufferError, format == nullptr ? "frisket: buffers have no format for bfloat16"
                                           : is_flat ? "frisket: the tensor's elements are not contiguous"
                                                     : "frisket: the tensor is read-only");
        return -1;
    }
    const std::int64_t size = info_of(tensor.dtype()).bytes;
    auto lists = std::make_unique<BufferLists>(BufferLists{tensor.shape(), tensor.strides()});
    for (std::int64_t& stride : lists->strides) stride *= size;
    *view = Py_buffer{.buf = tensor.data(),
                      .obj = self,
                      .len = tensor.size() * size,
                      .itemsize = size,
                      .readonly = is_writable ? 0 : 1,
                      .ndim = tensor.rank(),
                      .format = const_cast<char*>(format),
                      .shape = reinterpret_cast<Py_ssize_t*>(lists->shape.data()),
                      .strides = reinterpret_cast<Py_ssize_t*>(lists->strides.data()),
                      .suboffsets = nullptr,
                      .internal = lists.get()};
    Py_INCREF(self);
    lists.release();
    return 0;
}

void close(PyObject* /*self*/, Py_buffer* view) { delete static_cast<BufferLists*>(view->internal); }

PyType_Slot array_slots[] = {
    {Py_bf_getbuffer, (void*)open}, {Py_bf_releasebuffer, (void*)close}, {0, nullptr}};

void free_capsule(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor_versioned") == 0) return;
    auto* managed =
        static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    managed->deleter(managed);
}

nb::object dlpack_of(const Array& array, const nb::kwargs& /*hints*/) {
    return nb::steal(PyCapsule_New(to_dlpack(array.tensor), "dltensor_versioned", &free_capsule));
}

}  // namespace

void add_arrays(nb::module_& module) {
    nb::class_<Array>(module, "Array", nb::type_slots(array_slots))
        .def_prop_ro("dtype", [](const Array& array) { return std::string(name_of(array.tensor.dtype())); })
        .def_prop_ro("shape", [](const Array& array) { return nb::tuple(nb::cast(array.tensor.shape())); })
        .def("__dlpack__", &dlpack_of)
        .def("__dlpack_device__", [](const Array&) { return nb::make_tuple(static_cast<int>(kDLCPU), 0); })
        .def("__repr__", [](const Array& array) { return to_string(array.tensor); });
    nb::class_<Number>(module, "Number")
        .def(
            "__init__", [](Number* number, double value) { new (number) Number{value}; },
            nb::arg("value") = 0.0)
        .def_rw("value", &Number::value)
        .def("__float__", [](const Number& number) { return number.value; })
        .def("__getstate__", [](const Number& number) { return number.value; })
        .def("__setstate__", [](Number& number, double value) { new (&number) Number{value}; })
        .def("__repr__", [](const Number& number) {
            return "Number(" + nb::cast<std::string>(nb::repr(nb::float_(number.value))) + ")";
        });
}

}  // namespace frisket::python
