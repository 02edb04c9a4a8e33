// SPDX-License-Identifier: MIT
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <random>

namespace caught_up_test {

using namespace frisket;
using namespace frisket::optim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

const Shape shape{7, 5};

/// Every rule with a closed form, in all of its forms.
std::vector<AnyRule> closed_rules() {
    using Decay = RowwiseAdagrad::Decay;
    using Denominator = RowwiseAdagrad::Denominator;
    return {
        SGD{.lr = 0.1},
        SGD{.lr = 0.1, .weight_decay = 0.1},
        SGD{.lr = 0.1, .momentum = 0.9},
        SGD{.lr = 0.1, .momentum = 1},
        SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.3},
        SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true, .maximize = true},
        Adagrad{.lr = 0.1, .lr_decay = 0.1},
        RowwiseAdagrad{.lr = 0.1},
        RowwiseAdagrad{.lr = 0.1, .row_denominator = Denominator::dim},
        RowwiseAdagrad{.lr = 0.1, .weight_decay = 0.1, .weight_decay_mode = Decay::decoupled},
        RMSprop{.lr = 0.1, .eps = 1e-3},
        RMSprop{.lr = 0.1, .eps = 1e-3, .momentum = 0.9},
        RMSprop{.lr = 0.1, .eps = 1e-3, .centered = true},
        RMSprop{.lr = 0.1, .eps = 1e-3, .momentum = 0.9, .centered = true},
        Adadelta{.eps = 1e-3},
        Lion{.lr = 0.1},
        Lion{.lr = 0.1, .weight_decay = 0.1},
        Rprop{.lr = 0.1},
        FTRL{.lr = 0.5, .l1 = 0.1, .l2 = 0.1},
    };
}

/// A rule of the user's that does not define missed steps.
struct Plain {
    static constexpr std::string_view name = "plain";
    double lr = 1;
    static constexpr Option options[] = {option<&Plain::lr>("lr")};
    template <class T>
    void formula(const Shape& /*param*/, auto&& use) const {
        constexpr Param<T> param;
        constexpr Grad<T> grad;
        use(frisket::step<"plain">(over(grad), param -= optim::lr * grad));
    }
};

template <class T>
Tensor<T> random_tensor(const Shape& shape, std::mt19937& random) {
    std::normal_distribution<double> normal;
    Tensor<T> tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = static_cast<T>(normal(random));
    return tensor;
}

/// A gradient that touches some rows, each in part.
template <class T>
MaskedTensor<T> random_gradient(const Shape& shape, std::mt19937& random) {
    std::bernoulli_distribution touched(0.2), specified(0.7);
    Tensor<bool> mask(shape);
    const std::int64_t length = mask.size() / shape[0];
    for (std::int64_t row = 0; row < shape[0]; ++row) {
        if (!touched(random)) continue;
        for (std::int64_t i = 0; i < length; ++i) mask.data()[row * length + i] = specified(random);
    }
    return masked(random_tensor<T>(shape, random), mask);
}

/// |a - b| <= bound * max(|b|, 1).
bool is_near(const AnyTensor& a, const AnyTensor& b, double bound) { return allclose(a, b, bound, bound); }

/// Parameter and state of 50 steps that touch rows at random; options change on the way.
template <class T>
void check_trajectory(const AnyRule& rule, const Shape& of, bool interpret, double bound) {
    std::mt19937 random(7);
    const Tensor<T> lazy = random_tensor<T>(of, random), dense = lazy.clone();
    Optimizer caught_up({.untouched = Untouched::caught_up, .target = {}, .interpret = interpret}, rule,
                        {{"p", lazy}});
    Optimizer equivalent({.untouched = Untouched::dense_equivalent, .target = {}, .interpret = interpret},
                         rule, {{"p", dense}});
    for (int step = 0; step < 50; ++step) {
        const auto gradient = random_gradient<T>(of, random);
        caught_up.step({gradient});
        equivalent.step({gradient});
        if (step == 20 && rule.info().name != "adadelta") {
            caught_up.rule().set("lr", "0.0625");
            equivalent.rule().set("lr", "0.0625");
        }
    }
    caught_up.catch_up();
    CHECK(is_near(lazy, dense, bound));
    for (const StateEntry& entry : equivalent.state()) {
        CAPTURE(entry.name);
        CHECK(is_near(caught_up.state("p", entry.name), entry.value, bound));
    }
}

Optimizer lazy_optimizer(const AnyRule& rule, const AnyTensor& param) {
    return Optimizer({.untouched = Untouched::caught_up, .target = {}, .interpret = false}, rule,
                     {{"p", param}});
}

}  // namespace

TEST_CASE("rows that catch up are those of the dense equivalent", "[full]") {
    for (const AnyRule& rule : closed_rules()) {
        const std::string name(rule.info().name);
        CAPTURE(name, rule.info().closed_form(rule.data(), shape));
        for (const bool interpret : {true, false}) {
            check_trajectory<float>(rule, shape, interpret, 1e-5);
            check_trajectory<double>(rule, shape, interpret, 1e-12);
        }
    }
}

TEST_CASE("elements of a vector are rows of their own, and those of a tensor of three dimensions rows") {
    for (const Shape& of : {Shape{9}, Shape{6, 2, 3}, Shape{1, 4}}) {
        CAPTURE(of);
        check_trajectory<double>(SGD{.lr = 0.1, .momentum = 0.9}, of, false, 1e-12);
    }
}

