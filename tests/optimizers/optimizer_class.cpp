// SPDX-License-Identifier: MIT
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <cstdio>
#include <filesystem>
#include <limits>

namespace optimizer_class_test {

using namespace frisket;
using namespace frisket::optim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

Tensor<float> filled(const Shape& shape, int seed) {
    Tensor<float> tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = static_cast<float>((i * 37 + seed * 101) % 97 - 48) / 16;
    return tensor;
}

MaskedTensor<float> some_of(const Shape& shape, int seed) {
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = (i * 7 + seed) % 3 == 0;
    return masked(filled(shape, seed), mask);
}

/// A rule as a user writes it, on equal terms with the library's rules.
struct Halving {
    static constexpr std::string_view name = "halving";
    double share = 0.5;
    static constexpr Option options[] = {option<&Halving::share>("share")};
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        constexpr Param<T> param;
        constexpr Grad<T> grad;
        constexpr State<"seen", T> seen;
        constexpr Scalar<"share"> part;
        use(frisket::step<"halving">(over(grad), seen += 1, param -= part * grad));
    }
};

}  // namespace

TEST_CASE("an optimizer steps many parameters, in groups with options of their own") {
    Tensor<float> a = full<float>({2, 3}, 1), b = full<float>({4}, 1), c = full<float>({2}, 1);
    Optimizer optimizer(SGD{.lr = 0.5}, {{"a", a}, {"", b}});
    const int group = optimizer.add_group(SGD{.lr = 0.25}, {{"c", c}});
    const auto g = full<float>({2, 3}, 1), h = full<float>({4}, 1), k = full<float>({2}, 1);
    optimizer.step({g, h, k});
    CHECK(same(a, full<float>({2, 3}, 0.5f)));
    CHECK(same(b, full<float>({4}, 0.5f)));
    CHECK(same(c, full<float>({2}, 0.75f)));
    optimizer.options<SGD>(group).lr = 1;
    optimizer.step({{"c", k}});
    CHECK(same(c, full<float>({2}, -0.25f)));
    optimizer.step({{}, h, {}});
    CHECK(same(b, full<float>({4}, 0)));
    // Each parameter counts the steps that it has seen.
    CHECK(Tensor<std::int64_t>(optimizer.state("a", "step")).item() == 1);
    CHECK(Tensor<std::int64_t>(optimizer.state("1", "step")).item() == 2);
}

TEST_CASE("small parameters are stepped wherever they stand beside large ones") {
    // Tasks of 65,536 elements and more: full tasks, and a rest.
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{70'000, 3, 5},
                                                   {3, 70'000, 5},
                                                   {65'535, 1, 1},
                                                   {3, 5},
                                                   {65'536, 65'536, 7}}) {
        std::vector<NamedParameter> parameters;
        std::vector<Argument> gradients;
        std::vector<Tensor<float>> values, ones;
        for (const std::int64_t size : sizes) {
            values.push_back(full<float>({size}, 4));
            ones.push_back(full<float>({size}, 1));
        }
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            parameters.push_back({"", values[i]});
            gradients.emplace_back(ones[i]);
        }
        Optimizer optimizer(SGD{.lr = 0.5}, parameters);
        optimizer.step(gradients);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            INFO("parameter " << i << " of " << sizes[i] << " elements, of " << sizes.size());
            CHECK(same(values[i], full<float>({sizes[i]}, 3.5F)));
        }
    }
}

TEST_CASE("parameters may have points in their names") {
    const std::string path = std::filesystem::temp_directory_path() / "frisket_points.safetensors";
    const std::vector<NamedParameter> parameters{{"layer.0.weight", full<float>({3}, 1)},
                                                 {"layer", full<float>({3}, 2)},
                                                 {"layer.0", full<float>({3}, 3)}};
    const auto g = full<float>({3}, 1);
    Optimizer optimizer(Adam{}, parameters), other(Adam{}, parameters);
    optimizer.step({g, g, g});
    optimizer.save(path);
    other.load(path);
    for (const StateEntry& entry : optimizer.state())
        CHECK(same(entry.value, other.state(entry.parameter, entry.name)));
    std::filesystem::remove(path);
}

