// SPDX-License-Identifier: MIT
#include "../../codegen/loops/schedule.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "generator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <iterator>

/// Results of generated steps and expressions.
namespace fuzz {

int form_named(std::string_view name) {
    const auto table = forms();
    return static_cast<int>(std::ranges::find(table, name, &Form::name) - table.begin());
}

/// One that the step reads as well.
std::optional<int> Generator::known_target(const Value& x) const {
    for (int i = 0; i < static_cast<int>(program_.inputs.size()); ++i) {
        const Input& input = program_.inputs[static_cast<std::size_t>(i)];
        const bool has_alias = input.same_as >= 0 || std::ranges::find(program_.inputs, i, &Input::same_as) !=
                                                         program_.inputs.end();
        const Shape& shape = is_kernel() ? base_ : x.shape();
        if (input.takes == Takes::tensor && !input.mask && input.bound == 0 && !has_alias &&
            input.lies != Lies::repeated && input.values.shape() == shape &&
            input.values.dtype() == x.node().result_dtype())
            return i;
    }
    return {};
}

/// Adds a target for a value; false if no target can be added.
bool Generator::add_target(int value, bool is_early) {
    const std::deque<Bound> tensors = store(program_, {});
    Building known(program_, tensors, {.is_step = true, .has_shapes = true});
    known.add_all();
    const Value x = known[value];
    const std::size_t inputs = program_.inputs.size();
    std::optional<int> input = one_in(2) || is_early ? known_target(x) : std::nullopt;
    if (!input) {
        if (is_early) return false;
        DType dtype = x.node().result_dtype();
        if (one_in(4) && dtype != DType::boolean)
            dtype = info_of(dtype).is_float && one_in(2)
                        ? any_of({DType::float16, DType::bfloat16, DType::float32})
                        : DType::float64;
        const bool may_round = is_kernel() && (dtype == DType::float32 || dtype == DType::float64);
        if (may_round && one_in(2)) dtype = one_in(2) ? DType::float16 : DType::bfloat16;
        const Shape& shape = is_kernel() ? base_ : x.shape();
        Input target{.values = random_values(dtype, shape, flavour_, random_)};
        if (one_in(3)) target.lies = static_cast<Lies>(below(5));
        program_.inputs.push_back(target);
        input = static_cast<int>(program_.inputs.size()) - 1;
    }
    program_.targets.push_back({*input, value, !x.is_masked(), is_early});
    if (is_runnable()) return true;
    program_.targets.pop_back();
    program_.inputs.resize(inputs);
    return false;
}

bool Generator::is_runnable() const {
    const Outcome outcome = run(program_, {}, interpreter());
    return !outcome.error || *outcome.error == ErrorCode::mask_mismatch;
}

/// A number that becomes another, and now and then that a third.
void Generator::add_state_update() {
    for (int i = 0; i < static_cast<int>(program_.inputs.size()); ++i) {
        if (program_.inputs[static_cast<std::size_t>(i)].takes != Takes::state) continue;
        if (one_in(2)) add_state_update(i, true);
        add_state_update(i, false);
    }
}

bool Generator::add_state_update(int input, bool is_early) {
    Instruction one;
    one.form = form_named("with number");
    one.op = any_of({op_id<op::Mul>, op_id<op::Add>, op_id<op::Sub>, op_id<op::Pow>});
    one.operands = {-1 - input};
    one.number = any_of({0.5, -1.0, 2.0, 3.0});
    program_.instructions.push_back(one);
    program_.targets.push_back({.input = input, .value = count() - 1, .is_early = is_early});
    if (is_runnable()) return true;
    program_.targets.pop_back();
    program_.instructions.pop_back();
    return false;
}

/// A target of 16 bits of a kernel, of which some are rounded at random.
void Generator::choose_rounding() {
    for (const Target& target : program_.targets) {
        const DType dtype = program_.inputs[static_cast<std::size_t>(target.input)].values.dtype();
        if ((dtype != DType::float16 && dtype != DType::bfloat16) || one_in(3)) continue;
        program_.rounded = target.input;
        if (is_runnable()) return;
        program_.rounded = -1;
    }
}

/// A value of which an infinity or NaN skips the step, in a quarter of those that update nothing early.
void Generator::choose_skip() {
    testing::Random random(seed_ + 2);
    if (random.below(4) > 0 || std::ranges::any_of(program_.targets, &Target::is_early)) return;
    for (int value = count() - 1; value >= -known_inputs_ && program_.skips.empty(); --value) {
        program_.skips = {value};
        if (!is_runnable()) program_.skips.clear();
    }
}

void Generator::add_targets() {
    const std::int64_t wanted = 1 + below(3) + below(2);
    for (int value = count() - 1; value >= 0 && std::ssize(program_.targets) < wanted; --value)
        add_target(value, false);
    if (program_.targets.empty()) return;
    add_state_update();
    if (!is_kernel()) return choose_skip();
    choose_rounding();
    choose_schedule();
}

/// Strategies whose loops can walk the tensors of a kernel's call; any, for a step that is refused.
std::vector<Strategy> Generator::legal_for_call() const {
    const std::deque<Bound> tensors = store(program_, {});
    std::vector<Layout> layouts;
    for (const Bound& bound : tensors)
        if (const auto* masked = std::get_if<AnyMasked>(&bound))
            layouts.push_back(runtime::kernel_layout(masked->layout()));
    std::vector<Strategy> legal{Strategy::strided};
    try {
        const Signature signature = signature_of(graph_of(program_, tensors));
        std::ranges::copy(kernel_calls::legal_strategies(signature, layouts), std::back_inserter(legal));
    } catch (const Error&) {}  // masks that do not meet, of which a few programs remain
    return legal;
}

/// One of those, with knobs of its own.
void Generator::choose_schedule() {
    if (one_in(8)) return;
    const std::vector<Strategy> legal = legal_for_call();
    // Strategies come last that calls do not take by themselves.
    const std::int64_t count = std::ssize(legal), first = one_in(4) ? 0 : count * 2 / 3;
    const Strategy strategy = legal[static_cast<std::size_t>(first + below(count - first))];
    std::string text(name_of(strategy));
    for (const Knob& knob : knobs()) {
        if (!has(strategy, knob) || knob.name == "block" || knob.name == "tail" || !one_in(3)) continue;
        std::int64_t value = knob.least;
        for (std::int64_t doublings = below(7); doublings > 0 && 2 * value <= knob.most; --doublings)
            value *= 2;
        const std::string more = text + " " + std::string(knob.name) + "=" + std::to_string(value);
        try {
            static_cast<void>(schedule(more));
            text = more;
        } catch (const ScheduleError&) {}  // knobs that do not go together
    }
    program_.schedule = text;
}

/// Chooses all values that nothing reads as results, and now and then a value that something reads.
void Generator::choose_results() {
    std::vector<bool> is_read(program_.instructions.size());
    for (const Instruction& one : program_.instructions)
        for (const int operand : one.operands)
            if (operand >= 0) is_read[static_cast<std::size_t>(operand)] = true;
    for (int i = 0; i < count(); ++i)
        if (!is_read[static_cast<std::size_t>(i)] || one_in(5)) program_.results.push_back(i);
}

}  // namespace fuzz
