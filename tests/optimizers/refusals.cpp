// SPDX-License-Identifier: MIT
// What optimizers refuse, by name: options outside their ranges, state that is none, memory that is shared.
#include "../support/folder.hpp"
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>

namespace refusals_test {

using namespace frisket;
using namespace frisket::optim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using frisket::testing::Folder;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

auto says(const std::string& text) { return MessageMatches(ContainsSubstring(text)); }

/// A rule whose step would leave out one parameter of many.
struct Skipping {
    static constexpr std::string_view name = "skipping";
    double lr = 0.5;
    static constexpr Option options[] = {option<&Skipping::lr>("lr")};
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        constexpr Param<T> param;
        constexpr Grad<T> grad;
        constexpr Scalar<"lr"> rate;
        use(frisket::step<"skipping">(skip_nonfinite(grad), param -= rate * grad));
    }
};

/// Values just outside a range, and those that are in none.
std::vector<double> outside(const OptionRange& range) {
    std::vector<double> values{not_a_number, inf, -inf};
    if (range.low > -std::numeric_limits<double>::max())
        values.push_back(range.low_is_excluded ? range.low : std::nextafter(range.low, -inf));
    if (range.high < std::numeric_limits<double>::max())
        values.push_back(range.high_is_excluded ? range.high : std::nextafter(range.high, inf));
    return values;
}

template <class Rule>
void check_ranges() {
    for (const Option& option : Rule::options) {
        if (option.choice_count > 0) continue;
        const std::string name(option.name);
        INFO(Rule::name << ": " << name);
        for (const double value : outside(option.range)) {
            AnyRule rule{Rule()};
            const auto before = rule.options();
            CHECK_THROWS_MATCHES(rule.set(name, frisket::optim::detail::option_text(value)), ValueError,
                                 says(std::string(Rule::name) + ": option " + name + " is \"" +
                                      frisket::optim::detail::option_text(value) + "\", wanted "));
            CHECK(rule.options() == before);
        }
    }
}

/// An optimizer of one parameter, and gradients for it.
struct Small {
    Tensor<float> p = full<float>({3}, 1), g = full<float>({3}, 1);
    template <class Rule>
    Optimizer of(const Rule& rule) const {
        return Optimizer(rule, {{"p", p}});
    }
};

}  // namespace

TEST_CASE("every number among the options of every rule has a range, and is refused outside it") {
#define CHECK_RANGES(Rule) check_ranges<Rule>();
    FRISKET_OPTIMIZER_RULES(CHECK_RANGES)
#undef CHECK_RANGES
}

TEST_CASE("defaults of every rule are in their ranges") {
    for (const std::string_view name : rule_names()) CHECK_NOTHROW(rule_of(name).check());
}

TEST_CASE("an option outside its range is refused by constructors, steps, saves, and nothing is written") {
    const Small small;
    for (const double lr : {not_a_number, -1.0, inf}) {
        CHECK_THROWS_MATCHES(small.of(SGD{.lr = lr}), ValueError,
                             says("sgd: option lr is \"" + frisket::optim::detail::option_text(lr) +
                                  "\", wanted a finite number of at least 0"));
        Optimizer optimizer = small.of(SGD{});
        CHECK_THROWS_MATCHES(optimizer.add_group(Adam{.lr = lr}, {}), ValueError, says("adam: option lr"));
        CHECK(optimizer.group_count() == 1);
        optimizer.options<SGD>().lr = lr;
        CHECK_THROWS_MATCHES(optimizer.step({small.g}), ValueError, says("sgd: option lr"));
        CHECK_THROWS_MATCHES(optimizer.save("never_written.safetensors"), ValueError, says("sgd: option lr"));
        CHECK(same(small.p, full<float>({3}, 1)));
        CHECK(Tensor<std::int64_t>(optimizer.state("p", "step")).item() == 0);
    }
    CHECK_THROWS_MATCHES(small.of(LAMB{.norm_scope = static_cast<NormScope>(9)}), ValueError,
                         says("lamb: option norm_scope: number 9 was cast to the option"));
    CHECK_THROWS_MATCHES(Optimizer({.untouched = static_cast<Untouched>(7)}, SGD{}, {}), ValueError,
                         says("optimizer: number 7 was cast to an Untouched and is none"));
}

