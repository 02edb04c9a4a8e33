// SPDX-License-Identifier: MIT
#include "optimizers.hpp"

#include "../../optim/optim.hpp"
#include "generate.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace fuzz {

namespace {

using namespace optim;

/// Values that options take, all of them in range; an option that is not here keeps its default.
std::vector<std::string> values_of(const OptionText& option) {
    if (option.text == "true" || option.text == "false") return {"true", "false"};
    struct Row {
        std::string_view name;
        std::vector<std::string> values;
    };
    static const std::vector<Row> table{
        {"lr", {"0.5", "0.1", "0.001", "1"}},
        {"beta1", {"0", "0.5", "0.9"}},
        {"beta2", {"0.5", "0.9", "0.999"}},
        {"momentum", {"0", "0.5", "0.9"}},
        {"alpha", {"0.5", "0.9", "0.75"}},
        {"rho", {"0.5", "0.9"}},
        {"eps", {"1e-8", "0.001", "1"}},
        {"weight_decay", {"0", "0.1", "0.01"}},
        {"lr_decay", {"0", "0.1"}},
        {"initial_accumulator_value", {"0", "0.5"}},
        {"l1", {"0", "0.1"}},
        {"l2", {"0", "0.1"}},
        {"lambd", {"0.0001", "0.1"}},
        {"t0", {"1", "2", "1000000"}},
        {"etaminus", {"0.5", "0.25"}},
        {"etaplus", {"1.2", "2"}},
        {"trust_coefficient", {"0.001", "0.5"}},
        {"momentum_decay", {"0.004", "0.1"}},
        {"norm_scope", {"specified", "all"}},
        {"norm_form", {"update", "sum"}},
        {"weight_decay_mode", {"none", "l2", "decoupled"}},
        {"row_denominator", {"count", "dim"}},
        {"adjust_lr_fn", {"original", "match_rms_adamw"}},
    };
    const auto found = std::ranges::find(table, option.name, &Row::name);
    return found == table.end() ? std::vector<std::string>() : found->values;
}

AnyRule rule_with(const Trajectory& trajectory) {
    AnyRule rule = rule_of(trajectory.rule);
    for (const Option& option : trajectory.options) rule.set(option.name, option.text);
    return rule;
}

/// The options that plain loops can take over: all but a norm, and the clipping after it.
GradientOptions applicable(const GradientOptions& options) {
    GradientOptions made{.scale = options.scale};
    if (!std::isfinite(options.clip_norm)) made.clip_value = options.clip_value;
    return made;
}

GradientOptions left_over(const GradientOptions& options) {
    GradientOptions left = options;
    left.scale = 1;
    if (!std::isfinite(options.clip_norm)) left.clip_value = GradientOptions().clip_value;
    return left;
}

void apply(const GradientOptions& options, const AnyTensor& gradient) {
    Tensor<double> values(gradient.to(DType::float64).clone());
    for (std::int64_t i = 0; i < values.size(); ++i)
        values.data()[i] =
            std::clamp(values.data()[i] / options.scale, -options.clip_value, options.clip_value);
    copy(values.to(gradient.dtype()), gradient);
}

/// A gradient in any layout that can hold it, or none.
std::optional<Bound> any_gradient(const Trajectory& trajectory, const Shape& shape, testing::Random& random) {
    Program one;
    Input input{.values = random_values(trajectory.dtype, shape, {}, random)};
    if (trajectory.are_options_applied) apply(applicable(trajectory.gradients), input.values);
    if (random.below(8) == 0) return {};
    const AnyTensor mask = random_mask_of(shape, random);
    input.lies = trajectory.lies;
    input.layout = trajectory.layout;
    input.listed = trajectory.listed;
    if (rule_of(trajectory.rule).info().no_mask.empty() && random.below(8) > 0) input.mask = mask;
    one.inputs.push_back(input);
    return store(one, {}).front();
}

/// One step, each parameter with a gradient of its own.
void step_once(Optimizer& optimizer, const Trajectory& trajectory, testing::Random& random) {
    std::deque<std::optional<Bound>> kept;
    std::vector<Argument> gradients;
    for (const Shape& shape : trajectory.shapes) {
        const auto& bound = kept.emplace_back(any_gradient(trajectory, shape, random));
        if (!bound)
            gradients.emplace_back();
        else if (const auto* masked = std::get_if<AnyMasked>(&*bound))
            gradients.emplace_back(*masked);
        else
            gradients.emplace_back(std::get<AnyTensor>(*bound));
    }
    optimizer.step(gradients,
                   trajectory.are_options_applied ? left_over(trajectory.gradients) : trajectory.gradients);
}

struct Stepped {
    Outcome outcome;
    std::vector<std::string> names;
};

Stepped stepped(const Trajectory& trajectory, bool interpret) {
    Stepped made;
    testing::Random random(trajectory.seed);
    const auto add = [&](const std::string& name, const AnyTensor& tensor) {
        made.names.push_back(name);
        made.outcome.results.push_back({tensor});
    };
    try {
        std::vector<NamedParameter> parameters;
        for (const Shape& shape : trajectory.shapes)
            parameters.push_back({"p" + std::to_string(parameters.size()),
                                  random_values(trajectory.dtype, shape, {}, random)});
        Optimizer optimizer({.untouched = trajectory.untouched,
                             .interpret = interpret,
                             .stochastic_rounding = trajectory.is_rounded,
                             .seed = trajectory.seed},
                            rule_with(trajectory), parameters);
        for (int step = 0; step < trajectory.steps; ++step) {
            if (step > 0 && step == trajectory.changed_lr_at) optimizer.rule().set("lr", "0.25");
            step_once(optimizer, trajectory, random);
        }
        optimizer.catch_up();
        for (const NamedParameter& parameter : parameters) add(parameter.name, parameter.tensor);
        for (const StateEntry& entry : optimizer.state())
            add(entry.parameter + "." + entry.name, entry.value);
    } catch (const Error& error) {
        made.outcome.error = error.code();
        made.outcome.text = error.what();
        made.outcome.results.clear();
    }
    return made;
}

/// Rules whose steps hold reductions, whose order is free, or powers.
bool is_exact(const Trajectory& trajectory) {
    static constexpr std::string_view inexact[] = {"lamb", "lars", "adafactor",
                                                   "muon", "ftrl", "rowwise_adagrad"};
    return std::ranges::find(inexact, trajectory.rule) == std::end(inexact) &&
           trajectory.untouched != Untouched::caught_up && !std::isfinite(trajectory.gradients.clip_norm);
}

double tolerance_of(DType dtype) {
    if (dtype == DType::float64) return 1e-9;
    return dtype == DType::float32 ? 1e-3 : 0.05;
}

/// Place where two tensors differ by more than they may; empty: none.
std::string difference(const AnyTensor& found, const AnyTensor& wanted, bool is_exact, double tolerance,
                       Comparison& judgement) {
    const Tensor<double> a(found.to(DType::float64).clone()), b(wanted.to(DType::float64).clone());
    double largest = 0;
    for (std::int64_t i = 0; i < b.size(); ++i)
        if (std::isfinite(b.data()[i])) largest = std::max(largest, std::abs(b.data()[i]));
    for (std::int64_t i = 0; i < a.size(); ++i) {
        const double x = a.data()[i], y = b.data()[i];
        const bool is_same = x == y || (std::isnan(x) && std::isnan(y));
        judgement.exact += is_same;
        if (is_same) continue;
        if (!is_exact && std::abs(x - y) <= tolerance * std::max(largest, 1.0)) {
            ++judgement.close;
            continue;
        }
        std::ostringstream text;
        text.precision(17);
        text << "element " << i << " of " << to_string(found.shape()) << " is " << x << ", wanted " << y;
        return text.str();
    }
    return "";
}

/// Shapes of parameters, some of them past the end of a task.
std::vector<Shape> any_shapes(bool are_matrices, testing::Random& random) {
    std::vector<Shape> shapes;
    static constexpr std::int64_t extents[] = {1, 2, 3, 4, 8, 17, 33, 64, 65, 0};
    for (std::int64_t left = 1 + random.below(3); left > 0; --left) {
        Shape shape;
        const std::int64_t rank = are_matrices ? 2 : 1 + random.below(3);
        for (std::int64_t d = 0; d < rank; ++d) shape.push_back(extents[random.below(d > 1 ? 4 : 10)]);
        shapes.push_back(shape);
    }
    if (!are_matrices && random.below(20) == 0) shapes[0] = {65536 + random.below(3) - 1};
    return shapes;
}

}  // namespace

