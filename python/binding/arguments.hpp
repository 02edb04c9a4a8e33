// SPDX-License-Identifier: MIT
// Python objects as arguments of kernels and operands of expressions.
#pragma once
#include "../../ir/interpreter/interpret.hpp"
#include "arrays.hpp"
#include "interpreter_lock.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace frisket::python {

/// A Python object that was read: a number, or a handle to an array's memory.
struct Given {
    enum class Kind : std::uint8_t { tensor, masked, real, whole, flag, state };

    Kind kind = Kind::real;
    double real = 0;
    std::int64_t whole = 0;   ///< kinds whole, flag
    double* state = nullptr;  ///< kind state: a number that a step keeps
    std::optional<AnyTensor> tensor = {};
    const AnyMasked* masked = nullptr;
    nb::object converted = {};  ///< keeps `masked`, if it was converted from another library's

    bool is_number() const noexcept { return kind >= Kind::real; }
    /// Refers to this.  Errors: BindingError for a bool, which is no number of a call.
    Argument argument() const;
    /// Number of elements, specified or not.
    std::int64_t size() const;
};

/// Reads an object, which must outlive the result.
/// Errors: BindingError for what is neither a number nor an array; DTypeError for an integer that int64
/// cannot hold; those of borrow.
Given given(PyObject* object);

/// Reads a masked container of another library.  Errors: as fk.asmasked.
Given converted(PyObject* object);

/// The results of an expression, dense results as arrays of the library of `like`.
nb::list to_python(std::vector<Result>& results, PyObject* like);
nb::object to_python(Result& result, PyObject* like);
/// A masked tensor of a result that is masked.
AnyMasked masked_of(const Result& result);

/// Elements of a call from which on other Python threads run meanwhile.
inline constexpr std::int64_t elements_to_release = 16384;

/// Runs a call, without the interpreter's lock if it is long.
template <class Run>
auto released_if(bool is_long, const Run& run) {
    std::optional<ReleasedLock> release;
    if (is_long) release.emplace();
    return run();
}

}  // namespace frisket::python
