// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace extreme_gradients_test {

using namespace frisket;
using namespace frisket::optim;

namespace {

/// A parameter of two elements after steps that specify the first one.
template <class T>
std::vector<T> after(int steps, const AnyRule& rule, Untouched untouched, auto&& gradient_of) {
    Tensor<T> param = full<T>({2}, T(1.0F));
    Optimizer optimizer({.untouched = untouched, .interpret = true}, rule, {{"param", param}});
    for (int step = 0; step < steps; ++step) {
        const T value(static_cast<float>(gradient_of(step)));
        optimizer.step({MaskedTensor<T>::coo({2}, {{0}}, {value})});
    }
    optimizer.catch_up();
    return param.to_vector();
}

}  // namespace

// The exact variance of a constant gradient is g^2 (1 - alpha^t) alpha^t, which is never negative.
TEMPLATE_TEST_CASE("centred RMSprop stays finite under a constant gradient", "", float, double, float16,
                   bfloat16) {
    const bool is_wide = sizeof(TestType) > 2;
    for (const Untouched untouched : {Untouched::masked, Untouched::dense_equivalent, Untouched::caught_up})
        for (const double momentum : {0.0, 0.5})
            for (const double constant : {3.0, -0.1, is_wide ? 1e-20 : 1e-3, is_wide ? 1e20 : 1e3}) {
                CAPTURE(static_cast<int>(untouched), momentum, constant);
                const RMSprop rule{.lr = 1e-11, .alpha = 0.9, .momentum = momentum, .centered = true};
                const auto param = after<TestType>(200, rule, untouched, [&](int) { return constant; });
                CHECK(std::isfinite(static_cast<double>(param[0])));
                CHECK(static_cast<double>(param[1]) == 1);
            }
}

namespace {

/// The least positive number.
template <class T>
double least_of() {
    if constexpr (std::is_same_v<T, float16>)
        return 0x1p-24;
    else if constexpr (std::is_same_v<T, bfloat16>)
        return 0x1p-133;
    else
        return std::numeric_limits<T>::denorm_min();
}

/// Sequences of gradients, by step.
template <class T>
double gradient_of(int sequence, int step) {
    const double huge = std::is_same_v<T, float16>  ? 30
                        : std::is_same_v<T, double> ? 1e160
                                                    : 1e20,
                 tiny = std::is_same_v<T, float16> ? 1e-6 : 1 / huge;
    const bool is_odd = step % 2 == 1;
    switch (sequence) {
        case 0: return 3;
        case 1: return is_odd ? 3 : -3;
        case 2: return huge;
        case 3: return is_odd ? huge : -huge;
        case 4: return tiny;
        case 5: return is_odd ? tiny : -tiny;
        case 6: return least_of<T>();
        default: return step == 20 ? huge : 1e-3;
    }
}

template <class T>
T rounded(double value) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(value);
    else
        return T(static_cast<float>(value));
}

/// Default options of all rules, and options that change formulas.
std::vector<AnyRule> rules_of_test() {
    std::vector<AnyRule> rules;
    for (const std::string_view name : rule_names())
        if (name != LARS::name && name != Adafactor::name && name != Rprop::name)
            rules.push_back(rule_of(name));
    // At the default rates the exact parameters leave float32, of Rprop float16: Adafactor's grows by 1 % a
    // step.
    rules.emplace_back(Rprop{.step_size_max = 1});
    rules.emplace_back(LARS{.lr = 1e-2});
    rules.emplace_back(Adafactor{.lr = 1e-3});
    rules.emplace_back(SGD{.momentum = 0.9, .nesterov = true});
    rules.emplace_back(RMSprop{.momentum = 0.9});
    rules.emplace_back(RMSprop{.lr = 1e-6, .centered = true});
    rules.emplace_back(RMSprop{.lr = 1e-6, .momentum = 0.9, .centered = true});
    rules.emplace_back(Adam{.amsgrad = true});
    rules.emplace_back(AdamW{.amsgrad = true});
    rules.emplace_back(RowwiseAdagrad{.row_denominator = RowwiseAdagrad::Denominator::dim});
    rules.emplace_back(LARS{.lr = 1e-2, .norm_form = LARS::NormForm::sum});
    rules.emplace_back(Adafactor{.lr = 1e-3, .beta2_decay = 0});
    return rules;
}

/// Each of those with one option changed: a truth turned round, some decay of weights.
std::vector<AnyRule> with_options() {
    std::vector<AnyRule> rules = rules_of_test();
    for (const AnyRule& rule : rules_of_test())
        for (const OptionText& option : rule.options()) {
            const bool is_decay = option.name == "weight_decay" && option.text == "0";
            const bool is_truth = option.text == "true" || option.text == "false";
            if (!is_decay && !is_truth) continue;
            AnyRule changed = rule;
            changed.set(option.name, is_decay ? "0.01" : option.text == "true" ? "false" : "true");
            // The exact variance of a constant gradient becomes 0.
            if (option.name == "centered") changed.set("lr", "1e-6");
            try {
                changed.check();
            } catch (const ValueError&) { continue; }  // Nesterov's step without momentum, for instance
            rules.push_back(changed);
        }
    return rules;
}

template <class T>
void check_rules(int steps, const std::vector<AnyRule>& rules) {
    constexpr int sequences = 8;
    for (const AnyRule& rule : rules) {
        std::vector<Tensor<T>> params, gradients;
        std::vector<NamedParameter> named;
        for (int i = 0; i < sequences; ++i) {
            params.push_back(full<T>({2, 2}, T(1.0F)));
            gradients.push_back(zeros<T>({2, 2}));
            named.push_back({std::to_string(i), params.back()});
        }
        Optimizer optimizer(rule, named);
        std::string options;
        for (const OptionText& option : rule.options())
            options.append(" ").append(option.name).append("=").append(option.text);
        const std::vector<Argument> given(gradients.begin(), gradients.end());
        for (int step = 0; step < steps; ++step) {
            for (int i = 0; i < sequences; ++i)
                for (int element = 0; element < 4; ++element)
                    gradients[static_cast<std::size_t>(i)].data()[element] =
                        rounded<T>(gradient_of<T>(i, step) / (1 + element));
            optimizer.step(given);
        }
        for (int i = 0; i < sequences; ++i)
            for (const T value : params[static_cast<std::size_t>(i)].to_vector()) {
                CAPTURE(rule.info().name, options, i, static_cast<double>(value));
                CHECK(std::isfinite(static_cast<double>(value)));
            }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("parameters of every rule stay finite over 1,000 extreme gradients", "", float) {
    check_rules<TestType>(1000, rules_of_test());
}

TEMPLATE_TEST_CASE("parameters of every rule stay finite over 10,000 extreme gradients", "[deep]", float,
                   double, float16, bfloat16) {
    check_rules<TestType>(10'000, with_options());
}

// The exact sign of the product of two gradients does not depend on their size.
TEST_CASE("Rprop compares signs of gradients whose product underflows") {
    const Rprop rule{.lr = 0.5, .etaplus = 2};
    const auto tiny = after<float>(3, rule, Untouched::masked, [](int) { return 1e-30; });
    CHECK(tiny[0] == 1 - (0.5F + 1 + 2));
}

}  // namespace extreme_gradients_test