Trajectory with_other_data(const Trajectory& trajectory, std::uint32_t seed) {
    testing::Random random(seed);
    Trajectory made = trajectory;
    made.seed = seed;
    made.shapes = any_shapes(made.rule == "muon", random);
    made.steps = 1 + static_cast<int>(random.below(8));
    made.changed_lr_at = static_cast<int>(random.below(6));
    made.listed = static_cast<Listed>(random.below(3));
    return made;
}

Trajectory generate_trajectory(std::uint32_t seed) {
    testing::Random random(seed);
    Trajectory made;
    made.seed = seed;
    made.untouched = static_cast<Untouched>(random.below(3));
    const auto names = rule_names();
    // Some rules cannot catch up rows; one refusal in a while is enough.
    for (int tries = 0; tries < 3; ++tries) {
        made.rule = names[static_cast<std::size_t>(random.below(std::ssize(names)))];
        const AnyRule rule = rule_of(made.rule);
        if (made.untouched != Untouched::caught_up || rule.info().no_closed_form(rule.data()).empty()) break;
    }
    const auto options = rule_of(made.rule).options();
    for (const OptionText& option : options) {
        const auto values = values_of(option);
        if (values.empty() || random.below(3) > 0) continue;
        made.options.push_back(
            {option.name, values[static_cast<std::size_t>(random.below(std::ssize(values)))]});
    }
    // Several iterations would take loops seconds to compile.
    if (made.rule == "muon") made.options.push_back({"ns_steps", "1"});
    static constexpr DType dtypes[] = {DType::float32, DType::float32, DType::float64, DType::float16,
                                       DType::bfloat16};
    made.dtype = dtypes[random.below(5)];
    made.shapes = any_shapes(made.rule == "muon", random);
    const bool has_16_bits = made.dtype == DType::float16 || made.dtype == DType::bfloat16;
    made.is_rounded = has_16_bits && random.below(2) == 0;
    if (random.below(3) == 0) made.gradients.scale = 4;
    if (random.below(3) == 0) made.gradients.clip_norm = 1;
    if (random.below(3) == 0) made.gradients.clip_value = 0.5;
    made.gradients.skip_nonfinite = random.below(5) == 0;
    made.steps = 1 + static_cast<int>(random.below(8));
    const auto layouts = all_layouts();
    made.layout = layouts[static_cast<std::size_t>(random.below(std::ssize(layouts)))];
    if (random.below(4) == 0) made.lies = static_cast<Lies>(random.below(5));
    made.listed = static_cast<Listed>(random.below(3));
    made.changed_lr_at = static_cast<int>(random.below(8));
    return made;
}

