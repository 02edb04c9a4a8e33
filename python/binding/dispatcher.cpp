// SPDX-License-Identifier: MIT
// A call is bound to its parameters, read, and looked up by its key.
#include "dispatcher.hpp"

#include "errors.hpp"

#include <utility>

namespace frisket::python {

namespace {

/// Arrays that a known trace may have captured.
constexpr std::size_t most_captured = 8;
/// Traces that a search goes through; calls of older traces are slow.
constexpr std::size_t most_traces = 64;

/// True for arrays and numbers that are read without Python.
bool is_plain(PyObject* object) {
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object)) return true;
    const Access access = array_type_of(object).access;
    return access == Access::masked || access == Access::exchange || access == Access::numpy ||
           access == Access::buffer || access == Access::array || access == Access::state;
}

PyObject* call_slow(PyObject* self, PyObject* args, PyObject* keywords) {
    const nb::object slow = nb::handle(self).attr("slow");
    return PyObject_Call(slow.ptr(), args, keywords);
}

PyObject* dispatch(PyObject* self, PyObject* args, PyObject* keywords) {
    try {
        nb::object known = nb::inst_ptr<Dispatcher>(self)->known_call(args, keywords);
        return known.is_valid() ? known.release().ptr() : call_slow(self, args, keywords);
    } catch (nb::python_error& error) { error.restore(); } catch (const Error& error) {
        set_python_error(error);
    } catch (const std::bad_alloc&) { PyErr_NoMemory(); } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

PyType_Slot dispatcher_slots[] = {{Py_tp_call, (void*)dispatch}, {0, nullptr}};

}  // namespace

Dispatcher::Dispatcher(const nb::list& names, std::size_t positional, const nb::list& defaults,
                       nb::object empty)
    : positional_(positional) {
    for (const nb::handle name : names) {
        PyObject* interned = name.inc_ref().ptr();
        PyUnicode_InternInPlace(&interned);
        names_.push_back(nb::steal(interned));
    }
    for (const nb::handle value : defaults)
        defaults_.push_back(value.is(empty) ? nb::object() : nb::borrow(value));
}

void Dispatcher::keep(const nb::bytes& key, const nb::object& kernel, const nb::list& captured, bool single) {
    Trace trace{.key = std::string(static_cast<const char*>(key.data()), key.size()),
                .kernel = kernel,
                .function = nullptr,
                .step = nullptr,
                .captured = {},
                .is_single = single};
    if (nb::isinstance<Function>(kernel))
        trace.function = nb::inst_ptr<Function>(kernel);
    else
        trace.step = nb::inst_ptr<Step>(kernel);
    for (const nb::handle array : captured) trace.captured.push_back(nb::borrow(array));
    if (trace.captured.size() > most_captured) return;
    if (traces_.size() == most_traces) traces_.erase(traces_.begin());
    traces_.push_back(std::make_shared<const Trace>(std::move(trace)));
}

/// Takes the spare memory of a dispatcher, or other memory if a call has it, and gives it back.
class Dispatcher::Lease {
public:
    explicit Lease(Dispatcher& owner) : owner_(owner), scratch_(std::move(owner.spare_)) {
        const std::size_t count = owner.names_.size();
        if (!scratch_) scratch_ = std::make_unique<Scratch>(Scratch{.call = Call(count + most_captured)});
        scratch_->objects.assign(count, nullptr);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        scratch_->call.clear();
        scratch_->key.clear();
        owner_.spare_ = std::move(scratch_);
    }
    Scratch& scratch() { return *scratch_; }

private:
    Dispatcher& owner_;
    std::unique_ptr<Scratch> scratch_;
};

std::size_t Dispatcher::find(PyObject* name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (names_[i].ptr() == name) return i;
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (PyUnicode_Compare(names_[i].ptr(), name) == 0) return i;
    return names_.size();
}

bool Dispatcher::bind(PyObject* args, PyObject* keywords, std::vector<PyObject*>& objects) const {
    const Py_ssize_t count = PyTuple_Size(args);
    if (static_cast<std::size_t>(count) > positional_) return false;
    for (Py_ssize_t i = 0; i < count; ++i) objects[static_cast<std::size_t>(i)] = PyTuple_GetItem(args, i);
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; keywords != nullptr && PyDict_Next(keywords, &at, &name, &value) != 0;) {
        const std::size_t place = find(name);
        if (place == names_.size() || objects[place] != nullptr) return false;
        objects[place] = value;
    }
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (objects[i] == nullptr) objects[i] = defaults_[i].ptr();
        if (objects[i] == nullptr || !is_plain(objects[i])) return false;
    }
    return true;
}

/// The trace of a key; null if it is absent.
std::shared_ptr<const Dispatcher::Trace> Dispatcher::trace_of(CallKey& key) const {
    for (const bool with_shapes : {false, true}) {
        const std::string_view wanted = with_shapes ? key.with_shapes() : key.without_shapes();
        for (const std::shared_ptr<const Trace>& trace : traces_)
            if (trace->key == wanted) return trace;
    }
    return nullptr;
}

nb::object Dispatcher::known_call(PyObject* args, PyObject* keywords) {
    if (traces_.empty()) return {};
    Lease lease(*this);
    auto& [objects, call, key] = lease.scratch();
    if (!bind(args, keywords, objects)) return {};
    for (PyObject* const object : objects) {
        call.add(object);
        key.add(call.back());
    }
    const std::shared_ptr<const Trace> trace = trace_of(key);  // others may add traces while it runs
    if (trace == nullptr) return {};
    for (const nb::object& array : trace->captured) call.add(array.ptr());
    if (trace->function == nullptr) {
        trace->step->run(call);
        return nb::none();
    }
    std::vector<Result> results = trace->function->run(call);
    if (trace->is_single) return to_python(results.front(), call.like());
    return nb::tuple(to_python(results, call.like()));
}

void add_dispatcher(nb::module_& module) {
    nb::class_<Dispatcher>(module, "Dispatcher", nb::type_slots(dispatcher_slots))
        .def(nb::init<const nb::list&, std::size_t, const nb::list&, nb::object>())
        .def("keep", &Dispatcher::keep);
}

}  // namespace frisket::python
