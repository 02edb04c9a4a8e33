// SPDX-License-Identifier: MIT
#include "optimizer.hpp"

#include "../runtime/kernel/binding.hpp"
#include "gradient_norm.hpp"
#include "parameter_state.hpp"

#include <algorithm>
#include <cmath>
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

namespace {

/// An option that a rule may have.
bool is_on(std::span<const Number> numbers, std::string_view option) {
    const auto found = std::ranges::find(numbers, option, &Number::name);
    return found != numbers.end() && found->value != 0;
}

/// Errors: ValueError naming the option, its value and its range.
void check(const GradientOptions& options) {
    // An infinite bound is none.
    constexpr OptionRange bound{.low = 0, .high = std::numeric_limits<double>::infinity()};
    const auto refuse = [](std::string_view name, double value, const std::string& wanted) {
        throw ValueError("step: option " + std::string(name) + " is " + detail::option_text(value) +
                         ", wanted " + wanted);
    };
    if (!range::positive.contains(options.scale)) refuse("scale", options.scale, range::positive.text());
    if (!bound.contains(options.clip_norm)) refuse("clip_norm", options.clip_norm, "0 or more");
    if (!bound.contains(options.clip_value)) refuse("clip_value", options.clip_value, "0 or more");
}

/// The factor of all gradients; sets is_skipped in the report if there is to be no step.
double factor_of(std::span<const Argument> gradients, const GradientOptions& options, KernelProvider kernels,
                 StepOutcome& report) {
    const double unscale = 1 / options.scale;
    const bool is_clipped = options.clip_norm != std::numeric_limits<double>::infinity();
    if (!is_clipped && !options.skip_nonfinite) return unscale;
    double squares = 0;
    for (const Argument& gradient : gradients)
        if (gradient.kind() != Argument::Kind::none) squares += sum_of_squares(gradient, kernels({}));
    report.norm = std::sqrt(squares) * std::abs(unscale);
    report.is_skipped = options.skip_nonfinite && !std::isfinite(report.norm);
    // Equals torch.nn.utils.clip_grad_norm_.
    return is_clipped ? unscale * std::min(1.0, options.clip_norm / (report.norm + 1e-6)) : unscale;
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
    // A kernel checks its calls when they are made ready.
    if (!slot.program->kernel) kernel::check_call(slot.program->signature, batch->calls.back());
    return *batch;
}

bool Optimizer::Implementation::make_ready(std::vector<Batch>& batches) const {
    bool has_read = false;
    for (Batch& batch : batches) {
        for (std::size_t i = 0; i < batch.rows.size(); ++i) count_missed(*batch.slots[i], *batch.rows[i]);
        batch.ready = batch.program->ready(batch.calls, settings);
        for (const auto& ready : batch.ready) has_read = has_read || ready->has_read();
    }
    return has_read;
}

void Optimizer::Implementation::run(std::vector<Batch>& batches) const {
    for (const Batch& batch : batches) {
        for (std::size_t i = 0; i < batch.rows.size(); ++i) count_missed(*batch.slots[i], *batch.rows[i]);
        for (const auto& ready : batch.ready) ready->run();
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

StepOutcome Optimizer::step(std::span<const Argument> gradients, const GradientOptions& options) {
    Implementation& all = this->all();
    check(options);
    all.check_options();
    all.check_gradients(gradients);
    StepOutcome report;
    const Scaling scaling{factor_of(gradients, options, all.settings.kernels, report), options.clip_value};
    if (report.is_skipped) return report;
    // All that can fail comes before the first byte is written.
    Undo undo;
    std::vector<Batch> batches;
    std::list<WholeRows> whole;  // one for each gradient of Untouched::caught_up
    std::size_t next = 0;
    for (Group& group : all.groups) {
        for (ParameterState& slot : group.slots) {
            const Argument& gradient = gradients[next++];
            if (gradient.kind() == Argument::Kind::none) continue;
            if (!all.is_lazy()) {
                all.add_call(batches, group, slot, gradient, scaling, undo);
                continue;
            }
            const WholeRows& rows = whole.emplace_back(gradient);
            Batch& batch = all.add_call(batches, group, slot, rows.gradient(), scaling, undo);
            batch.rows.push_back(&rows.rows());
        }
    }
    std::list<CatchUp> catch_ups = all.catch_ups_of_changed(gradients, undo);
    const bool has_read = all.make_ready(batches);
    if (has_read && !catch_ups.empty()) {
        // Calls made ready from values of tensors are void once the values have changed.
        for (const CatchUp& one : catch_ups) undo.note_bytes(*one.slot);
        all.run(catch_ups);
        all.make_ready(batches);
    } else {
        all.run(catch_ups);
    }
    all.run(batches);
    undo.keep();
    return report;
}

StepOutcome Optimizer::step(std::initializer_list<NamedArgument> gradients, const GradientOptions& options) {
    const std::vector<std::string> names = all().names();
    std::vector<Argument> ordered(names.size());
    for (const NamedArgument& gradient : gradients) {
        const auto found = std::ranges::find(names, gradient.name);
        if (found == names.end())
            throw BindingError("there is a gradient of " + std::string(gradient.name) +
                               ", and no parameter of that name");
        Argument& place = ordered[static_cast<std::size_t>(found - names.begin())];
        if (place.kind() != Argument::Kind::none)
            throw BindingError("there are two gradients of " + std::string(gradient.name));
        place = gradient.value;
    }
    return step(ordered, options);
}

}  // namespace frisket::optim
