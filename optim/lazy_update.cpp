// SPDX-License-Identifier: MIT
// Untouched::caught_up: rows see the steps that they missed when they are next touched.
#include "../ir/passes/transforms.hpp"
#include "../runtime/device/device_kernels.hpp"
#include "../runtime/device/device_lists.hpp"
#include "parameter_state.hpp"

#include <algorithm>

namespace frisket::optim {

namespace {

/// Calls `use` with the number of each touched row.
void for_each_row(const TouchedRows& rows, std::int64_t count, const auto& use) {
    if (rows.all)
        for (std::int64_t row = 0; row < count; ++row) use(row);
    else
        for (const std::int64_t row : rows.rows) use(row);
}

/// The touched rows, on the device of a tensor that has a number for each row.
AnyTensor places_of(const TouchedRows& rows, const AnyTensor& numbers) {
    return rows.all ? runtime::counted_on(numbers.device(), numbers.size()) : rows.places;
}

/// True if a row of a device has seen another step last than this one.
bool has_other_step(const AnyTensor& last, std::int64_t step) {
    using namespace runtime;
    const Device device = last.device();
    const AnyTensor now = empty(DType::int64, {last.size()}, device),
                    is_other = empty(DType::boolean, {last.size()}, device);
    runtime::run(DeviceKernel::note_step, {step}, {counted_on(device, last.size())}, now);
    runtime::run(DeviceKernel::find_unequal, {}, {flat(last), now}, is_other);
    return packed_bits(is_other).count > 0;
}

double value_of(std::span<const Number> numbers, const Source& source) { return numbers[source.index].value; }

}  // namespace

bool Optimizer::ParameterState::is_behind() {
    const AnyTensor& last = find(last_step)->tensor;
    if (!last.device().is_cpu()) return has_other_step(last, steps);
    const std::span steps_of_rows(static_cast<const std::int64_t*>(last.data()),
                                  static_cast<std::size_t>(last.size()));
    return std::ranges::any_of(steps_of_rows, [&](std::int64_t step) { return step != steps; });
}

std::string Optimizer::Implementation::variant(const Group& group, const ParameterState& slot) const {
    const RuleInfo& rule = group.rule.info();
    std::string text = rule.variant(group.rule.data(), slot.param.shape());
    if (is_lazy()) text += " " + std::string(rule.closed_form(group.rule.data(), slot.param.shape()));
    return text;
}

LazyUpdate Optimizer::Implementation::noted_options(const Group& group, ParameterState& slot) const {
    const RuleInfo& rule = group.rule.info();
    const Shape& shape = slot.param.shape();
    if (slot.find(last_step) == nullptr) {
        const Shape rows = detail::one_for_each_row(shape);
        const Device device = slot.param.device();
        slot.missed.counts = AnyTensor(DType::float64, rows).to(device);
        slot.state.push_back({std::string(last_step), AnyTensor(DType::int64, rows).to(device)});
    }
    LazyUpdate noted = slot.missed;
    noted.numbers = numbers(group, slot);
    const std::string variant = this->variant(group, slot);
    if (noted.variant == variant) return noted;
    noted.variant = variant;
    noted.program = {};
    noted.sources.clear();
    if (rule.closed_form(group.rule.data(), shape).empty()) return noted;
    CompiledRule program;
    program.step = std::make_shared<const planning::PreparedGraph>(
        missed_steps_graph(group.rule, slot.param.dtype(), shape, is_random(slot)));
    for (const Parameter& parameter : program.step->signature.parameters)
        noted.sources.push_back(source_of(group, slot, parameter, noted.numbers));
    // The next step has other random bits.
    for (Source& source : noted.sources)
        if (source.kind == Source::Kind::step) source.kind = Source::Kind::last_step;
    noted.program = std::make_shared<const CompiledRule>(std::move(program));
    return noted;
}

bool Optimizer::Implementation::options_changed(const Group& group, const ParameterState& slot) const {
    if (!is_lazy()) return false;
    if (slot.missed.variant != variant(group, slot)) return true;
    const std::vector<Number> now = numbers(group, slot);
    return std::ranges::any_of(slot.missed.sources, [&](const Source& source) {
        return source.kind == Source::Kind::number &&
               value_of(now, source) != value_of(slot.missed.numbers, source);
    });
}

void Optimizer::Implementation::add_catch_up(std::list<CatchUp>& all, const Group& group,
                                             ParameterState& slot, Undo& undo) const {
    undo.note(slot);
    CatchUp& made = all.emplace_back(CatchUp{&slot, noted_options(group, slot)});
    if (!slot.is_behind() || slot.missed.sources.empty()) return;
    count_missed(slot, {.all = true});
    // The closed form reads only the mask of the gradient: all elements are specified.
    made.zeros =
        AnyTensor(slot.param.dtype(), Shape{}).to(slot.param.device()).broadcast_to(slot.param.shape());
    made.arguments =
        arguments(slot.missed.sources, slot.missed.numbers, slot, Argument::borrow(made.zeros), {});
    made.ready = slot.missed.program->ready({&made.arguments, 1}, settings);
}

std::list<Optimizer::CatchUp>
Optimizer::Implementation::catch_ups_of_changed(std::span<const Argument> gradients, Undo& undo) {
    std::list<CatchUp> all;
    std::size_t next = 0;
    for (Group& group : groups)
        for (ParameterState& slot : group.slots)
            if (gradients[next++].kind() != Argument::Kind::none && options_changed(group, slot))
                add_catch_up(all, group, slot, undo);
    return all;
}

void Optimizer::Implementation::run(std::list<CatchUp>& all) const {
    const TouchedRows every{.all = true};
    for (CatchUp& one : all) {
        count_missed(*one.slot, every);
        for (const auto& ready : one.ready) ready.run();
        mark_present(*one.slot, every);
        one.slot->missed = std::move(one.next);
    }
}

void Optimizer::Implementation::count_missed(ParameterState& slot, const TouchedRows& rows) const {
    const AnyTensor& steps = slot.find(last_step)->tensor;
    if (!steps.device().is_cpu()) {
        const AnyTensor places = places_of(rows, steps);
        if (places.size() > 0)
            runtime::run(runtime::DeviceKernel::count_missed, {slot.steps}, {places, runtime::flat(steps)},
                         runtime::flat(slot.missed.counts));
        return;
    }
    const auto* last = static_cast<const std::int64_t*>(steps.data());
    auto* counts = static_cast<double*>(slot.missed.counts.data());
    for_each_row(rows, slot.missed.counts.size(),
                 [&](std::int64_t row) { counts[row] = static_cast<double>(slot.steps - last[row]); });
}

void Optimizer::Implementation::mark_present(ParameterState& slot, const TouchedRows& rows) const {
    const AnyTensor& steps = slot.find(last_step)->tensor;
    if (!steps.device().is_cpu()) {
        const AnyTensor places = places_of(rows, steps);
        if (places.size() > 0)
            runtime::run(runtime::DeviceKernel::note_step, {slot.steps}, {places}, runtime::flat(steps));
        return;
    }
    auto* last = static_cast<std::int64_t*>(steps.data());
    for_each_row(rows, slot.missed.counts.size(), [&](std::int64_t row) { last[row] = slot.steps; });
}

Optimizer::PreparedCatchUp::PreparedCatchUp(Implementation& all) : all_(all) {
    if (!all.is_lazy()) return;
    all.check_options();
    for (Group& group : all.groups)
        for (ParameterState& slot : group.slots) all.add_catch_up(catch_ups_, group, slot, undo_);
}

void Optimizer::PreparedCatchUp::run() {
    all_.run(catch_ups_);
    undo_.keep();
}

void Optimizer::catch_up() { PreparedCatchUp(all()).run(); }

}  // namespace frisket::optim
