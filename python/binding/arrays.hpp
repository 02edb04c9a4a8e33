// SPDX-License-Identifier: MIT
// Arrays of Python libraries as tensors, without a copy, and tensors as arrays.
#pragma once
#include "../../runtime/tensor/masked_tensor.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

struct DLPackExchangeAPI;

namespace frisket::python {

namespace nb = nanobind;

/// Ways to read the objects of a Python type.
enum class Access : std::uint8_t {
    none,        ///< no array
    array,       ///< a tensor of ours that was given to Python
    masked,      ///< a masked tensor of ours
    exchange,    ///< DLPack's C exchange API of the type: torch.Tensor
    numpy,       ///< the fields of numpy.ndarray
    buffer,      ///< the buffer protocol
    dlpack,      ///< the method __dlpack__
    number,      ///< a NumPy scalar
    state,       ///< a number that a step keeps: fk.Number
    convertible  ///< masked containers of other libraries, which frisket.interop converts
};

/// A Python type and how its objects are read.  A type is examined once.
struct ArrayType {
    PyTypeObject* type = nullptr;
    Access access = Access::none;
    const DLPackExchangeAPI* api = nullptr;
};
const ArrayType& array_type_of(PyObject* object);

/// A number that a step reads and writes; the class Number of Python.
struct Number { double value = 0; };

/// A dense tensor as a Python object with the buffer protocol and __dlpack__.
struct Array { AnyTensor tensor; };

/// The memory of an array; the object must outlive the tensor.
/// Errors: BindingError for an object that is no array; DTypeError, TargetError, ValueError for arrays that
/// cannot be read.
AnyTensor borrow(PyObject* object);
/// The memory of an array, which the tensor keeps alive.  Errors: as borrow.
AnyTensor hold(nb::handle object);
/// Meanings of a torch tensor's requires_grad.
enum class RequiresGrad : std::uint8_t { refused, ignored };
/// The memory of a torch tensor, which must outlive the result; nothing if its layout is sparse.
/// Errors: as borrow.
std::optional<AnyTensor> borrow_torch(PyObject* object, RequiresGrad requires_grad);
/// True if a torch tensor has the memory, the dtype, the shape and the strides of `known`.
bool is_torch_memory(PyObject* object, const AnyTensor& known);
/// A tensor as an array of the library of `like`: a torch tensor, or a NumPy array.
nb::object array_of(AnyTensor tensor, PyObject* like = nullptr);

/// Classes Array and its functions.
void add_arrays(nb::module_& module);

}  // namespace frisket::python
