// SPDX-License-Identifier: MIT
// Errors of the library as classes of Python.
#include "errors.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace frisket::python {

namespace {

/// The class of each code, by its name; set by frisket.errors.
std::map<std::string, PyObject*, std::less<>>& classes() {
    static std::map<std::string, PyObject*, std::less<>> table;
    return table;
}

/// Words of C++ in sentences, and what one writes in Python.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"x - mean(x, {1}, keepdim)", "fk.eval(lambda x: x - fk.mean(x, axis=1, keepdims=True), x)"},
    {"intersect(...) or unite(...)", "fk.intersect(fk.add, a, b) or fk.unite(fk.add, a, b)"},
    {" to_dense(", " fk.to_dense("},
    {" intersect(", " fk.intersect("},
    {" unite(", " fk.unite("},
    {"write on(", "write fk.on("},
    {" = ...)", ")[...] = ..."},
    {"everywhere(", "fk.everywhere("},
    {"over(", "fk.over("},
    {"cast<float>(x)", "fk.cast(x, \"float32\")"},
    {"cast<double>(x)", "fk.cast(x, \"float64\")"},
    {"cast<std::int64_t>(x)", "fk.cast(x, \"int64\")"},
    {".to<std::int64_t>()", "x.astype(\"int64\")"},
    {"give it a Tensor whose elements are not const", "write x.copy()"},
    {"Untouched::masked", "untouched=\"masked\""},
    {"Untouched::dense_equivalent", "untouched=\"dense_equivalent\""},
    {"Untouched::caught_up", "untouched=\"caught_up\""},
};

/// A sentence as Python spells it.
std::string spelled(std::string text) {
    for (const auto& [cpp, python] : spellings)
        for (std::size_t at = text.find(cpp); at != std::string::npos;
             at = text.find(cpp, at + python.size()))
            text.replace(at, cpp.size(), python);
    return text;
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
    PyErr_SetString(class_of(error.code()), spelled(error.text()).c_str());
}

void add_errors(nb::module_& module) {
    nb::register_exception_translator(&translate);
    module.def("set_error_class", &set_class, nb::arg("code"), nb::arg("type"));
}

}  // namespace frisket::python
