// SPDX-License-Identifier: MIT
#include "../../../codegen/loops/linked_loops.hpp"
#include "../../../ir/passes/transforms.hpp"
#include "../../../runtime/layouts/stored.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <aot_minimized.hpp>
#include <aot_rules.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace aot_optimizers_test {

using namespace frisket::testing;

namespace {

/// Shapes around the limits of plans: numbers, rows of words, large, long, empty.
const std::vector<Shape> shapes{{1},      {7},     {64},       {5000},    {4, 4},    {1, 4},    {4, 1},
                                {37, 72}, {5, 64}, {400, 400}, {3, 6000}, {6000, 4}, {2, 3, 4}, {0, 4}};

/// An optimizer on kernels ahead of time, and the same just in time, over the same values.
class Pair {
public:
    Pair(const OptimizerKernels& compiled, const AnyRule& rule, const Shape& shape, DType dtype)
        : params_{AnyTensor(random_tensor(shape, 3)).to(dtype), AnyTensor(random_tensor(shape, 3)).to(dtype)},
          ahead_(settings(compiled, aot_rules::kernels), rule, {{"w", params_[0]}}),
          just_in_time_(settings(compiled, just_in_time), rule, {{"w", params_[1]}}) {}

    void step(const Argument& gradient, const GradientOptions& options) {
        const StepOutcome a = ahead_.step({gradient}, options), b = just_in_time_.step({gradient}, options);
        CHECK((a.norm == b.norm || (std::isnan(a.norm) && std::isnan(b.norm))));
    }
    void catch_up() {
        ahead_.catch_up();
        just_in_time_.catch_up();
    }
    void check() const {
        CHECK_THAT(params_[0], HasTheBytesOf(params_[1]));
        const std::vector<StateEntry> a = ahead_.state(), b = just_in_time_.state();
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            INFO("state " << a[i].name);
            CHECK_THAT(a[i].value, HasTheBytesOf(b[i].value));
        }
    }

private:
    static Optimizer::Settings settings(const OptimizerKernels& compiled, KernelProvider kernels) {
        return {.untouched = compiled.untouched,
                .target = kernels == just_in_time ? TargetName{"cpu"} : TargetName{},
                .stochastic_rounding = compiled.stochastic_rounding,
                .seed = 7,
                .kernels = kernels};
    }

    std::vector<AnyTensor> params_;
    Optimizer ahead_, just_in_time_;
};

/// Steps with each kind of change of gradients, of some densities, of tensors and masked tensors.
void check_same(const OptimizerKernels& compiled, Layout layout) {
    const GradientOptions changes[] = {{}, {.scale = 8}, {.clip_norm = 0.5, .clip_value = 0.1}};
    std::uint32_t seed = 1;
    for (const DType dtype : compiled.dtypes)
        for (const Shape& shape : shapes) {
            if (!can_hold(layout, shape)) continue;
            INFO(compiled.rule.info().name << " " << name_of(dtype) << " " << name_of(layout) << " "
                                           << to_string(shape));
            Pair pair(compiled, compiled.rule, shape, dtype);
            for (const GradientOptions& change : changes)
                for (const double density : {0.3, 0.0, 1.0}) {
                    const AnyMasked grad = random_masked(shape, specified(density), layout, ++seed);
                    pair.step(runtime::with_values(grad, grad.values().to(dtype)), change);
                }
            pair.step(AnyTensor(random_tensor(shape, ++seed)).to(dtype), {.clip_norm = 1});
            pair.catch_up();
            pair.check();
        }
}

}  // namespace

TEST_CASE("optimizers on kernels ahead of time write the bytes of those just in time", "[codegen]") {
    const auto layout = GENERATE(Layout::strided, Layout::coo, Layout::csr, Layout::rows);
    SECTION("of two dtypes, with an option that is part of the step") { check_same(adam, layout); }
    SECTION("that catch up") { check_same(lazy, layout); }
    SECTION("that round stochastically") { check_same(rounded, layout); }
    SECTION("with norms of rows") { check_same(layerwise, layout); }
    SECTION("for which unspecified is zero") { check_same(zeros, layout); }
}

TEST_CASE("optimizers are compiled ahead of time with and without changes of gradients", "[codegen]") {
    for (const OptimizerKernels& compiled : {adam, lazy, rounded, layerwise, zeros}) {
        INFO(compiled.rule.info().name);
        std::size_t plain = 0, changed = 0;
        for (const auto& [graph, layouts] : optim::graphs_of(compiled, {4, 4})) {
            const auto has = [&](std::string_view name) {
                return std::ranges::find(graph.symbols, name, &Symbol::name) != graph.symbols.end();
            };
            if (has("param") && has("grad")) (has(gradient_factor) ? changed : plain) += 1;
        }
        CHECK(plain == compiled.dtypes.size());
        CHECK(changed == compiled.dtypes.size());
    }
}

TEST_CASE("minimize on kernels ahead of time takes the loops of a function of the same loss", "[codegen]") {
    for (const Shape& shape : {Shape{4, 4}, {37, 72}, {400, 300}}) {
        INFO(to_string(shape));
        const MaskedTensor<float> given(random_masked(shape, specified(0.3), Layout::csr, 1));
        const auto train = [&](KernelProvider kernels) {
            const Tensor<float> u = random_tensor({shape[0], 5}, 2), v = random_tensor({shape[1], 5}, 3);
            Optimizer optimizer({.kernels = kernels}, Adam{.amsgrad = true}, {{"users", u}, {"items", v}});
            for (int step = 0; step < 3; ++step) optimizer.minimize(misfit, ratings = given);
            return std::pair(u, v);
        };
        const auto ahead = train(aot_minimized::kernels);
        const auto compiled = train(just_in_time);
        CHECK_THAT(ahead.first, HasTheBytesOf(compiled.first));
        CHECK_THAT(ahead.second, HasTheBytesOf(compiled.second));
    }
}

TEST_CASE("an optimizer on kernels ahead of time says what they lack", "[codegen]") {
    const Tensor<float> param = full<float>({4, 4}, 1);
    CHECK_THROWS_MATCHES(
        Optimizer({.kernels = aot_rules::kernels}, Adamax{}, {{"w", param}}), TargetError,
        Catch::Matchers::Message(
            "frisket: adamax: its step for float32 parameters was not compiled ahead of time with "
            "these options and settings: name an OptimizerKernels that has them in OPTIMIZERS of "
            "frisket_add_kernels"));
    CHECK_THROWS_AS(Optimizer({.target = TargetName{"opencl"}, .kernels = aot_rules::kernels},
                              Adam{.amsgrad = true}, {{"w", param}}),
                    TargetError);
    CHECK_THROWS_AS(Optimizer({.kernels = nullptr}, Adam{}, {{"w", param}}), ValueError);
}

}  // namespace aot_optimizers_test
