// SPDX-License-Identifier: MIT
// NumPy's arrays through its C API, which a capsule gives at run time: no header of NumPy is needed.
#pragma once
#include "arrays.hpp"

#include <memory>
#include <optional>

namespace frisket::python {

/// True for numpy.ndarray and for types that derive from it, if this NumPy has an API that is known.
bool is_numpy_type(PyTypeObject* type);
/// The memory of an array of such a type; nothing if its dtype, byte order or strides need a sentence.
std::optional<AnyTensor> numpy_memory(PyObject* array, std::shared_ptr<void> owner);
/// A tensor as a NumPy array, which keeps it alive; a null object if NumPy lacks the dtype or the API.
nb::object numpy_array_of(const AnyTensor& tensor);

}  // namespace frisket::python
