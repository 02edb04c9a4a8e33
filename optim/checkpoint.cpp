// SPDX-License-Identifier: MIT
#include "../runtime/io/tensor_files.hpp"
#include "parameter_state.hpp"
#include "sharded_checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace frisket::optim {

namespace {

std::string group_key(int group) { return "group" + std::to_string(group); }

int group_count_of(const Safetensors& file) {
    int count = 0;
    while (file.metadata.contains(group_key(count))) ++count;
    return count;
}

/// The rule of a saved group with its options.
AnyRule saved_rule(const Safetensors& file, AnyRule rule, int group) {
    const std::string key = group_key(group);
    const auto name = file.metadata.find(key);
    const std::string found = name == file.metadata.end() ? "no optimizer" : name->second;
    if (found != rule.info().name)
        throw ValueError("the state that is given has " + found + " for " + key + ", wanted " +
                         std::string(rule.info().name));
    for (const OptionText& option : rule.options()) {
        const auto text = file.metadata.find(key + "." + option.name);
        if (text == file.metadata.end())
            throw ValueError("the state that is given lacks the option " + option.name + " of " + key);
        rule.set(option.name, text->second);
    }
    return rule;
}

}  // namespace

namespace {

AnyTensor steps_of(std::int64_t steps) { return Tensor<std::int64_t>({}, {steps}); }

/// Steps are counted as float64 in formulas.
constexpr std::int64_t most_steps = std::int64_t{1} << 53;

[[noreturn]] void refuse_state(const std::string& name, const std::string& fault) {
    throw ValueError("the state that is given has " + name + fault);
}

/// Numbers of steps are from 0 to `most`.
void check_steps(const std::string& name, const AnyTensor& steps, std::int64_t most) {
    for (const std::int64_t step : Tensor<const std::int64_t>(steps).to_vector())
        if (step < 0 || step > most)
            refuse_state(name, " = " + std::to_string(step) + ", wanted a number of steps from 0 to " +
                                   std::to_string(most));
}

/// State that is given, by parameter and name.
class GivenState {
public:
    /// Errors: ValueError for an entry that is given twice.
    explicit GivenState(std::span<const StateEntry> entries) {
        for (const StateEntry& entry : entries)
            if (!left_[entry.parameter].emplace(entry.name, &entry.value).second)
                refuse_state(entry.parameter + "." + entry.name, " twice");
    }

    /// Takes a tensor out.  Errors: ValueError if it is absent or has another dtype or shape.
    const AnyTensor& take(const std::string& parameter, std::string_view name, const AnyTensor& like) {
        const std::string full = parameter + "." + std::string(name);
        auto& entries = left_[parameter];
        const auto found = entries.find(name);
        if (found == entries.end()) throw ValueError("the state that is given lacks " + full);
        const AnyTensor& value = *found->second;
        entries.erase(found);
        value.check_not_moved("the state " + full);
        if (value.dtype() != like.dtype() || value.shape() != like.shape())
            refuse_state(full, " as " + text(value) + ", wanted " + text(like));
        return value;
    }

    /// Entries of a parameter that have not been taken.
    const std::map<std::string_view, const AnyTensor*>& left(std::string_view parameter) {
        return left_[parameter];
    }

    /// Errors: ValueError for an entry of a parameter that the optimizer does not have.
    void check_parameters(std::span<const std::string> parameters) const {
        const std::set<std::string_view> known(parameters.begin(), parameters.end());
        for (const auto& [parameter, entries] : left_)
            if (!known.contains(parameter))
                refuse_state(std::string(parameter) + "." + std::string(entries.begin()->first),
                             ", and the optimizer has no parameter " + std::string(parameter) +
                                 ": give it the parameters that were saved");
    }

    static std::string text(const AnyTensor& tensor) {
        return std::string(name_of(tensor.dtype())) + " " + to_string(tensor.shape());
    }

private:
    std::map<std::string_view, std::map<std::string_view, const AnyTensor*>> left_;
};

}  // namespace

std::vector<StateEntry> Optimizer::state() const { return all().state(); }

std::vector<StateEntry> Optimizer::Implementation::state() const {
    std::vector<StateEntry> entries;
    for (const Group& group : groups) {
        for (const ParameterState& slot : group.slots) {
            entries.push_back({slot.name, "step", steps_of(slot.steps)});
            for (const StateTensor& kept : slot.state) entries.push_back({slot.name, kept.name, kept.tensor});
        }
    }
    return entries;
}

AnyTensor Optimizer::state(std::string_view parameter, std::string_view name) const {
    std::string known;
    for (const StateEntry& entry : state()) {
        if (entry.parameter == parameter && entry.name == name) return entry.value;
        known += " " + entry.parameter + "." + entry.name;
    }
    throw ValueError("there is no state " + std::string(parameter) + "." + std::string(name) + "; there is" +
                     known);
}

void Optimizer::Implementation::take_state(std::span<const StateEntry> entries) {
    GivenState given(entries);
    given.check_parameters(names());
    for (Group& group : groups) {
        for (ParameterState& slot : group.slots) {
            const AnyTensor& steps = given.take(slot.name, "step", steps_of(0));
            check_steps(slot.name + ".step", steps, most_steps);
            slot.steps = Tensor<const std::int64_t>(steps).item();
            for (StateTensor& kept : slot.state) {
                const AnyTensor& value = given.take(slot.name, kept.name, kept.tensor);
                if (kept.name == last_step) check_steps(slot.name + "." + kept.name, value, slot.steps);
                copy(value, kept.tensor);
            }
            for (const auto& [name, value] : given.left(slot.name)) keep_unread(group, slot, name, *value);
        }
    }
}

