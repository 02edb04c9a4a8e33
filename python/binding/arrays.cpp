// SPDX-License-Identifier: MIT
// Reads arrays through DLPack's C exchange API, the buffer protocol or __dlpack__, whichever the type has.
#include "arrays.hpp"

#include "../../runtime/io/dlpack.hpp"
#include "masked_tensors.hpp"
#include "numpy_arrays.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace frisket::python {

namespace {

std::string type_name(PyObject* object) {
    return nb::cast<std::string>(nb::handle((PyObject*)Py_TYPE(object)).attr("__name__"));
}

/// True if the type, or one that it derives from, has this name in a module that begins with `package`.
bool derives_from(PyTypeObject* type, std::string_view package, std::string_view name) {
    for (const nb::handle base : nb::handle((PyObject*)type).attr("__mro__")) {
        if (nb::cast<std::string>(base.attr("__name__")) != name) continue;
        if (nb::cast<std::string>(base.attr("__module__")).starts_with(package)) return true;
    }
    return false;
}

/// True for objects that fk.asmasked converts.
bool is_masked_container(PyTypeObject* type) {
    const nb::handle handle((PyObject*)type);
    return derives_from(type, "numpy.ma", "MaskedArray") || derives_from(type, "scipy.sparse", "sparray") ||
           derives_from(type, "scipy.sparse", "spmatrix") || derives_from(type, "marray", "MArray") ||
           derives_from(type, "torch.masked", "MaskedTensor") || nb::hasattr(handle, "__arrow_c_array__") ||
           nb::hasattr(handle, "__arrow_c_stream__");
}

const DLPackExchangeAPI* exchange_api_of(PyTypeObject* type) {
    const nb::handle handle((PyObject*)type);
    if (!nb::hasattr(handle, "__dlpack_c_exchange_api__")) return nullptr;
    const nb::object capsule = handle.attr("__dlpack_c_exchange_api__");
    const auto* api =
        static_cast<const DLPackExchangeAPI*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    if (api == nullptr) PyErr_Clear();
    return api != nullptr && api->header.version.major == DLPACK_MAJOR_VERSION ? api : nullptr;
}

ArrayType examined(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    ArrayType row{.type = type};
    if (nb::isinstance<Array>(object))
        row.access = Access::array;
    else if (nb::isinstance<Masked>(object))
        row.access = Access::masked;
    else if (nb::isinstance<Number>(object))
        row.access = Access::state;
    else if (is_masked_container(type))
        row.access = Access::convertible;
    else if ((row.api = exchange_api_of(type)) != nullptr)
        row.access = Access::exchange;
    else if (derives_from(type, "numpy", "generic"))
        row.access = Access::number;
    else if (is_numpy_type(type))
        row.access = Access::numpy;
    else if (PyObject_CheckBuffer(object) != 0)
        row.access = Access::buffer;
    else if (nb::hasattr((PyObject*)type, "__dlpack__"))
        row.access = Access::dlpack;
    return row;
}

[[noreturn]] void refuse_format(const char* format) {
    throw DTypeError("an array has elements of format \"" + std::string(format) +
                     "\", wanted bool, uint8, int32, int64, float16, float32 or float64 in the byte order of "
                     "this machine: write x.astype(\"float32\")");
}

DType dtype_of_format(const char* format, Py_ssize_t size) {
    const char* letter = format;
    if (*letter == '@' || *letter == '=' || *letter == '<') ++letter;
    if (letter[0] != '\0' && letter[1] == '\0') switch (*letter) {
            case '?': return DType::boolean;
            case 'f': return DType::float32;
            case 'd': return DType::float64;
            case 'e': return DType::float16;
            case 'B': return DType::uint8;
            case 'i': return DType::int32;
            case 'l':
            case 'q': return size == 8 ? DType::int64 : DType::int32;
            default: break;
        }
    refuse_format(format);
}

/// A tensor over an open buffer.
AnyTensor tensor_of(const Py_buffer& view, std::shared_ptr<void> owner) {
    const DType dtype = dtype_of_format(view.format == nullptr ? "B" : view.format, view.itemsize);
    Shape shape(view.shape, view.shape + view.ndim);
    Strides strides(static_cast<std::size_t>(view.ndim));
    for (int i = 0; i < view.ndim; ++i) {
        if (view.strides[i] % view.itemsize != 0)
            throw ValueError("an array has a stride of " + std::to_string(view.strides[i]) +
                             " bytes, no multiple of its elements' size: write np.ascontiguousarray(x)");
        strides[static_cast<std::size_t>(i)] = view.strides[i] / view.itemsize;
    }
    return {dtype, view.buf, std::move(shape), std::move(strides), view.readonly == 0, std::move(owner)};
}

void open_buffer(PyObject* object, Py_buffer& view) {
    if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) throw nb::python_error();
}