TEST_CASE("what a step does to gradients has ranges, too") {
    const Small small;
    Optimizer optimizer = small.of(SGD{.lr = 1});
    const auto refused = [&](const GradientOptions& options, const std::string& text) {
        CHECK_THROWS_MATCHES(optimizer.step({small.g}, options), ValueError, says(text));
    };
    for (const double scale : {0.0, -2.0, not_a_number, inf})
        refused({.scale = scale}, "step: option scale is " + frisket::optim::detail::option_text(scale) +
                                      ", wanted a finite number above 0");
    for (const double bound : {-1.0, not_a_number, -inf}) {
        refused({.clip_norm = bound}, "step: option clip_norm is " +
                                          frisket::optim::detail::option_text(bound) + ", wanted 0 or more");
        refused({.clip_value = bound}, "step: option clip_value is " +
                                           frisket::optim::detail::option_text(bound) + ", wanted 0 or more");
    }
    CHECK(same(small.p, full<float>({3}, 1)));
    optimizer.step({small.g}, {.clip_norm = 0});
    CHECK(same(small.p, full<float>({3}, 1)));
}

TEST_CASE("a rule does not skip its step by itself") {
    const Tensor<float> p = full<float>({2}, 1), g = full<float>({2}, 1);
    CHECK_THROWS_MATCHES(Optimizer(Skipping(), {{"p", p}}).step({g}), ValueError,
                         says("skipping: skip_nonfinite(x) in the step of an optimizer's rule"));
    CHECK(same(p, full<float>({2}, 1)));
}

TEST_CASE("options of another rule than the group's are refused by both names") {
    Optimizer optimizer = Small().of(AdamW{});
    CHECK_THROWS_MATCHES(optimizer.options<Adam>(), ValueError,
                         says("options of adam are asked for, and the rule is adamw"));
    CHECK(optimizer.options<AdamW>().lr == 1e-3);
}