void Optimizer::Implementation::set_step(std::string_view name, std::int64_t step) {
    ParameterState& slot = parameter(name);
    check_steps(slot.name + ".step", steps_of(step), most_steps);
    if (const StateTensor* const last = slot.find(last_step))
        check_steps(slot.name + ".last_step", last->tensor, step);
    slot.steps = step;
}

void Optimizer::Implementation::keep_unread(const Group& group, ParameterState& slot, std::string_view name,
                                            const AnyTensor& value) const {
    const RuleInfo& rule = group.rule.info();
    const DType dtype = slot.param.dtype() == DType::float64 ? DType::float64 : DType::float32;
    const bool is_number = value.rank() == 0 && value.dtype() == DType::float64;
    const bool is_tensor =
        value.dtype() == dtype && value.shape() == rule.state_shape(name, slot.param.shape());
    if (!is_number && !is_tensor)
        refuse_state(slot.name + "." + std::string(name), " as " + GivenState::text(value) +
                                                              ", which no step of " + std::string(rule.name) +
                                                              " keeps with these settings");
    slot.state.push_back({std::string(name), value.clone(), !is_tensor});
}

Optimizer::Replacement Optimizer::Implementation::replacement(std::span<const AnyRule> rules,
                                                              std::span<const StateEntry> entries) const {
    Replacement made{std::make_unique<Implementation>(settings), {}};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::vector<NamedParameter> parameters;
        for (const ParameterState& slot : groups[i].slots)
            parameters.push_back({slot.name, slot.param, slot.first_tile});
        made.all->add(rules[i], std::move(parameters), groups[i].programs);
    }
    made.all->take_state(entries);
    // Tensors that state() has given share memory with what is kept from here on, too.
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t k = 0; k < groups[i].slots.size(); ++k) {
            for (StateTensor& kept : made.all->groups[i].slots[k].state) {
                const auto old = std::ranges::find(groups[i].slots[k].state, kept.name, &StateTensor::name);
                if (old == groups[i].slots[k].state.end() || old->tensor.dtype() != kept.tensor.dtype() ||
                    old->tensor.shape() != kept.tensor.shape())
                    continue;
                made.shared.emplace_back(old->tensor, kept.tensor);
                kept.tensor = old->tensor;
            }
        }
    }
    return made;
}

void Optimizer::Implementation::take(Replacement made) {
    for (const auto& [to, from] : made.shared) copy(from, to);
    *this = std::move(*made.all);
}

void Optimizer::set_state(std::span<const StateEntry> entries) {
    std::vector<AnyRule> rules;
    for (const Group& group : all().groups) rules.push_back(group.rule);
    all().take(all().replacement(rules, entries));
}

std::map<std::string, std::string> Optimizer::Implementation::saved_options() {
    check_options();
    for (Group& group : groups)
        for (ParameterState& slot : group.slots)
            if (options_changed(group, slot) && slot.is_behind())
                throw ValueError("options of " + slot.name +
                                 " have changed since steps that some of its rows have yet to see: call "
                                 "catch_up() before parameters and state are kept");
    std::map<std::string, std::string> metadata;
    int number = 0;
    for (const Group& group : groups) {
        const std::string key = group_key(number++);
        metadata[key] = group.rule.info().name;
        for (const OptionText& option : group.rule.options()) metadata[key + "." + option.name] = option.text;
    }
    return metadata;
}

void Optimizer::save(const std::string& path) const {
    const std::map<std::string, std::string> metadata = all().saved_options();
    std::vector<NamedTensor> tensors;
    for (const StateEntry& entry : state())
        tensors.push_back({entry.parameter + "." + entry.name, entry.value.to(Device())});
    save_safetensors(path, tensors, metadata);
}

Optimizer::Replacement Optimizer::Implementation::saved(const Safetensors& file) const {
    const auto count = static_cast<int>(groups.size());
    if (const int saved = group_count_of(file); saved > count)
        throw ValueError("the state that is given has " + std::to_string(saved) +
                         " groups, the optimizer has " + std::to_string(count) +
                         ": add the groups that were saved");
    std::vector<AnyRule> rules;
    for (int group = 0; group < count; ++group)
        rules.push_back(saved_rule(file, groups[static_cast<std::size_t>(group)].rule, group));
    std::vector<StateEntry> entries;
    for (const NamedTensor& tensor : file.tensors) {
        if (is_sharded_parameter(file, tensor.name)) continue;
        const std::size_t dot = tensor.name.rfind('.');
        if (dot == std::string::npos)
            throw ValueError("the state that is given has " + tensor.name + ", wanted PARAMETER.STATE");
        entries.push_back({tensor.name.substr(0, dot), tensor.name.substr(dot + 1), tensor.tensor});
    }
    return replacement(rules, entries);
}

void Optimizer::load(const std::string& path) {
    all().take(
        all().saved(std::filesystem::is_directory(path) ? load_sharded(path) : load_safetensors(path)));
}

}  // namespace frisket::optim
