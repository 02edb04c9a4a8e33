// SPDX-License-Identifier: MIT
#include "../runtime/interop/safetensors.hpp"
#include "slots.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frisket::optim {

namespace {

std::string group_key(int group) { return "group" + std::to_string(group); }

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
}  // namespace

std::vector<StateEntry> Optimizer::state() const {
    std::vector<StateEntry> entries;
    for (const Group& group : implementation_->groups) {
        for (const Slot& slot : group.slots) {
            entries.push_back({slot.name, "step", steps_of(slot.steps)});
            for (const Kept& kept : slot.state) entries.push_back({slot.name, kept.name, kept.tensor});
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

namespace {

const AnyTensor& given_state(std::span<const StateEntry> entries, const std::string& parameter,
                             std::string_view name, const AnyTensor& like) {
    const auto found = std::ranges::find_if(
        entries, [&](const StateEntry& entry) { return entry.parameter == parameter && entry.name == name; });
    const std::string full = parameter + "." + std::string(name);
    if (found == entries.end()) throw ValueError("the state that is given lacks " + full);
    if (found->value.dtype() != like.dtype() || found->value.shape() != like.shape())
        throw ValueError("the state that is given has " + full + " as " +
                         std::string(name_of(found->value.dtype())) + " " + to_string(found->value.shape()) +
                         ", wanted " + std::string(name_of(like.dtype())) + " " + to_string(like.shape()));
    return found->value;
}

/// Elements that go into a tensor, both without gaps.
struct Elements { AnyTensor to, from; };

/// Rules in place of those of the groups, until it goes, or for good.
class OtherRules {
public:
    OtherRules(auto& groups, std::vector<AnyRule>& rules) {
        for (std::size_t i = 0; i < rules.size(); ++i) pairs_.emplace_back(&groups[i].rule, &rules[i]);
        swap();
    }
    OtherRules(const OtherRules&) = delete;
    OtherRules& operator=(const OtherRules&) = delete;
    ~OtherRules() {
        if (!is_kept_) swap();
    }
    void keep() noexcept { is_kept_ = true; }

private:
    void swap() {
        for (const auto& [now, other] : pairs_) std::swap(*now, *other);
    }
    bool is_kept_ = false;
    std::vector<std::pair<AnyRule*, AnyRule*>> pairs_;
};

}  // namespace

void Optimizer::Implementation::take(std::span<const StateEntry> entries, std::vector<AnyRule> rules) {
    std::vector<Elements> elements;
    struct Counted {
        Slot* slot;
        std::int64_t steps;
        Missed missed;
    };
    std::vector<Counted> counted;
    // All faults are found, and all memory is taken, before anything is changed.
    OtherRules others(groups, rules);
    Undo undo;
    for (Group& group : groups) {
        for (Slot& slot : group.slots) {
            const AnyTensor& steps = given_state(entries, slot.name, "step", steps_of(0));
            counted.push_back({&slot, Tensor<std::int64_t>(steps.clone()).item(), {}});
            for (const Kept& kept : slot.state) {
                const AnyTensor& value = given_state(entries, slot.name, kept.name, kept.tensor);
                elements.push_back({kept.tensor, value.is_contiguous() ? value : value.clone()});
            }
            undo.note(slot);
            if (is_lazy()) counted.back().missed = noted_options(group, slot);
        }
    }
    for (const Elements& one : elements)
        if (one.to.size() > 0)
            std::memmove(one.to.data(), one.from.data(),
                         static_cast<std::size_t>(one.to.size() * bytes_of(one.to.dtype())));
    for (Counted& one : counted) {
        one.slot->steps = one.steps;
        if (is_lazy()) one.slot->missed = std::move(one.missed);
    }
    undo.keep();
    others.keep();
}

void Optimizer::set_state(std::span<const StateEntry> entries) { implementation_->take(entries, {}); }

void Optimizer::save(const std::string& path) const {
    for (Group& group : implementation_->groups)
        for (Slot& slot : group.slots)
            if (implementation_->options_changed(group, slot) && slot.is_behind())
                throw ValueError("options of " + slot.name +
                                 " have changed since steps that some of its rows have yet to see: call "
                                 "catch_up() before parameters and state are kept");
    std::vector<NamedTensor> tensors;
    for (const StateEntry& entry : state())
        tensors.push_back({entry.parameter + "." + entry.name, entry.value});
    std::map<std::string, std::string> metadata;
    for (int group = 0; group < group_count(); ++group) {
        const AnyRule& rule = this->rule(group);
        metadata[group_key(group)] = rule.info().name;
        for (const OptionText& option : rule.options())
            metadata[group_key(group) + "." + option.name] = option.text;
    }
    save_safetensors(path, tensors, metadata);
}

void Optimizer::load(const std::string& path) {
    const Safetensors file = load_safetensors(path);
    std::vector<AnyRule> rules;
    for (int group = 0; group < group_count(); ++group) rules.push_back(saved_rule(file, rule(group), group));
    std::vector<StateEntry> entries;
    for (const NamedTensor& tensor : file.tensors) {
        const std::size_t dot = tensor.name.rfind('.');
        if (dot == std::string::npos)
            throw ValueError("the state that is given has " + tensor.name + ", wanted PARAMETER.STATE");
        entries.push_back({tensor.name.substr(0, dot), tensor.name.substr(dot + 1), tensor.tensor});
    }
    implementation_->take(entries, std::move(rules));
}

}  // namespace frisket::optim
