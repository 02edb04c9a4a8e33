// SPDX-License-Identifier: MIT
// Optimizers over arrays of Python: options as text, gradients in the order of the parameters.
#include "optimizers.hpp"

#include "compiler.hpp"
#include "trace.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace frisket::python {

namespace {

using optim::Untouched;
using Options = std::map<std::string, std::string>;
using Names = std::vector<std::string>;

optim::AnyRule rule_with(nb::handle rule, const Options& options) {
    optim::AnyRule made = rule_of(rule);
    for (const auto& [option, text] : options) made.set(option, text);
    return made;
}

/// A rule whose step a Python function writes: it is called with a dtype, and returns a trace.
optim::WrittenRule written_rule(const std::string& name,
                                const std::vector<std::pair<std::string, double>>& options,
                                const std::vector<std::pair<std::string, double>>& states,
                                const nb::callable& step) {
    std::vector<optim::WrittenRule::OptionRow> option_rows;
    for (const auto& [option, value] : options) option_rows.push_back({.name = option, .value = value});
    std::vector<optim::WrittenRule::StateRow> state_rows;
    for (const auto& [state, initial] : states) state_rows.push_back({.name = state, .initial = initial});
    return {name, std::move(option_rows), std::move(state_rows), [&](DType dtype) {
                const nb::object trace = step(std::string(name_of(dtype)));
                return nb::cast<Trace&>(trace).step();
            }};
}

std::vector<optim::NamedParameter> parameters_of(const Names& names, const nb::list& arrays) {
    std::vector<optim::NamedParameter> made;
    for (std::size_t i = 0; i < names.size(); ++i)
        made.push_back({.name = names[i], .tensor = hold(arrays[i])});
    return made;
}

/// Options of an AnyRule as text.
Options options_of(const optim::AnyRule& rule) {
    Options made;
    for (const optim::OptionText& option : rule.options()) made[option.name] = option.text;
    return made;
}

/// An optimizer; the class Optimizer of Python.
class Optimizer {
public:
    Optimizer(const nb::object& rule, const Options& options, const Names& names, const nb::list& arrays,
              const std::string& untouched, bool stochastic_rounding, std::uint64_t seed, bool interpret)
        : optimizer_({.untouched = untouched_of(untouched),
                      .interpret = interpret,
                      .stochastic_rounding = stochastic_rounding,
                      .seed = seed,
                      .kernels = optimizer_loops},
                     rule_with(rule, options), parameters_of(names, arrays)) {}

    int add_group(const nb::object& rule, const Options& options, const Names& names,
                  const nb::list& arrays) {
        calls_ = 0;
        return optimizer_.add_group(rule_with(rule, options), parameters_of(names, arrays));
    }
    void set(int group, const Options& options) {
        optim::AnyRule changed = optimizer_.rule(group);
        for (const auto& [option, text] : options) changed.set(option, text);
        changed.check();
        optimizer_.rule(group) = changed;
    }
    Options options(int group) const { return options_of(optimizer_.rule(group)); }

    /// (norm, whether it was skipped).  A gradient that is None leaves its parameter out.
    nb::tuple step(const nb::list& gradients, double scale, double clip_norm, double clip_value,
                   bool skip_nonfinite) {
        std::vector<Given> given(gradients.size());
        std::vector<Argument> arguments(gradients.size());
        std::int64_t size = 0;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (gradients[i].is_none()) continue;
            given[i] = python::given(nb::handle(gradients[i]).ptr());
            arguments[i] = given[i].argument();
            size += given[i].size();
        }
        const bool is_long = size >= elements_to_release || calls_++ < 2;
        const optim::StepOutcome outcome = released_if(is_long, [&] {
            return optimizer_.step(arguments, {.scale = scale,
                                               .clip_norm = clip_norm,
                                               .clip_value = clip_value,
                                               .skip_nonfinite = skip_nonfinite});
        });
        return nb::make_tuple(outcome.norm, outcome.is_skipped);
    }
    /// (parameter, name, array) of each piece of state, whose memory is the optimizer's.
    nb::list state() const {
        nb::list made;
        for (optim::StateEntry& entry : optimizer_.state())
            made.append(nb::make_tuple(entry.parameter, entry.name, array_of(std::move(entry.value))));
        return made;
    }
    void set_state(const nb::list& entries) {
        std::vector<optim::StateEntry> state;
        for (const nb::handle entry : entries)
            state.push_back({.parameter = nb::cast<std::string>(entry[0]),
                             .name = nb::cast<std::string>(entry[1]),
                             .value = hold(entry[2])});
        optimizer_.set_state(state);
    }
    void catch_up() { optimizer_.catch_up(); }
    void save(const std::string& path) const { optimizer_.save(path); }
    void load(const std::string& path) { optimizer_.load(path); }

private:
    optim::Optimizer optimizer_;
    int calls_ = 0;
};

}  // namespace

optim::AnyRule rule_of(nb::handle rule) {
    if (nb::isinstance<nb::str>(rule)) return optim::rule_of(nb::cast<std::string>(rule));
    return nb::cast<const optim::WrittenRule&>(rule);
}

Untouched untouched_of(const std::string& name) {
    if (name == "masked") return Untouched::masked;
    if (name == "dense_equivalent") return Untouched::dense_equivalent;
    if (name == "caught_up") return Untouched::caught_up;
    throw ValueError("untouched is \"" + name + "\", wanted masked, dense_equivalent or caught_up");
}

void add_optimizers(nb::module_& module) {
    nb::class_<optim::WrittenRule>(module, "Rule");
    module.def("written_rule", &written_rule, nb::arg("name"), nb::arg("options"), nb::arg("states"),
               nb::arg("step"));
    nb::class_<Optimizer>(module, "Optimizer")
        .def(nb::init<const nb::object&, const Options&, const Names&, const nb::list&, const std::string&,
                      bool, std::uint64_t, bool>())
        .def("add_group", &Optimizer::add_group)
        .def("set", &Optimizer::set)
        .def("options", &Optimizer::options)
        .def("step", &Optimizer::step)
        .def("state", &Optimizer::state)
        .def("set_state", &Optimizer::set_state)
        .def("catch_up", &Optimizer::catch_up)
        .def("save", &Optimizer::save)
        .def("load", &Optimizer::load);
    module.def("rule_options", [](const nb::object& rule) { return options_of(rule_of(rule)); });
    module.def("rule_names", [] {
        Names names;
        for (const std::string_view name : optim::rule_names()) names.emplace_back(name);
        return names;
    });
}

}  // namespace frisket::python
