// SPDX-License-Identifier: MIT
// Calls of jitted functions and steps whose like was made before, without a line of Python.
#pragma once
#include "descriptions.hpp"
#include "functions.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frisket::python {

/// Base of the classes of Python that trace: a call with arrays and numbers alone finds its trace here; any
/// other call goes to their method `slow`.
class Dispatcher {
public:
    /// `names`: of the parameters, in their order; `positional`: those that may be given by position; of each
    /// its default, or the class Parameter.empty.  No names: each call is slow.
    Dispatcher(const nb::list& names, std::size_t positional, const nb::list& defaults, nb::object empty);

    /// Keeps a trace for calls with a key.  `single`: the result is an array, not a structure of arrays.
    void keep(const nb::bytes& key, const nb::object& kernel, const nb::list& captured, bool single);
    /// The result of a known call; null if it is none.
    nb::object known_call(PyObject* args, PyObject* keywords);

private:
    struct Trace {
        std::string key;
        nb::object kernel;
        Function* function;  // null of a step
        Step* step;
        std::vector<nb::object> captured;
        bool is_single;
    };
    /// Memory of a call, which later calls use again.
    struct Scratch {
        std::vector<PyObject*> objects = {};
        Call call;
        CallKey key = {};
    };
    class Lease;

    bool bind(PyObject* args, PyObject* keywords, std::vector<PyObject*>& objects) const;
    std::size_t find(PyObject* name) const;
    std::shared_ptr<const Trace> trace_of(CallKey& key) const;

    std::vector<nb::object> names_, defaults_;  // a default that is null: there is none
    std::size_t positional_;
    std::vector<std::shared_ptr<const Trace>> traces_;
    std::unique_ptr<Scratch> spare_;  // null while a call uses it
};

void add_dispatcher(nb::module_& module);

}  // namespace frisket::python