AnyTensor borrow_buffer(PyObject* object) {
    Py_buffer view;
    open_buffer(object, view);
    const std::unique_ptr<Py_buffer, decltype(&PyBuffer_Release)> open(&view, &PyBuffer_Release);
    return tensor_of(view, nullptr);
}

/// Runs `release` with the interpreter's lock, or not at all once the interpreter has ended.
template <class Release>
void with_interpreter(const Release& release) {
    if (Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire lock;
    release();
}

AnyTensor hold_buffer(PyObject* object) {
    auto view = std::make_unique<Py_buffer>();
    open_buffer(object, *view);
    const std::shared_ptr<Py_buffer> owner(view.release(), [](Py_buffer* open) {
        with_interpreter([&] { PyBuffer_Release(open); });
        delete open;
    });
    return tensor_of(*owner, owner);
}

/// A name that attributes are looked up by, made once.
PyObject* interned(const char* name, PyObject*& made) {
    if (made == nullptr) made = PyUnicode_InternFromString(name);
    return made;
}
constinit PyObject *is_neg = nullptr, *requires_grad_name = nullptr;

bool is_negative(PyObject* object) {
    const nb::object found =
        nb::steal(PyObject_CallMethodObjArgs(object, interned("is_neg", is_neg), nullptr));
    if (!found.is_valid()) throw nb::python_error();
    return found.ptr() == Py_True;
}

void check_no_gradient(PyObject* object) {
    if (nb::handle(object).attr(interned("requires_grad", requires_grad_name)).ptr() == Py_True)
        throw ValueError(
            "a torch tensor requires grad, and gradients do not pass through this call: write x.detach()");
}

/// Refuses an array whose library failed to describe its memory, with the text of that failure.
[[noreturn]] void refuse_memory(PyObject* object, const nb::python_error& failure) {
    if (!failure.matches(PyExc_Exception)) throw failure;
    const std::string text = nb::cast<std::string>(nb::str(failure.value()));
    throw BindingError("an array of type " + type_name(object) + " gives no memory to read: " +
                       text.substr(0, text.find('\n')) + ": write np.asarray(x), or x.dequantize() of torch");
}

/// The memory of a torch tensor, which may require grad; nothing if its layout is sparse.
std::optional<AnyTensor> exchanged(PyObject* object, const DLPackExchangeAPI& api,
                                   std::shared_ptr<void> owner) {
    DLTensor view;
    if (api.dltensor_from_py_object_no_sync(object, &view) != 0) {
        const nb::python_error failure;
        const nb::object layout = nb::handle(object).attr("layout");
        if (nb::cast<std::string>(nb::repr(layout)) != "torch.strided") return {};
        refuse_memory(object, failure);
    }
    // Its memory alone does not show this.
    if (is_negative(object))
        throw ValueError("a torch tensor has its negative bit set: write x.resolve_neg()");
    if (view.device.device_type != kDLCPU)
        throw TargetError("a tensor lives on a device, and the Python package reads memory of the processor: "
                          "write x.cpu()");
    const DLPackView seen = view_dlpack(&view);
    Shape shape(seen.shape, seen.shape + seen.rank);
    Strides strides =
        seen.strides != nullptr ? Strides(seen.strides, seen.strides + seen.rank) : contiguous_strides(shape);
    return AnyTensor(seen.dtype, seen.data, std::move(shape), std::move(strides), true, std::move(owner));
}

/// Takes what a capsule holds.
template <class Managed>
AnyTensor taken(PyObject* capsule, const char* name, const char* used) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    if (managed == nullptr) throw nb::python_error();
    AnyTensor tensor = from_dlpack(managed);
    if (PyCapsule_SetName(capsule, used) != 0) throw nb::python_error();
    return tensor;
}

AnyTensor taken_dlpack(PyObject* object) {
    const nb::object method = nb::handle(object).attr("__dlpack__");
    nb::object capsule;
    try {
        capsule = method(nb::arg("max_version") = nb::make_tuple(1, 1));
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) throw;
        capsule = method();
    }
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0)
        return taken<DLManagedTensorVersioned>(capsule.ptr(), "dltensor_versioned",
                                               "used_dltensor_versioned");
    return taken<DLManagedTensor>(capsule.ptr(), "dltensor", "used_dltensor");
}

AnyTensor take_dlpack(PyObject* object) {
    try {
        return taken_dlpack(object);
    } catch (const nb::python_error& failure) { refuse_memory(object, failure); }
}

