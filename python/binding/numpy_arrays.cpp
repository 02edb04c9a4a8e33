// SPDX-License-Identifier: MIT
// The fields and functions used here are part of NumPy's binary interface, of versions 1 and 2 alike.
#include "numpy_arrays.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace frisket::python {

namespace {

/// The fields of numpy.dtype, as far as they are read.
struct NumpyDescr {
    PyObject_HEAD PyTypeObject* scalar_type;
    char kind, code, byte_order, former_flags;
    int type_number;
};

/// The fields of numpy.ndarray.
struct NumpyArray {
    PyObject_HEAD char* data;
    int rank;
    Py_ssize_t* extents;
    Py_ssize_t* strides;
    PyObject* base;
    NumpyDescr* descr;
    int flags;
};

constexpr int is_aligned = 0x0100, is_writeable = 0x0400;

/// Numbers of dtypes in NumPy.  int64 has two: arrays are made with the first.
struct NumpyDType {
    int number;
    DType dtype;
};
constexpr std::array<NumpyDType, 8> numpy_dtypes{{{0, DType::boolean},
                                                  {2, DType::uint8},
                                                  {5, DType::int32},
                                                  {7, DType::int64},
                                                  {9, DType::int64},
                                                  {11, DType::float32},
                                                  {12, DType::float64},
                                                  {23, DType::float16}}};

using NewArray = PyObject* (*)(PyTypeObject*, int, const Py_ssize_t*, int, const Py_ssize_t*, void*, int, int,
                               PyObject*);
using SetBase = int (*)(PyObject*, PyObject*);

/// Functions of NumPy; a null type if they are not there.
struct NumpyApi {
    PyTypeObject* array = nullptr;
    NewArray make = nullptr;
    SetBase set_base = nullptr;
};

nb::object capsule() {
    for (const char* const module : {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
        const nb::object found = nb::steal(PyImport_ImportModule(module));
        if (found.is_valid()) return found.attr("_ARRAY_API");
        PyErr_Clear();
    }
    return {};
}

NumpyApi loaded() {
    const nb::object held = capsule();
    void** const table =
        held.is_valid() ? static_cast<void**>(PyCapsule_GetPointer(held.ptr(), nullptr)) : nullptr;
    if (table == nullptr) {
        PyErr_Clear();
        return {};
    }
    const unsigned version = reinterpret_cast<unsigned (*)()>(table[0])();
    if (version != 0x1000009 && version != 0x2000000) return {};
    return {.array = static_cast<PyTypeObject*>(table[2]),
            .make = reinterpret_cast<NewArray>(table[93]),
            .set_base = reinterpret_cast<SetBase>(table[282])};
}

/// Loaded when it is first asked for, with the interpreter's lock.
constinit NumpyApi api;
constinit bool is_loaded = false;

const NumpyApi& numpy() {
    if (!is_loaded) api = loaded();
    is_loaded = true;
    return api;
}

void free_tensor(PyObject* held) { delete static_cast<AnyTensor*>(PyCapsule_GetPointer(held, nullptr)); }

}  // namespace

bool is_numpy_type(PyTypeObject* type) {
    PyTypeObject* const array = numpy().array;
    return array != nullptr && (type == array || PyType_IsSubtype(type, array) != 0);
}

std::optional<AnyTensor> numpy_memory(PyObject* array, std::shared_ptr<void> owner) {
    const auto& from = *reinterpret_cast<const NumpyArray*>(array);
    const char order = from.descr->byte_order;
    if ((from.flags & is_aligned) == 0 || (order != '=' && order != '|' && order != '<')) return {};
    const NumpyDType* row = nullptr;
    for (const NumpyDType& one : numpy_dtypes)
        if (one.number == from.descr->type_number) row = &one;
    if (row == nullptr) return {};
    const Py_ssize_t bytes = info_of(row->dtype).bytes;
    const auto rank = static_cast<std::size_t>(from.rank);
    Shape shape(from.extents, from.extents + rank);
    Strides strides(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        if (from.strides[d] % bytes != 0) return {};
        strides[d] = from.strides[d] / bytes;
    }
    return AnyTensor(row->dtype, from.data, std::move(shape), std::move(strides),
                     (from.flags & is_writeable) != 0, std::move(owner));
}

nb::object numpy_array_of(const AnyTensor& tensor) {
    constexpr std::size_t most_dims = 32;
    const Shape& shape = tensor.shape();
    const auto row = std::ranges::find(numpy_dtypes, tensor.dtype(), &NumpyDType::dtype);
    // NumPy would allocate memory for a null pointer.
    if (row == numpy_dtypes.end() || numpy().array == nullptr || shape.size() > most_dims ||
        tensor.data() == nullptr)
        return {};
    auto owner = std::make_unique<AnyTensor>(tensor);
    nb::object base = nb::steal(PyCapsule_New(owner.get(), nullptr, &free_tensor));
    if (!base.is_valid()) throw nb::python_error();
    owner.release();
    std::array<Py_ssize_t, most_dims> extents, strides;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        extents[d] = shape[d];
        strides[d] = tensor.strides()[d] * info_of(tensor.dtype()).bytes;
    }
    nb::object made =
        nb::steal(numpy().make(numpy().array, tensor.rank(), extents.data(), row->number, strides.data(),
                               tensor.data(), 0, tensor.is_writable() ? is_writeable : 0, nullptr));
    if (!made.is_valid() || numpy().set_base(made.ptr(), base.release().ptr()) != 0) throw nb::python_error();
    return made;
}

}  // namespace frisket::python