TEST_CASE("a number catches up with steps whose gradient was not specified") {
    const AnyRule rule = SGD{.lr = 0.25, .weight_decay = 0.5};
    const Tensor<double> p = full<double>({}, 1), q = p.clone();
    Optimizer::Settings lazy, dense;
    lazy.untouched = Untouched::caught_up;
    dense.untouched = Untouched::dense_equivalent;
    Optimizer missing(lazy, rule, {{"p", p}}), whole(dense, rule, {{"p", q}});
    for (const bool is_specified : {true, false, false, true, false}) {
        const auto g = masked(full<double>({}, 2), full<bool>({}, is_specified));
        missing.step({g});
        whole.step({g});
    }
    missing.catch_up();
    CHECK(allclose(p, q, 1e-12, 0));
}

TEST_CASE("state of another dtype or shape is refused before any of it is taken") {
    const Tensor<float> p = full<float>({3}, 1);
    Optimizer optimizer(Adam{}, {{"p", p}});
    optimizer.step({full<float>({3}, 1)});
    const std::vector<StateEntry> before = [&] {
        std::vector<StateEntry> entries = optimizer.state();
        for (StateEntry& entry : entries) entry.value = entry.value.clone();
        return entries;
    }();
    for (const AnyTensor& wrong : {AnyTensor(full<double>({3}, 1)), AnyTensor(full<float>({1, 3}, 1))}) {
        std::vector<StateEntry> given = before;
        for (StateEntry& entry : given) entry.value = entry.value.clone();
        given.front().value = Tensor<std::int64_t>({}, {7});  // the entry `step`
        given.back().value = wrong;
        CHECK_THROWS_MATCHES(optimizer.set_state(given), ValueError,
                             MessageMatches(ContainsSubstring("wanted float32 [3]")));
        const std::vector<StateEntry> after = optimizer.state();
        for (std::size_t i = 0; i < before.size(); ++i) CHECK(same(after[i].value, before[i].value));
    }
}

TEST_CASE("an option is read to the end of its text") {
    AnyRule rule = Adam{};
    for (const char* text : {"0.1x", "0.1 ", "1e", "", " 1", "0x10"})
        CHECK_THROWS_MATCHES(rule.set("lr", text), ValueError,
                             MessageMatches(ContainsSubstring("wanted a finite number")));
    rule.set("lr", "0.25");
    CHECK(rule.options().front().text == "0.25");
}

TEST_CASE("options change between steps, and those that choose another step bring its state") {
    Tensor<float> p = full<float>({3}, 1);
    Optimizer optimizer(SGD{.lr = 1}, {{"p", p}});
    const auto g = full<float>({3}, 1);
    optimizer.step({g});
    CHECK_THROWS_MATCHES(
        optimizer.state("p", "momentum_buffer"), ValueError,
        MessageMatches(ContainsSubstring("there is no state p.momentum_buffer; there is p.step")));
    optimizer.options<SGD>().momentum = 0.5;
    optimizer.step({g});
    CHECK(same(optimizer.state("p", "momentum_buffer"), full<float>({3}, 1)));
    CHECK(same(p, full<float>({3}, -1)));
}

TEST_CASE("a gradient with everything specified gives the bytes of the dense one, in every layout") {
    const AnyRule rules[]{
        SGD{.lr = 0.1, .momentum = 0.9}, Adagrad{}, Adam{}, AdamW{}, NAdam{}, RAdam{}, Lion{}, FTRL{}};
    const Shape shape{4, 8};
    for (const AnyRule& rule : rules) {
        const std::string name(rule.info().name);
        CAPTURE(name);
        const Tensor<float> dense = filled(shape, 3);
        Optimizer reference(rule, {{"p", dense}});
        for (int i = 0; i < 3; ++i) reference.step({filled(shape, i)});
        for (const Layout layout :
             {Layout::strided, Layout::bitmask, Layout::coo, Layout::rows, Layout::csr}) {
            const Tensor<float> p = filled(shape, 3);
            Optimizer optimizer(rule, {{"p", p}});
            for (int i = 0; i < 3; ++i) {
                const auto g = MaskedTensor<float>::dense(filled(shape, i)).to(layout);
                optimizer.step({g});
            }
            CHECK(same(p, dense));
        }
    }
}

