// SPDX-License-Identifier: MIT
// Rules whose steps are graphs of a run: they act as the rule whose graphs they are, and refuse
// other rules.
#include "../support/matchers.hpp"
#include "../support/random.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

namespace written_rules_test {

using namespace frisket;
using namespace frisket::optim;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

const Shape no_shape;

/// Adagrad's steps; its options that are numbers, and a default that differs from its own.
WrittenRule own_adagrad(double initial = 0) {
    return {"own",
            {{"lr", 0.25, range::not_negative}, {"lr_decay"}, {"weight_decay"}, {"eps", 1e-10}, {"maximize"}},
            {{"sum", initial}},
            [](DType dtype) {
                const AnyRule rule = Adagrad{};
                return rule.info().graph(rule.data(), dtype, no_shape);
            }};
}

auto says(const std::string& text) { return MessageMatches(ContainsSubstring(text)); }

Graph sgd_graph(DType dtype) {
    const AnyRule rule = SGD{};
    return rule.info().graph(rule.data(), dtype, no_shape);
}

}  // namespace

TEST_CASE("a written rule does what the rule does whose step it has", "[optimizers]") {
    for (const double initial : {0.0, 0.5}) {
        Tensor<float> mine = random_tensor({9, 5}, 1), other = mine.clone();
        Optimizer written(own_adagrad(initial), {{.name = "w", .tensor = mine}});
        Optimizer own(Adagrad{.lr = 0.25, .initial_accumulator_value = initial},
                      {{.name = "w", .tensor = other}});
        for (std::uint32_t i = 0; i < 4; ++i) {
            const MaskedTensor<float> gradient =
                random_masked({9, 5}, specified(0.4), i % 2 == 0 ? Layout::coo : Layout::rows, i);
            written.step({gradient});
            own.step({gradient});
        }
        CHECK(same(mine, other));
        CHECK(same(written.state().at(1).value, own.state().at(1).value));
    }
}

TEST_CASE("copies of a written rule have options of their own", "[optimizers]") {
    const AnyRule rule = own_adagrad();
    AnyRule other = rule;
    other.set("lr", 0.125);
    CHECK(rule.options().front().text == "0.25");
    CHECK(other.options().front().text == "0.125");
    CHECK_THROWS_MATCHES(other.set("lr", -1.0), ValueError, says("wanted a finite number of at least 0"));
    CHECK_THROWS_MATCHES(other.set("rate", 1.0), ValueError, says("own has no option \"rate\""));
}

TEST_CASE("a written rule says what is wrong with it", "[optimizers]") {
    using Options = std::vector<WrittenRule::OptionRow>;
    using States = std::vector<WrittenRule::StateRow>;
    const auto refused = [](Options options, States states, const std::string& why) {
        CHECK_THROWS_MATCHES(WrittenRule("own", std::move(options), std::move(states), &sgd_graph),
                             BindingError, says(why));
    };
    const Options all{{"lr"}, {"momentum"}, {"dampening"}, {"weight_decay"}, {"nesterov"}, {"maximize"}};
    refused({}, {}, "wanted an InOut param");
    refused({{"lr"}, {"lr"}}, {}, "two of its names are lr");
    refused(all, {{"t"}}, "two of its names are t");
    Options many;
    for (std::size_t i = 0; i <= WrittenRule::most_options; ++i) many.push_back({"o" + std::to_string(i)});
    refused(many, {}, "it has 17 options, wanted at most 16");
    CHECK_THROWS_MATCHES(WrittenRule("own", {{"lr", -1, range::positive}}, {}, &sgd_graph), Error,
                         says("own"));
    Tensor<float> w({2}, {1, 2});
    CHECK_THROWS_MATCHES(
        Optimizer({.untouched = Untouched::caught_up}, own_adagrad(), {{.name = "w", .tensor = w}}),
        ValueError, says("no closed form"));
}

}  // namespace written_rules_test