namespace {

/// Compares the tensors that both have by the names of parameters and state.
void compare(const Stepped& found, const Stepped& wanted, const Trajectory& trajectory, bool exactly,
             Comparison& judgement) {
    const std::vector<Result>&of = found.outcome.results, &by = wanted.outcome.results;
    for (std::size_t i = 0; i < by.size() && judgement.fault.empty(); ++i) {
        const auto same = std::ranges::find(found.names, wanted.names[i]);
        if (same == found.names.end()) continue;
        judgement.fault = difference(of[static_cast<std::size_t>(same - found.names.begin())].values,
                                     by[i].values, exactly, tolerance_of(trajectory.dtype), judgement);
        if (!judgement.fault.empty()) judgement.fault = wanted.names[i] + ": " + judgement.fault;
    }
}

/// These steps by other means: gradients scaled and clipped before, no row left behind.
Trajectory reference_of(const Trajectory& trajectory) {
    Trajectory reference = trajectory;
    reference.are_options_applied = true;
    if (trajectory.untouched == Untouched::caught_up) reference.untouched = Untouched::dense_equivalent;
    return reference;
}

/// True if rows that catch up have the numbers of rows that were never behind.  Exceptions are
/// numbers of 16 bits, as each missed step rounds, and the mean of a row without elements, which is NaN from
/// the first step of all rows on, and which nothing touches.
bool has_reference(const Trajectory& trajectory) {
    if (trajectory.untouched != Untouched::caught_up) return true;
    const auto is_empty = [](const Shape& shape) { return element_count(shape) == 0; };
    return bytes_of(trajectory.dtype) > 2 && std::ranges::none_of(trajectory.shapes, is_empty);
}

}  // namespace