TEST_CASE("a dense equivalent step is the dense step with zeros, whatever the layout") {
    const Shape shape{4, 8};
    for (const AnyRule& rule : {AnyRule(Adam{.weight_decay = 0.1}), AnyRule(SGD{.momentum = 0.9}),
                                AnyRule(LAMB{}), AnyRule(Adafactor{}), AnyRule(Muon{})}) {
        const std::string name(rule.info().name);
        CAPTURE(name);
        const Tensor<float> p = filled(shape, 3), q = filled(shape, 3);
        Optimizer masked_one({.untouched = Untouched::dense_equivalent, .target = {}, .interpret = false},
                             rule, {{"p", p}});
        Optimizer dense_one(rule, {{"p", q}});
        for (int i = 0; i < 3; ++i) {
            const auto g = some_of(shape, i);
            const auto zeros = g.to_dense(0);
            masked_one.step({g});
            dense_one.step({zeros});
        }
        CHECK(allclose(p, q, 1e-6, 1e-6));
    }
    for (const Node& node : describe(dense_equivalent(adagrad)).nodes)
        if (node.kind == NodeKind::updated) CHECK(node.operands[update_operand::where] == no_node);
}

TEST_CASE("a rule of the user's stands beside ours") {
    Tensor<float> p = full<float>({2, 2}, 1);
    Optimizer optimizer(Halving{}, {{"p", p}});
    const auto g = MaskedTensor<float>::coo({2, 2}, {{0, 1}, {1, 1}}, {1, 2});
    optimizer.step({g});
    CHECK(same(p, Tensor<float>({2, 2}, {1, 0.5f, 1, 0})));
    CHECK(same(optimizer.state("p", "seen"), Tensor<float>({2, 2}, {0, 1, 0, 1})));
}

TEST_CASE("parameters of 16 bits keep state in float32") {
    const Tensor<float> start = filled({5}, 1);
    const Tensor<bfloat16> p = start.to<bfloat16>();
    Optimizer optimizer(Adam{.lr = 0.5}, {{"p", p}});
    const Tensor<bfloat16> g = filled({5}, 2).to<bfloat16>();
    optimizer.step({g});
    CHECK(optimizer.state("p", "exp_avg").dtype() == DType::float32);
    const Tensor<float> wide = start.clone();
    Optimizer other(Adam{.lr = 0.5}, {{"p", wide}});
    const Tensor<float> wide_g = g.to<float>();
    other.step({wide_g});
    CHECK(same(p, wide.to<bfloat16>()));
}

