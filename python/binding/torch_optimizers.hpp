// SPDX-License-Identifier: MIT
// Steps of torch.optim.Optimizer, over the parameters and the state of its groups.
#pragma once
#include "../../optim/optim.hpp"
#include "arguments.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace frisket::python {

/// An optimizer that reads torch's param_groups at each step, and whose state is that of torch's optimizers.
class TorchOptimizer {
public:
    TorchOptimizer(const std::string& untouched, bool stochastic_rounding, std::uint64_t seed);

    /// Adds a group.  `sources`: (key of the group, index in its tuple or -1, option of the rule) of each
    /// option.  `parameters`: those of the group, None for a parameter without state.  `counts_steps`: the
    /// state has "step".
    void add_group(const nb::object& rule, const nb::list& sources, const nb::dict& group,
                   const std::vector<std::string>& names, const nb::list& parameters, bool counts_steps);
    /// (parameter, its name, its state by name) of each parameter that has state.
    nb::list entries();
    /// Puts the state into that of a torch optimizer, {parameter: {name: tensor}}.
    void publish(nb::dict state);
    void set_step(const std::string& name, std::int64_t step);
    /// Updates parameters by `given`, {parameter: gradient}, or else by their .grad.  Returns a list of the
    /// parameters that were updated.  Returns None and changes nothing if groups or state differ from those
    /// that were published.
    nb::object step(const nb::list& groups, const nb::dict& state, const nb::dict& given, double scale);
    void catch_up() { optimizer_->catch_up(); }

private:
    /// A parameter that has state.
    struct Slot {
        nb::object parameter;
        std::string name;
        std::size_t place = 0;  // index among the gradients of a step
        AnyTensor memory = {};  // as the optimizer has it
        std::int64_t steps = 0;
        std::optional<Tensor<float>> step = {};  // the number of steps, as torch's state has it
        std::vector<std::pair<nb::object, nb::object>> state = {};  // names and torch tensors
        nb::object published = {};                                  // the dict that has these
    };
    /// An option of a group.
    struct OptionSource {
        nb::object key;
        Py_ssize_t index;  // in a tuple; -1: the value itself
        std::string option;
        nb::object seen = {};  // value that was read last
        double number = 0;     // its number; of a text none
    };
    struct Group {
        bool counts_steps;
        std::vector<OptionSource> sources = {};
        std::vector<std::optional<Slot>> slots = {};  // nothing for a parameter without state
    };
    /// A gradient of a step, which `object` keeps.
    struct Gradient {
        Slot* slot;
        nb::object object;
        Given given;
    };
    using Gradients = std::vector<Gradient>;

    bool add_gradients(Gradients& gradients, Group& group, nb::handle parameters, const nb::dict& given);
    bool has_published(PyObject* state) const;
    bool read_options(int number, PyObject* group);
    bool has_memory(Slot& slot);
    void collect_state();
    nb::list run(Gradients& gradients, double scale);

    optim::Optimizer::Settings settings_;
    std::optional<optim::Optimizer> optimizer_;
    std::vector<Group> groups_;
    std::size_t parameter_count_ = 0;
    /// Entries of torch's state as they were published, to compare with.
    std::vector<std::pair<PyObject*, PyObject*>> published_;
    int calls_ = 0;
};

void add_torch_optimizers(nb::module_& module);

}  // namespace frisket::python
