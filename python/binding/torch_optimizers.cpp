// SPDX-License-Identifier: MIT
#include "torch_optimizers.hpp"

#include "compiler.hpp"
#include "optimizers.hpp"

#include <algorithm>

namespace frisket::python {

namespace {

/// The item of a dict; null if it has none.
PyObject* found_in(PyObject* dict, PyObject* key) {
    PyObject* const found = PyDict_GetItemWithError(dict, key);
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return found;
}

/// The value of an option in a torch group; null if the group has none.
nb::object value_of(PyObject* group, PyObject* key, Py_ssize_t index) {
    PyObject* const found = found_in(group, key);
    if (found == nullptr || index < 0) return nb::borrow(found);
    return nb::steal(PySequence_GetItem(found, index));
}

bool is_constant(PyObject* value) {
    return PyFloat_CheckExact(value) || PyLong_Check(value) || PyUnicode_Check(value) || value == Py_None;
}

/// A number, a bool, or a tensor of one element; None is 0.
double as_double(PyObject* value) {
    if (value == Py_None) return 0;
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return number;
}

/// The memory of a parameter, which goes with the result.
AnyTensor held_parameter(nb::handle parameter) { return hold(parameter.attr("detach")()); }

Given gradient_of(PyObject* object) {
    if (array_type_of(object).access == Access::exchange) {
        std::optional<AnyTensor> dense = borrow_torch(object, RequiresGrad::ignored);
        if (dense) return {.kind = Given::Kind::tensor, .tensor = std::move(dense)};
        return converted(object);
    }
    return given(object);
}

}  // namespace

TorchOptimizer::TorchOptimizer(const std::string& untouched, bool stochastic_rounding, std::uint64_t seed)
    : settings_{.untouched = untouched_of(untouched),
                .stochastic_rounding = stochastic_rounding,
                .seed = seed,
                .kernels = optimizer_loops} {}

void TorchOptimizer::add_group(const nb::object& rule, const nb::list& sources, const nb::dict& group,
                               const std::vector<std::string>& names, const nb::list& parameters,
                               bool counts_steps) {
    Group added{.counts_steps = counts_steps};
    optim::AnyRule options = rule_of(rule);
    for (const nb::handle source : sources) {
        OptionSource& one =
            added.sources.emplace_back(OptionSource{.key = source[0],
                                                    .index = nb::cast<Py_ssize_t>(source[1]),
                                                    .option = nb::cast<std::string>(source[2])});
        one.seen = value_of(group.ptr(), one.key.ptr(), one.index);
        if (!one.seen.is_valid()) continue;
        if (PyUnicode_Check(one.seen.ptr()))
            options.set(one.option, nb::cast<std::string>(one.seen));
        else
            options.set(one.option, one.number = as_double(one.seen.ptr()));
    }
    std::vector<optim::NamedParameter> named;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::optional<Slot>& slot = added.slots.emplace_back();
        if (parameters[i].is_none()) continue;
        slot = Slot{.parameter = parameters[i], .name = names[i], .place = parameter_count_ + named.size()};
        slot->memory = held_parameter(slot->parameter);
        named.push_back({.name = slot->name, .tensor = slot->memory});
    }
    parameter_count_ += named.size();
    if (optimizer_)
        optimizer_->add_group(std::move(options), std::move(named));
    else
        optimizer_.emplace(settings_, std::move(options), std::move(named));
    groups_.push_back(std::move(added));
}

/// Makes the state of each parameter anew, where it has other names than before.
void TorchOptimizer::collect_state() {
    const std::vector<optim::StateEntry> entries = optimizer_->state();
    auto entry = entries.begin();
    for (Group& group : groups_)
        for (std::optional<Slot>& slot : group.slots) {
            if (!slot) continue;
            auto end = std::find_if(entry, entries.end(),
                                    [&](const auto& other) { return other.parameter != slot->name; });
            const auto tensors = std::span(std::next(entry), end);  // the first is "step"
            entry = end;
            if (slot->state.size() == tensors.size() + (slot->step ? 1 : 0)) continue;
            slot->state.clear();
            if (group.counts_steps && !slot->step)
                slot->step.emplace(Shape{}, std::vector<float>{static_cast<float>(slot->steps)});
            const auto add = [&](const std::string& name, const AnyTensor& tensor) {
                nb::object key = nb::cast(name);
                slot->state.emplace_back(std::move(key), array_of(tensor, slot->parameter.ptr()));
            };
            if (slot->step) add("step", *slot->step);
            for (const optim::StateEntry& one : tensors) add(one.name, one.value);
        }
}

nb::list TorchOptimizer::entries() {
    collect_state();
    nb::list made;
    for (const Group& group : groups_)
        for (const std::optional<Slot>& slot : group.slots) {
            if (!slot) continue;
            nb::dict state;
            for (const auto& [name, tensor] : slot->state) state[name] = tensor;
            made.append(nb::make_tuple(slot->parameter, slot->name, state));
        }
    return made;
}

void TorchOptimizer::set_step(const std::string& name, std::int64_t step) {
    optimizer_->set_step(name, step);
    for (Group& group : groups_)
        for (std::optional<Slot>& slot : group.slots) {
            if (!slot || slot->name != name) continue;
            slot->steps = step;
            if (slot->step) *slot->step->data() = static_cast<float>(step);
        }
}

void TorchOptimizer::publish(nb::dict state) {
    for (Group& group : groups_)
        for (std::optional<Slot>& slot : group.slots) {
            if (!slot || slot->state.empty()) continue;
            PyObject* const known = found_in(state.ptr(), slot->parameter.ptr());
            nb::dict tensors = known != nullptr ? nb::borrow<nb::dict>(known) : nb::dict();
            for (const auto& [name, tensor] : slot->state) tensors[name] = tensor;
            slot->published = tensors;
            state[slot->parameter] = tensors;
        }
    published_.clear();
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(state.ptr(), &at, &key, &value) != 0;)
        published_.emplace_back(key, value);
}