TEST_CASE("gradients are unscaled and clipped in the pass that steps, and a step with inf is skipped") {
    Tensor<float> p = zeros<float>({2}), q = zeros<float>({2});
    Optimizer optimizer(SGD{.lr = 1}, {{"p", p}, {"q", q}});
    const Tensor<float> g({2}, {30, 0}), h({2}, {0, 40});
    StepOutcome report = optimizer.step({g, h}, {.scale = 10, .clip_norm = 2.5});
    CHECK(report.norm == 5);
    CHECK_THAT(p.data()[0], Catch::Matchers::WithinRel(-1.5f, 1e-6f));
    CHECK_THAT(q.data()[1], Catch::Matchers::WithinRel(-2.0f, 1e-6f));
    optimizer.step({g, h}, {.clip_value = 0.5});
    CHECK_THAT(p.data()[0], Catch::Matchers::WithinRel(-2.0f, 1e-6f));
    const Tensor<float> before = p.clone();
    const auto bad = MaskedTensor<float>::coo({2}, {{0}}, {std::numeric_limits<float>::infinity()});
    report = optimizer.step({bad, h}, {.skip_nonfinite = true});
    CHECK(report.is_skipped);
    CHECK(same(p, before));
    CHECK(Tensor<std::int64_t>(optimizer.state("p", "step")).item() == 2);
    Optimizer ascending(SGD{.lr = 1, .maximize = true}, {{"p", p}});
    ascending.step({g});
    CHECK_THAT(p.data()[0], Catch::Matchers::WithinRel(28.0f, 1e-6f));
    // Both ends, and the elements between.
    const Tensor<float> r = zeros<float>({4}), around({4}, {-30, -0.25, 0.25, 30});
    Optimizer(SGD{.lr = 1}, {{"r", r}}).step({around}, {.clip_value = 0.5});
    CHECK(r.to_vector() == std::vector<float>{0.5F, 0.25F, -0.25F, -0.5F});
}