namespace {

/// Compares the last of steps that raised no error with steps by other means.
void compare_with_reference(const Stepped& found, const Trajectory& trajectory, Comparison& judgement) {
    if (judgement.is_error || !judgement.fault.empty() || !has_reference(trajectory)) return;
    compare(found, stepped(reference_of(trajectory), true), trajectory, is_exact(trajectory), judgement);
    if (!judgement.fault.empty()) judgement.fault = "against plain steps, " + judgement.fault;
}

}  // namespace

Comparison judge(const Trajectory& trajectory) {
    Comparison judgement;
    const Stepped wanted = stepped(trajectory, true);
    judgement.is_error = wanted.outcome.error.has_value();
    if (!trajectory.is_compiled) {
        compare_with_reference(wanted, trajectory, judgement);
        return judgement;
    }
    const Stepped found = stepped(trajectory, false);
    if (found.outcome.error != wanted.outcome.error) {
        judgement.fault = "gives " + (found.outcome.error ? found.outcome.text : "no error") + ", wanted " +
                          (wanted.outcome.error ? wanted.outcome.text : "no error");
        return judgement;
    }
    compare(found, wanted, trajectory, is_exact(trajectory), judgement);
    compare_with_reference(found, trajectory, judgement);
    return judgement;
}

Trajectory minimised(Trajectory trajectory) {
    const auto take = [&](const auto& change) {
        Trajectory candidate = trajectory;
        change(candidate);
        if (!judge(candidate).fault.empty()) trajectory = candidate;
    };
    for (int steps = 1; steps < trajectory.steps; ++steps) take([&](Trajectory& t) { t.steps = steps; });
    while (trajectory.shapes.size() > 1) {
        const auto before = trajectory.shapes.size();
        take([](Trajectory& t) { t.shapes.erase(t.shapes.begin()); });
        take([](Trajectory& t) {
            if (t.shapes.size() > 1) t.shapes.pop_back();
        });
        if (trajectory.shapes.size() == before) break;
    }
    for (std::size_t i = trajectory.options.size(); i-- > 0;)
        take([&](Trajectory& t) { t.options.erase(t.options.begin() + static_cast<std::ptrdiff_t>(i)); });
    take([](Trajectory& t) { t.gradients = {}; });
    take([](Trajectory& t) { t.changed_lr_at = 0; });
    take([](Trajectory& t) { t.is_rounded = false; });
    take([](Trajectory& t) { t.layout = Layout::strided; });
    take([](Trajectory& t) { t.lies = Lies::rows; });
    take([](Trajectory& t) { t.listed = Listed::ascending; });
    take([](Trajectory& t) { t.untouched = Untouched::masked; });
    for (std::size_t d = 0; d < trajectory.shapes[0].size(); ++d)
        for (const std::int64_t extent : {1, 2, 3}) take([&](Trajectory& t) { t.shapes[0][d] = extent; });
    return trajectory;
}

std::string text_of(const Trajectory& trajectory) {
    static constexpr std::string_view untouched[] = {"masked", "dense_equivalent", "caught_up"};
    std::ostringstream out;
    out << trajectory.steps << " steps of " << trajectory.rule;
    for (const Option& option : trajectory.options) out << " " << option.name << "=" << option.text;
    out << ", parameters of " << name_of(trajectory.dtype);
    for (const Shape& shape : trajectory.shapes) out << " " << to_string(shape);
    out << ", Untouched::" << untouched[static_cast<int>(trajectory.untouched)]
        << (trajectory.is_rounded ? ", rounded stochastically" : "") << ", scale "
        << trajectory.gradients.scale << ", clip_norm " << trajectory.gradients.clip_norm << ", clip_value "
        << trajectory.gradients.clip_value << (trajectory.gradients.skip_nonfinite ? ", skip_nonfinite" : "")
        << (trajectory.changed_lr_at > 0 ? ", lr 0.25 from step " + std::to_string(trajectory.changed_lr_at)
                                         : "")
        << ", layout " << name_of(trajectory.layout) << "; gradients of seed " << trajectory.seed << "\n";
    return out.str();
}

}  // namespace fuzz
