// SPDX-License-Identifier: MIT
#include "optimizer.hpp"

#include "gradient_norm.hpp"
#include "parameter_state.hpp"

#include <algorithm>
#include <list>
#include <utility>

namespace frisket::optim {

Optimizer::Optimizer(const Settings& settings, AnyRule rule, std::vector<NamedParameter> parameters)
    : implementation_(std::make_unique<Implementation>(settings)) {
    check_untouched(settings.untouched);
    if (settings.kernels == nullptr)
        throw ValueError("optimizer: Settings::kernels is null: leave it out, or give NAME::kernels of a "
                         "library made by frisket_add_kernels");
    implementation_->add(std::move(rule), std::move(parameters));
}
Optimizer::~Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;

Optimizer::Implementation& Optimizer::all() const {
    if (!implementation_) frisket::detail::refuse_moved_from("optimizer", "optimizer");
    return *implementation_;
}

int Optimizer::add_group(AnyRule rule, std::vector<NamedParameter> parameters) {
    all().add(std::move(rule), std::move(parameters));
    return group_count() - 1;
}
int Optimizer::group_count() const { return static_cast<int>(all().groups.size()); }

const AnyRule& Optimizer::rule(int group) const {
    if (group < 0 || group >= group_count())
        throw IndexError("there is no group " + std::to_string(group) + " of parameters: there are " +
                         std::to_string(group_count()));
    return all().groups[static_cast<std::size_t>(group)].rule;
}
AnyRule& Optimizer::rule(int group) { return const_cast<AnyRule&>(std::as_const(*this).rule(group)); }
void Optimizer::set_option(int group, std::string_view option, double value) {
    rule(group).set(option, value);
}
void Optimizer::set_parameter(std::string_view name, AnyTensor tensor) {
    all().set_parameter(name, std::move(tensor));
}
void Optimizer::set_step(std::string_view name, std::int64_t step) { all().set_step(name, step); }

namespace {

/// An option that a rule may have.
bool is_on(std::span<const Number> numbers, std::string_view option) {
    const auto found = std::ranges::find(numbers, option, &Number::name);
    return found != numbers.end() && found->value != 0;
}

}  // namespace

Optimizer::Batch& Optimizer::Implementation::add_call(std::vector<Batch>& batches, Group& group,
                                                      ParameterState& slot, const Argument& gradient,
                                                      Scaling scaling, Undo& undo) {
    const std::vector<Number> numbers = this->numbers(group, slot);
    if (is_on(numbers, "maximize")) scaling.factor = -scaling.factor;
    prepare(group, slot, scaling.is_needed(), undo);
    auto batch = std::ranges::find(batches, slot.program.get(), &Batch::program);
    if (batch == batches.end()) batch = batches.insert(batch, Batch{slot.program.get()});
    batch->calls.push_back(arguments(slot.sources, numbers, slot, gradient, scaling));
    batch->slots.push_back(&slot);
    return *batch;
}

bool Optimizer::Implementation::make_ready(std::vector<Batch>& batches) const {
    bool has_read = false;
    for (Batch& batch : batches) {
        for (std::size_t i = 0; i < batch.rows.size(); ++i) count_missed(*batch.slots[i], *batch.rows[i]);
        batch.ready = batch.program->ready(batch.calls, settings);
        for (const auto& ready : batch.ready) has_read = has_read || ready.has_read;
    }
    return has_read;
}

void Optimizer::Implementation::run(std::vector<Batch>& batches) const {
    for (const Batch& batch : batches) {
        for (std::size_t i = 0; i < batch.rows.size(); ++i) count_missed(*batch.slots[i], *batch.rows[i]);
        for (const auto& ready : batch.ready) ready.run();
        for (ParameterState* slot : batch.slots) ++slot->steps;
        for (std::size_t i = 0; i < batch.rows.size(); ++i) mark_present(*batch.slots[i], *batch.rows[i]);
    }
}

void Optimizer::Implementation::check_gradients(std::span<const Argument> gradients) const {
    if (gradients.size() != parameter_count())
        throw BindingError("a step takes " + std::to_string(gradients.size()) + " gradients for " +
                           std::to_string(parameter_count()) +
                           " parameters: give one for each, {} for one that has none");
    std::size_t next = 0;
    for (const Group& group : groups) {
        if (is_lazy()) check_closed_form(group.rule);
        for (const ParameterState& slot : group.slots)
            if (const Argument& gradient = gradients[next++]; gradient.kind() != Argument::Kind::none)
                check_gradient(group, slot, gradient);
    }
}

Optimizer::PreparedStep::PreparedStep(Implementation& all, std::span<const Argument> gradients,
                                      const Scaling& scaling)
    : all_(all) {
    std::size_t next = 0;
    for (Group& group : all.groups) {
        for (ParameterState& slot : group.slots) {
            const Argument& gradient = gradients[next++];
            if (gradient.kind() == Argument::Kind::none) continue;
            if (!all.is_lazy()) {
                all.add_call(batches_, group, slot, gradient, scaling, undo_);
                continue;
            }
            const WholeRows& rows = whole_.emplace_back(gradient);
            Batch& batch = all.add_call(batches_, group, slot, rows.gradient(), scaling, undo_);
            batch.rows.push_back(&rows.rows());
        }
    }
    catch_ups_ = all.catch_ups_of_changed(gradients, undo_);
    has_read_ = all.make_ready(batches_);
    if (is_made_ready_twice())
        for (const CatchUp& one : catch_ups_) undo_.note_bytes(*one.slot);
}

void Optimizer::PreparedStep::run() {
    all_.run(catch_ups_);
    if (is_made_ready_twice()) all_.make_ready(batches_);
    all_.run(batches_);
    undo_.keep();
}

StepOutcome Optimizer::step(std::span<const Argument> gradients, const GradientOptions& options) {
    Implementation& all = this->all();
    check(options);
    all.check_options();
    all.check_gradients(gradients);
    StepOutcome report;
    const auto squares_for = [&](double scale) {
        double squares = 0;
        for (const Argument& gradient : gradients)
            if (gradient.kind() != Argument::Kind::none)
                squares += sum_of_squares(gradient, scale, all.settings.kernels({}));
        return squares;
    };
    const ScaledSquares squares = wants_norm(options) ? squares_in_range(squares_for) : ScaledSquares{};
    const Scaling scaling{factor_of(squares, options, report), options.clip_value};
    if (report.is_skipped) return report;
    PreparedStep(all, gradients, scaling).run();
    return report;
}

std::size_t place_of_gradient(std::span<const std::string> names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        throw BindingError("there is a gradient of " + name + ", and no parameter of that name");
    return static_cast<std::size_t>(found - names.begin());
}

void refuse_second_gradient(const std::string& name) {
    throw BindingError("there are two gradients of " + name);
}

StepOutcome Optimizer::step(std::initializer_list<NamedArgument> gradients, const GradientOptions& options) {
    const std::vector<std::string> names = all().names();
    std::vector<Argument> ordered(names.size());
    for (const NamedArgument& gradient : gradients) {
        Argument& place = ordered[place_of_gradient(names, gradient.name)];
        if (place.kind() != Argument::Kind::none) refuse_second_gradient(gradient.name);
        place = gradient.value;
    }
    return step(ordered, options);
}

}  // namespace frisket::optim