[[noreturn]] void refuse_sparse() {
    throw BindingError("a sparse torch tensor stands where a dense array is wanted: write x.to_dense()");
}

AnyTensor borrow_exchanged(PyObject* object, const DLPackExchangeAPI& api, std::shared_ptr<void> owner) {
    check_no_gradient(object);
    std::optional<AnyTensor> tensor = exchanged(object, api, std::move(owner));
    if (!tensor) refuse_sparse();
    return *std::move(tensor);
}

[[noreturn]] void refuse(PyObject* object) {
    throw BindingError("a value of type " + type_name(object) +
                       " is no array: write np.asarray(x), or fk.masked(values, mask)");
}

}  // namespace

const ArrayType& array_type_of(PyObject* object) {
    static std::array<ArrayType, 32> known;
    static std::size_t count = 0;
    static ArrayType last;
    PyTypeObject* type = Py_TYPE(object);
    for (std::size_t i = 0; i < count; ++i)
        if (known[i].type == type) return known[i];
    const ArrayType found = examined(object);
    if (count == known.size()) return last = found;
    Py_INCREF((PyObject*)type);
    return known[count++] = found;
}

AnyTensor borrow(PyObject* object) {
    const ArrayType& row = array_type_of(object);
    switch (row.access) {
        case Access::array: return nb::inst_ptr<Array>(object)->tensor;
        case Access::exchange: return borrow_exchanged(object, *row.api, nullptr);
        case Access::numpy:
            if (std::optional<AnyTensor> tensor = numpy_memory(object, nullptr)) return *std::move(tensor);
            return borrow_buffer(object);  // refuses it with a sentence
        case Access::buffer:
        case Access::number: return borrow_buffer(object);
        case Access::dlpack: return take_dlpack(object);
        default: refuse(object);
    }
}

std::optional<AnyTensor> borrow_torch(PyObject* object, RequiresGrad requires_grad) {
    const ArrayType& row = array_type_of(object);
    if (row.access != Access::exchange) refuse(object);
    if (requires_grad == RequiresGrad::refused) check_no_gradient(object);
    return exchanged(object, *row.api, nullptr);
}

bool is_torch_memory(PyObject* object, const AnyTensor& known) {
    const ArrayType& row = array_type_of(object);
    DLTensor view;
    if (row.access != Access::exchange || row.api->dltensor_from_py_object_no_sync(object, &view) != 0) {
        PyErr_Clear();
        return false;
    }
    const DLPackView seen = view_dlpack(&view);
    const auto rank = static_cast<std::size_t>(seen.rank);
    return seen.data == known.address() && seen.dtype == known.dtype() && rank == known.shape().size() &&
           std::equal(seen.shape, seen.shape + rank, known.shape().begin()) &&
           (seen.strides == nullptr ? known.is_contiguous()
                                    : std::equal(seen.strides, seen.strides + rank, known.strides().begin()));
}

AnyTensor hold(nb::handle object) {
    const ArrayType& row = array_type_of(object.ptr());
    if (row.access == Access::buffer || row.access == Access::number) return hold_buffer(object.ptr());
    if (row.access != Access::exchange && row.access != Access::numpy) return borrow(object.ptr());
    auto* held = new nb::object(nb::borrow(object));
    std::shared_ptr<void> owner(held, [](nb::object* kept) { with_interpreter([&] { delete kept; }); });
    if (row.access == Access::exchange) return borrow_exchanged(object.ptr(), *row.api, std::move(owner));
    if (std::optional<AnyTensor> tensor = numpy_memory(object.ptr(), std::move(owner)))
        return *std::move(tensor);
    return hold_buffer(object.ptr());
}

nb::object array_of(AnyTensor tensor, PyObject* like) {
    const ArrayType* row = like == nullptr ? nullptr : &array_type_of(like);
    if (row != nullptr && row->access == Access::exchange) {
        void* made = nullptr;
        if (row->api->managed_tensor_to_py_object_no_sync(to_dlpack(tensor), &made) != 0)
            throw nb::python_error();
        return nb::steal(static_cast<PyObject*>(made));
    }
    if (nb::object made = numpy_array_of(tensor); made.is_valid()) return made;
    static PyObject* const asarray = nb::module_::import_("numpy").attr("asarray").inc_ref().ptr();
    const bool is_known = tensor.dtype() != DType::bfloat16;
    nb::object made = nb::cast(Array{std::move(tensor)});
    return is_known ? nb::handle(asarray)(made) : made;
}

}  // namespace frisket::python
