// SPDX-License-Identifier: MIT
// Options as numbers, and memory of parameters that moves between steps.
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>

namespace set_parameter_test {

using namespace frisket;
using namespace frisket::optim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("an option is set as a number, a bool and an enum too") {
    const Tensor<float> p = full<float>({2}, 1), q = p.clone();
    Optimizer optimizer(SGD{.lr = 1}, {{"p", p}});
    const int group = optimizer.add_group(SGD{.lr = 1}, {{"q", q}});
    optimizer.set_option(group, "lr", 0.25);
    optimizer.set_option(group, "maximize", 1);
    const auto g = full<float>({2}, 1);
    optimizer.step({g, g});
    CHECK(same(p, full<float>({2}, 0)));
    CHECK(same(q, full<float>({2}, 1.25F)));
    AnyRule rule = RowwiseAdagrad{};
    rule.set("weight_decay_mode", 2.0);
    CHECK(rule.get<RowwiseAdagrad>().weight_decay_mode == RowwiseAdagrad::Decay::decoupled);
}

TEST_CASE("an option that is set to a number outside its range is refused and stays") {
    Optimizer optimizer(Adam{.lr = 0.5}, {{"p", full<float>({2}, 1)}});
    const auto refused = [&](const char* option, double value, const char* words) {
        CHECK_THROWS_MATCHES(optimizer.set_option(0, option, value), ValueError,
                             MessageMatches(ContainsSubstring(words)));
    };
    refused("lr", -1, "adam: option lr is \"-1\", wanted a finite number of at least 0");
    refused("beta1", 1, "of at least 0 and below 1");
    refused("lr", std::numeric_limits<double>::quiet_NaN(), "adam: option lr");
    refused("amsgrad", 2, "wanted a whole number from 0 to 1: false true");
    refused("amsgrad", 0.5, "wanted a whole number from 0 to 1: false true");
    refused("momentum", 1, "adam has no option \"momentum\"");
    CHECK_THROWS_AS(optimizer.set_option(1, "lr", 1), IndexError);
    CHECK(optimizer.options<Adam>().lr == 0.5);
    AnyRule muon = Muon{};
    CHECK_THROWS_MATCHES(muon.set("ns_steps", 2.5), ValueError,
                         MessageMatches(ContainsSubstring("wanted a whole number, a finite number")));
}

TEST_CASE("a parameter whose memory moved goes on from its state") {
    const Tensor<float> p = full<float>({3}, 1), q = full<float>({3}, 5), all = full<float>({3, 2}, 1);
    const Tensor<float> moved(all.slice(1, 0, 1).reshape({3}));  // a copy
    Optimizer optimizer(Adagrad{.lr = 1}, {{"p", p}, {"q", q}});
    Optimizer still(Adagrad{.lr = 1}, {{"p", moved.clone()}});
    const auto g = full<float>({3}, 1);
    optimizer.step({g, {}});
    still.step({g});
    copy(p, moved);
    optimizer.set_parameter("p", moved);
    const Tensor<float> before = p.clone();
    optimizer.step({g, {}});
    still.step({g});
    CHECK(same(p, before));
    CHECK(same(optimizer.state("p", "sum"), still.state("p", "sum")));
    CHECK(Tensor<std::int64_t>(optimizer.state("p", "step")).item() == 2);
    // The memory that it left is free for a gradient.
    optimizer.step({p, {}});
}

TEST_CASE("other memory of a parameter is refused before anything is changed") {
    const Tensor<float> p = full<float>({3}, 1), q = full<float>({3}, 5);
    Optimizer optimizer(SGD{.lr = 1}, {{"p", p}, {"q", q}});
    const auto refused = [&]<class Refusal>(const char* name, const AnyTensor& tensor, const char* words) {
        CHECK_THROWS_MATCHES(optimizer.set_parameter(name, tensor), Refusal,
                             MessageMatches(ContainsSubstring(words)));
    };
    refused.operator()<ValueError>("r", p, "there is no parameter r; there are p, q");
    refused.operator()<DTypeError>("p", full<double>({3}, 1), "is float32 and is given float64");
    refused.operator()<ShapeError>("p", full<float>({4}, 1), "has shape [3] and is given [4]");
    refused.operator()<ValueError>("p", q, "shares memory with parameter q");
    refused.operator()<ValueError>("p", full<float>({1}, 1).broadcast_to({3}), "read-only");
    const auto g = full<float>({3}, 1);
    optimizer.step({g, g});
    CHECK(same(p, full<float>({3}, 0)));
}

TEST_CASE("a parameter goes on from the step that it is given") {
    const Tensor<float> p = full<float>({3}, 1), q = full<float>({3}, 1);
    Optimizer given(Adam{}, {{"p", p}}), stepped(Adam{}, {{"p", q}});
    const auto none = masked(full<float>({3}, 1), full<bool>({3}, false)),
               g = masked(full<float>({3}, 1), full<bool>({3}, true));
    for (int i = 0; i < 4; ++i) stepped.step({none});
    given.set_step("p", 4);
    given.step({g});
    stepped.step({g});
    CHECK(same(p, q));
    CHECK(Tensor<std::int64_t>(given.state("p", "step")).item() == 5);
    CHECK_THROWS_AS(given.set_step("p", -1), ValueError);
    CHECK_THROWS_AS(given.set_step("q", 1), ValueError);
}

TEST_CASE("rows that have yet to see steps see them in the memory that their parameter moved to") {
    const Tensor<float> p = full<float>({2, 2}, 1), q = p.clone();
    Optimizer::Settings lazy;
    lazy.untouched = Untouched::caught_up;
    const AnyRule rule = SGD{.lr = 0.5, .weight_decay = 0.5};
    Optimizer moving(lazy, rule, {{"p", p}}), still(lazy, rule, {{"p", q}});
    const auto g = MaskedTensor<float>::rows({2, 2}, std::vector<std::int64_t>{0}, full<float>({1, 2}, 1));
    moving.step({g});
    still.step({g});
    const Tensor<float> moved = p.clone();
    moving.set_parameter("p", moved);
    moving.step({g});
    still.step({g});
    moving.catch_up();
    still.catch_up();
    CHECK(same(moved, q));
}

}  // namespace set_parameter_test
