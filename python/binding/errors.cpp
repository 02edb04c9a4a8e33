// SPDX-License-Identifier: MIT
// Errors of the library as classes of Python.
#include "errors.hpp"

#include "../../runtime/tensor/spelling.hpp"

#include <map>
#include <string>

namespace frisket::python {

namespace {

/// The class of each code, by its name; set by frisket.errors.
std::map<std::string, PyObject*, std::less<>>& classes() {
    static std::map<std::string, PyObject*, std::less<>> table;
    return table;
}

PyObject* class_of(ErrorCode code) {
    const auto found = classes().find(name_of(code));
    return found == classes().end() ? PyExc_RuntimeError : found->second;
}

void set_class(const std::string& code, nb::handle type) { classes()[code] = type.inc_ref().ptr(); }

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) { set_python_error(error); }
}

}  // namespace

void set_python_error(const Error& error) {
    PyErr_SetString(class_of(error.code()), runtime::python_spelling(error.text()).c_str());
}

void add_errors(nb::module_& module) {
    nb::register_exception_translator(&translate);
    module.def("python_spelling", &runtime::python_spelling, nb::arg("sentence"));
    module.def("set_error_class", &set_class, nb::arg("code"), nb::arg("type"));
}

}  // namespace frisket::python