TEST_CASE("numbers of steps are from 0 to 2^53, whatever they come from") {
    const Small small;
    Optimizer optimizer = small.of(Adam{});
    optimizer.step({small.g});
    const auto with_step = [&](std::int64_t step) {
        std::vector<StateEntry> entries;
        for (const StateEntry& entry : optimizer.state())
            entries.push_back({entry.parameter, entry.name, entry.value.clone()});
        entries.front().value = Tensor<std::int64_t>({}, {step});
        return entries;
    };
    const Folder folder;
    for (const std::int64_t step :
         {std::int64_t{-7}, std::int64_t{-1}, (std::int64_t{1} << 53) + 1,
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
        const std::string text = "the state that is given has p.step = " + std::to_string(step) +
                                 ", wanted a number of steps from 0 to 9007199254740992";
        const auto entries = with_step(step);
        CHECK_THROWS_MATCHES(optimizer.set_state(entries), ValueError, says(text));
        std::vector<NamedTensor> tensors;
        for (const StateEntry& entry : entries)
            tensors.push_back({entry.parameter + "." + entry.name, entry.value});
        const std::string path = folder / "state.safetensors";
        optimizer.save(path);
        save_safetensors(path, tensors, load_safetensors(path).metadata);
        CHECK_THROWS_MATCHES(optimizer.load(path), ValueError, says(text));
    }
    CHECK(Tensor<std::int64_t>(optimizer.state("p", "step")).item() == 1);
    optimizer.set_state(with_step(std::int64_t{1} << 53));
}

TEST_CASE("rows have seen no more steps than there were") {
    const Tensor<float> p = full<float>({3, 2}, 1);
    Optimizer optimizer({.untouched = Untouched::caught_up}, SGD{.lr = 1, .weight_decay = 0.5}, {{"p", p}});
    for (const std::int64_t step : {-1, 1}) {
        std::vector<StateEntry> entries;
        for (const StateEntry& entry : optimizer.state()) {
            entries.push_back(entry);
            if (entry.name == "last_step") entries.back().value = full<std::int64_t>({3, 1}, step);
        }
        CHECK_THROWS_MATCHES(optimizer.set_state(entries), ValueError,
                             says("the state that is given has p.last_step = " + std::to_string(step) +
                                  ", wanted a number of steps from 0 to 0"));
    }
}

TEST_CASE("state of parameters that the optimizer has not, or given twice, is refused") {
    const Small small;
    const Tensor<float> q = full<float>({3}, 1);
    Optimizer two(SGD{.momentum = 0.5}, {{"p", small.p}, {"q", q}});
    Optimizer one = small.of(SGD{.momentum = 0.5});
    const Folder folder;
    two.save(folder / "two.safetensors");
    const std::string text = ", and the optimizer has no parameter q: give it the parameters that were saved";
    CHECK_THROWS_MATCHES(one.load(folder / "two.safetensors"), ValueError, says(text));
    CHECK_THROWS_MATCHES(one.set_state(two.state()), ValueError, says(text));
    std::vector<StateEntry> twice = one.state();
    twice.push_back(twice.back());
    CHECK_THROWS_MATCHES(one.set_state(twice), ValueError, says("has p.momentum_buffer twice"));
    Optimizer groups = small.of(SGD{});
    groups.add_group(SGD{}, {{"q", q}});
    groups.save(folder / "groups.safetensors");
    Optimizer single(SGD{}, {{"p", small.p}, {"q", q}});
    CHECK_THROWS_MATCHES(single.load(folder / "groups.safetensors"), ValueError,
                         says("the state that is given has 2 groups, the optimizer has 1"));
}

TEST_CASE("state that the present options do not read is kept for when they change back") {
    const Small small;
    Optimizer saved = small.of(SGD{.lr = 1, .momentum = 0.5});
    saved.step({small.g});
    saved.options<SGD>().momentum = 0;
    const Folder folder;
    saved.save(folder / "state.safetensors");
    const Tensor<float> p = small.p.clone();
    Optimizer loaded(SGD{}, {{"p", p}});
    loaded.load(folder / "state.safetensors");
    for (const double momentum : {0.0, 0.5}) {
        saved.options<SGD>().momentum = loaded.options<SGD>().momentum = momentum;
        saved.step({small.g});
        loaded.step({small.g});
        CHECK(same(p, small.p));
    }
    std::vector<StateEntry> entries = loaded.state();
    entries.push_back({"p", "seen", full<float>({4}, 1)});
    CHECK_THROWS_MATCHES(
        loaded.set_state(entries), ValueError,
        says("the state that is given has p.seen as float32 [4], which no step of sgd keeps"));
}

TEST_CASE("load takes the state of the options that it takes") {
    const Small small;
    Optimizer saved = small.of(SGD{.lr = 1, .momentum = 0.5});
    saved.step({small.g});
    const Folder folder;
    saved.save(folder / "state.safetensors");
    const Tensor<float> p = small.p.clone();
    Optimizer loaded(SGD{}, {{"p", p}});
    loaded.load(folder / "state.safetensors");
    CHECK(same(loaded.state("p", "momentum_buffer"), saved.state("p", "momentum_buffer")));
    saved.step({small.g});
    loaded.step({small.g});
    CHECK(same(p, small.p));
}

TEST_CASE("parameters that share memory are refused by their names") {
    const Tensor<float> t = full<float>({4, 4}, 1);
    const std::string text = "a step would update it twice";
    CHECK_THROWS_MATCHES(Optimizer(SGD{}, {{"a", t}, {"b", t}}), ValueError,
                         says("sgd: parameter b shares memory with parameter a: " + text));
    CHECK_THROWS_MATCHES(Optimizer(SGD{}, {{"a", t.slice(0, 0, 3)}, {"b", t.slice(0, 2, 4)}}), ValueError,
                         says("sgd: parameter b shares memory with parameter a"));
    Optimizer halves(SGD{}, {{"left", t.slice(1, 0, 2)}, {"right", t.slice(1, 2, 4)}});  // columns are apart
    CHECK_THROWS_MATCHES(halves.add_group(Adam{}, {{"row", t.slice(0, 1, 2)}}), ValueError,
                         says("adam: parameter row shares memory with parameter "));
    CHECK(halves.group_count() == 1);
    CHECK_THROWS_MATCHES(Optimizer(SGD{}, {{"a", Tensor<float>::view(t.data(), {2, 2}, {1, 1})}}), ValueError,
                         says("sgd: parameter a overlaps itself"));
}

TEST_CASE("a gradient that is a parameter is refused by both names") {
    const Tensor<float> a = full<float>({2, 2}, 1), b = full<float>({2, 2}, 2), g = full<float>({2, 2}, 1);
    const Tensor<bool> mask = full<bool>({2, 2}, true);
    Optimizer optimizer(SGD{.lr = 1}, {{"a", a}, {"b", b}});
    const auto refused = [&](const Argument& first, const Argument& second, const std::string& sentence) {
        CHECK_THROWS_MATCHES(optimizer.step({first, second}), ValueError, says(sentence));
        CHECK(same(a, full<float>({2, 2}, 1)));
        CHECK(same(b, full<float>({2, 2}, 2)));
    };
    const MaskedTensor<float> masked_b = masked(b, mask);
    refused(b, g, "sgd: the gradient of a shares memory with parameter b: ");
    refused(g, a, "sgd: the gradient of b shares memory with parameter a: ");
    refused(a, g, "sgd: the gradient of a shares memory with parameter a: ");
    refused(g, masked_b, "sgd: the gradient of b shares memory with parameter b: ");
    optimizer.step({g, g});  // gradients may be one tensor
}

}  // namespace refusals_test