/// Gives the optimizer the options of a group.  True if one besides the rate has changed.
bool TorchOptimizer::read_options(int number, PyObject* group) {
    bool is_changed = false;
    for (OptionSource& source : groups_[static_cast<std::size_t>(number)].sources) {
        nb::object value = value_of(group, source.key.ptr(), source.index);
        if (!value.is_valid() || (value.is(source.seen) && is_constant(value.ptr()))) continue;
        source.seen = value;
        if (PyUnicode_Check(value.ptr())) {
            optimizer_->rule(number).set(source.option, nb::cast<std::string>(value));
            is_changed = true;
        } else if (const double now = as_double(value.ptr()); now != source.number) {
            optimizer_->set_option(number, source.option, now);
            source.number = now;
            is_changed = is_changed || source.option != "lr";
        }
    }
    return is_changed;
}

/// True if the optimizer has the memory of a parameter.  False if it has another shape or dtype than before.
bool TorchOptimizer::has_memory(Slot& slot) {
    if (is_torch_memory(slot.parameter.ptr(), slot.memory)) return true;
    const std::optional<AnyTensor> now = borrow_torch(slot.parameter.ptr(), RequiresGrad::ignored);
    if (!now || now->dtype() != slot.memory.dtype() || now->shape() != slot.memory.shape()) return false;
    const AnyTensor held = held_parameter(slot.parameter);
    optimizer_->set_parameter(slot.name, held);
    slot.memory = held;
    return true;
}

/// True if each parameter has the dict that was published.  Compares the entries of the whole state, in the
/// order that they were published in, as a look-up of a tensor calls Python.
bool TorchOptimizer::has_published(PyObject* state) const {
    PyObject *key = nullptr, *value = nullptr;
    auto known = published_.begin();
    for (Py_ssize_t at = 0; PyDict_Next(state, &at, &key, &value) != 0; ++known)
        if (known == published_.end() || known->first != key || known->second != value) return false;
    return known == published_.end();
}

namespace {

/// True if the dict of a parameter has the tensors that were published.
bool is_published(const auto& slot) {
    if (slot.state.empty()) return true;
    for (const auto& [name, tensor] : slot.state)
        if (found_in(slot.published.ptr(), name.ptr()) != tensor.ptr()) return false;
    return !slot.step || *slot.step->data() == static_cast<float>(slot.steps);
}

}  // namespace

/// Adds the gradients of a group.  False if its parameters or their state are others than those published.
bool TorchOptimizer::add_gradients(Gradients& gradients, Group& group, nb::handle parameters,
                                   const nb::dict& given) {
    if (nb::len(parameters) != group.slots.size()) return false;
    const nb::object grad = nb::steal(PyUnicode_InternFromString("grad"));
    for (std::size_t i = 0; i < group.slots.size(); ++i) {
        const nb::object parameter = parameters[i];
        PyObject* const own = given.size() == 0 ? nullptr : found_in(given.ptr(), parameter.ptr());
        nb::object gradient = own != nullptr ? nb::borrow(own) : parameter.attr(grad);
        if (gradient.is_none()) continue;
        std::optional<Slot>& slot = group.slots[i];
        if (!slot || !slot->parameter.is(parameter) || !is_published(*slot) || !has_memory(*slot))
            return false;
        Given read = gradient_of(gradient.ptr());
        gradients.push_back({.slot = &*slot, .object = std::move(gradient), .given = std::move(read)});
    }
    return true;
}

nb::list TorchOptimizer::run(Gradients& gradients, double scale) {
    std::vector<Argument> arguments(parameter_count_);
    std::int64_t size = 0;
    for (const Gradient& gradient : gradients) {
        arguments[gradient.slot->place] = gradient.given.argument();
        size += gradient.given.size();
    }
    const bool is_long = size >= elements_to_release || calls_++ < 2;
    released_if(is_long, [&] { optimizer_->step(arguments, {.scale = scale}); });
    nb::list updated;
    for (const Gradient& gradient : gradients) {
        Slot& slot = *gradient.slot;
        ++slot.steps;
        if (slot.step) *slot.step->data() = static_cast<float>(slot.steps);
        updated.append(slot.parameter);
    }
    return updated;
}

nb::object TorchOptimizer::step(const nb::list& groups, const nb::dict& state, const nb::dict& given,
                                double scale) {
    if (groups.size() != groups_.size() || !has_published(state.ptr())) return nb::none();
    const nb::object key = nb::steal(PyUnicode_InternFromString("params"));
    bool has_other_options = false;
    Gradients gradients;
    gradients.reserve(parameter_count_);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const nb::object group = groups[i];
        has_other_options |= read_options(static_cast<int>(i), group.ptr());
        const nb::object parameters = group[key];
        if (!add_gradients(gradients, groups_[i], parameters, given)) return nb::none();
    }
    nb::list updated = run(gradients, scale);
    if (has_other_options) {
        collect_state();
        publish(state);
    }
    return updated;
}

void add_torch_optimizers(nb::module_& module) {
    nb::class_<TorchOptimizer>(module, "TorchOptimizer")
        .def(nb::init<const std::string&, bool, std::uint64_t>())
        .def("add_group", &TorchOptimizer::add_group)
        .def("entries", &TorchOptimizer::entries)
        .def("publish", &TorchOptimizer::publish)
        .def("set_step", &TorchOptimizer::set_step)
        .def("step", &TorchOptimizer::step)
        .def("catch_up", &TorchOptimizer::catch_up);
}

}  // namespace frisket::python