TEST_CASE("norms of gradients are right where their squares leave the range") {
    for (const double size : {1e200, 1e-200, 2e307, 1e-310, 1.0}) {
        CAPTURE(size);
        const Tensor<double> p = zeros<double>({2}), q = zeros<double>({2});
        Optimizer optimizer(SGD{.lr = 1}, {{"p", p}, {"q", q}});
        const auto g = MaskedTensor<double>::coo({2}, {{0}}, {3 * size});
        const Tensor<double> h({2}, {0, 4 * size});
        StepOutcome report = optimizer.step({g, h}, {.skip_nonfinite = true});
        CHECK_FALSE(report.is_skipped);
        CHECK_THAT(report.norm, Catch::Matchers::WithinRel(5 * size, 1e-15));
        CHECK(p.to_vector() == std::vector<double>{-3 * size, 0});
        p.data()[0] = 0;
        report = optimizer.step({g, h}, {.clip_norm = 1});
        const double length = std::min(1.0, size / (size + 2e-7) / (5 * size));
        CHECK_THAT(p.data()[0], Catch::Matchers::WithinRel(-3 * size * length, 1e-12));
        for (const double bad :
             {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
            CHECK(optimizer.step({g, Tensor<double>({2}, {bad, 4 * size})}, {.skip_nonfinite = true})
                      .is_skipped);
    }
    // Gradients are finite, and their norm is not.
    const Tensor<double> p = zeros<double>({2});
    Optimizer optimizer(SGD{.lr = 1}, {{"p", p}});
    const Tensor<double> g({2}, {1.5e308, 1.5e308});
    CHECK_FALSE(optimizer.step({g}, {.clip_norm = 1, .skip_nonfinite = true}).is_skipped);
    CHECK_THAT(p.data()[0], Catch::Matchers::WithinRel(-std::sqrt(0.5), 1e-12));
}

TEST_CASE("what was saved goes on with the same bytes") {
    const std::string path = std::filesystem::temp_directory_path() / "frisket_optimizer_state.safetensors";
    const Shape shape{3, 4};
    const Tensor<float> p = filled(shape, 1);
    Optimizer optimizer(NAdam{.lr = 0.1 + 0.2, .decoupled_weight_decay = true}, {{"p", p}});
    for (int i = 0; i < 3; ++i) optimizer.step({some_of(shape, i)});
    optimizer.save(path);
    const Tensor<float> q = p.clone();
    Optimizer resumed(NAdam{}, {{"p", q}});
    resumed.load(path);
    CHECK(resumed.options<NAdam>().lr == 0.1 + 0.2);
    for (int i = 3; i < 6; ++i) {
        optimizer.step({some_of(shape, i)});
        resumed.step({some_of(shape, i)});
    }
    CHECK(same(p, q));
    for (const StateEntry& entry : optimizer.state())
        CHECK(same(entry.value, resumed.state(entry.parameter, entry.name)));
    Optimizer other(Adam{}, {{"p", q}});
    CHECK_THROWS_MATCHES(other.load(path), ValueError,
                         MessageMatches(ContainsSubstring("has nadam for group0, wanted adam")));
    Optimizer larger(NAdam{}, {{"p", q}, {"r", p}});
    CHECK_THROWS_MATCHES(larger.load(path), ValueError, MessageMatches(ContainsSubstring("lacks r.step")));
    std::filesystem::remove(path);
}

TEST_CASE("wrong parameters, gradients and options are refused before anything is written") {
    Tensor<float> p = full<float>({2, 3}, 1), q = full<float>({2}, 1);
    const Tensor<std::int32_t> whole({2});
    CHECK_THROWS_MATCHES(Optimizer(Adam{}, {{"p", whole}}), DTypeError,
                         MessageMatches(ContainsSubstring("adam: a parameter is int32, wanted float32")));
    CHECK_THROWS_MATCHES(Optimizer(Adam{}, {{"p", p}, {"p", q}}), ValueError,
                         MessageMatches(ContainsSubstring("two parameters are called p")));
    CHECK_THROWS_MATCHES(Optimizer(Muon{}, {{"q", q}}), ShapeError,
                         MessageMatches(ContainsSubstring("wanted a matrix")));
    Optimizer optimizer(Adagrad{}, {{"p", p}, {"q", q}});
    const Tensor<float> g = full<float>({2, 3}, 1), wrong = full<float>({3}, 1);
    const Tensor<double> other = full<double>({2}, 1);
    CHECK_THROWS_MATCHES(
        optimizer.step({g, wrong}), ShapeError,
        MessageMatches(ContainsSubstring("the gradient of q has shape [3], the parameter has [2]")));
    CHECK_THROWS_AS(optimizer.step({g, other}), DTypeError);
    CHECK_THROWS_AS(optimizer.step({g}), BindingError);
    CHECK_THROWS_MATCHES(optimizer.step({{"r", g}}), BindingError,
                         MessageMatches(ContainsSubstring("no parameter of that name")));
    CHECK(same(p, full<float>({2, 3}, 1)));
    Optimizer factored(Adafactor{}, {{"p", p}});
    CHECK_THROWS_MATCHES(factored.step({some_of({2, 3}, 1)}), ValueError,
                         MessageMatches(ContainsSubstring("say Untouched::dense_equivalent")));
    AnyRule rule(Adam{});
    CHECK_THROWS_MATCHES(
        rule.set("learning_rate", "1"), ValueError,
        MessageMatches(ContainsSubstring("adam has no option \"learning_rate\"; it has lr beta1")));
    CHECK_THROWS_MATCHES(rule.set("lr", "fast"), ValueError,
                         MessageMatches(ContainsSubstring("wanted a finite number of at least 0")));
    CHECK_THROWS_MATCHES(rule_of("adamm"), ValueError,
                         MessageMatches(ContainsSubstring("there is no optimizer \"adamm\"; there are sgd")));
}

TEST_CASE("schedules are functions of the step") {
    CHECK(linear(5, 10, 1) == 0.5);
    CHECK(linear(50, 10, 1, 0.1) == 0.1);
    CHECK(step_decay(25, 10, 1, 0.5) == 0.25);
    CHECK(exponential(2, 1, 0.5) == 0.25);
    CHECK(polynomial(5, 10, 1, 2) == 0.25);
    CHECK_THAT(cosine(5, 10, 1), Catch::Matchers::WithinAbs(0.5, 1e-15));
    CHECK(cosine(0, 10, 1) == 1);
    CHECK(inverse_sqrt(4, 4, 1) == 1);
    CHECK(inverse_sqrt(16, 4, 1) == 0.5);
    CHECK(warmed_up(5, 10, [](std::int64_t step) { return linear(step, 10, 1); }) == 0.5);
    CHECK(warmed_up(15, 10, [](std::int64_t step) { return linear(step, 10, 1); }) == 0.5);
}

}  // namespace optimizer_class_test