TEST_CASE("gradients of every layout catch up alike") {
    for (const AnyRule& rule : {AnyRule(SGD{.lr = 0.1, .momentum = 0.9}), AnyRule(RowwiseAdagrad{})}) {
        for (const bool interpret : {true, false}) {
            const Tensor<float> start = full<float>(shape, 1);
            std::vector<Tensor<float>> results;
            for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr,
                                        Layout::csc, Layout::bsr, Layout::rows}) {
                std::mt19937 random(3);
                const Tensor<float> p = results.emplace_back(start.clone());
                Optimizer optimizer({.untouched = Untouched::caught_up, .target = {}, .interpret = interpret},
                                    rule, {{"p", p}});
                for (int step = 0; step < 6; ++step) {
                    const auto values = random_tensor<float>({2, 5}, random);
                    const auto gradient =
                        MaskedTensor<float>::rows(shape, {step % 7, (2 * step + 1) % 7}, values);
                    const auto stored = gradient.to(layout);
                    optimizer.step({layout == Layout::rows ? gradient : stored});
                }
                optimizer.catch_up();
                CAPTURE(rule.info().name, name_of(layout));
                CHECK(allclose(p, results.front(), 1e-6, 1e-6));
            }
        }
    }
}

TEST_CASE("rows that nothing touches keep their bytes until they catch up") {
    const Tensor<float> p = full<float>({3, 2}, 1);
    Optimizer optimizer = lazy_optimizer(SGD{.lr = 0.5, .momentum = 0.5}, p);
    const auto first = MaskedTensor<float>::rows({3, 2}, {0}, {1, 1});
    const auto second = MaskedTensor<float>::rows({3, 2}, {1}, {1, 1});
    optimizer.step({first});
    optimizer.step({second});
    CHECK(same(p, Tensor<float>({3, 2}, {0.5f, 0.5f, 0.5f, 0.5f, 1, 1})));
    CHECK(same(optimizer.state("p", "last_step"), Tensor<std::int64_t>({3, 1}, {1, 2, 0})));
    optimizer.catch_up();
    CHECK(same(p, Tensor<float>({3, 2}, {0.25f, 0.25f, 0.5f, 0.5f, 1, 1})));
    CHECK(same(optimizer.state("p", "last_step"), Tensor<std::int64_t>({3, 1}, {2, 2, 2})));
    optimizer.catch_up();
    CHECK(same(p, Tensor<float>({3, 2}, {0.25f, 0.25f, 0.5f, 0.5f, 1, 1})));
}

TEST_CASE("missed steps have the options that they had") {
    const Tensor<float> p = full<float>({2}, 1);
    Optimizer optimizer = lazy_optimizer(SGD{.lr = 0.5, .weight_decay = 1}, p);
    const auto gradient = MaskedTensor<float>::coo({2}, {{0}}, {0});
    optimizer.step({gradient});
    optimizer.options<SGD>().lr = 0.25;
    CHECK_THROWS_MATCHES(optimizer.save("never_written.safetensors"), ValueError,
                         MessageMatches(ContainsSubstring("call catch_up() before")));
    optimizer.step({gradient});
    optimizer.options<SGD>().lr = 0.125;
    optimizer.catch_up();
    CHECK(same(p, full<float>({2}, 0.375f)));
    optimizer.options<SGD>().momentum = 0.5;
    CHECK_THROWS_MATCHES(optimizer.step({gradient}), ValueError,
                         MessageMatches(ContainsSubstring("decay of the parameter feeds the momentum")));
    CHECK(same(p, full<float>({2}, 0.375f)));
}

TEST_CASE("what was saved while rows were behind goes on with the same bytes") {
    const std::string path = std::filesystem::temp_directory_path() / "frisket_caught_up_state.safetensors";
    std::mt19937 random(5);
    const Tensor<float> p = random_tensor<float>(shape, random);
    const AnyRule rule = RMSprop{.lr = 0.1, .momentum = 0.9, .centered = true};
    Optimizer optimizer = lazy_optimizer(rule, p);
    for (int i = 0; i < 5; ++i) optimizer.step({random_gradient<float>(shape, random)});
    optimizer.save(path);
    const Tensor<float> q = p.clone();
    Optimizer resumed = lazy_optimizer(rule, q);
    resumed.load(path);
    for (int i = 0; i < 5; ++i) {
        const auto gradient = random_gradient<float>(shape, random);
        optimizer.step({gradient});
        resumed.step({gradient});
    }
    optimizer.catch_up();
    resumed.catch_up();
    CHECK(same(p, q));
    for (const StateEntry& entry : optimizer.state())
        CHECK(same(entry.value, resumed.state(entry.parameter, entry.name)));
    std::filesystem::remove(path);
}

TEST_CASE("rules whose missed steps have no closed form are refused, and why") {
    const Tensor<float> p = full<float>(shape, 1);
    for (const AnyRule& rule :
         {AnyRule(Adam{}), AnyRule(AdamW{}), AnyRule(SparseAdam{}), AnyRule(Adamax{}), AnyRule(NAdam{}),
          AnyRule(RAdam{}), AnyRule(ASGD{}), AnyRule(LAMB{}), AnyRule(LARS{}), AnyRule(Adafactor{}),
          AnyRule(Muon{}), AnyRule(SGD{.momentum = 0.9, .weight_decay = 0.1}),
          AnyRule(Adagrad{.weight_decay = 0.1}), AnyRule(Adagrad{.eps = 0}),
          AnyRule(RMSprop{.weight_decay = 0.1}), AnyRule(Adadelta{.weight_decay = 0.1}),
          AnyRule(Lion{.beta2 = 0}), AnyRule(Plain{})}) {
        CAPTURE(rule.info().name);
        CHECK_THROWS_MATCHES(lazy_optimizer(rule, p), ValueError,
                             MessageMatches(ContainsSubstring("missed steps have no closed form") &&
                                            ContainsSubstring("say Untouched::dense_equivalent")));
    }
}

}  // namespace caught_up_test
