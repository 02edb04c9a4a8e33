// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../../codegen/jit/jit_module.hpp"
#include "../../../codegen/observed_call.hpp"

#include "../../spec/both_ways.hpp"
#include "../../support/forwarding_module.hpp"
#include "adagrad.hpp"

#include <mutex>
#include <set>

namespace jit_strategies_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr In<"weight"> weight;

Graph graph() {
    return describe(step<"recorded">(state += square(grad), param -= weight * grad / (sqrt(state) + 0.5)));
}

/// The loops of a step; notes which of them ran, and may run another than the one that was chosen.
class Recorder final : public kernel_calls::ForwardingModule {
public:
    using ForwardingModule::ForwardingModule;

    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override {
        const Strategy strategy = variant.strategy;
        {
            const std::lock_guard lock(mutex_);
            ran.insert(strategy);
        }
        const bool takes_the_same = strategy == Strategy::blend || strategy == Strategy::skip;
        kernel_calls::ForwardingModule::run(
            takes_the_same && instead ? kernel_calls::Variant{*instead} : variant, argv);
    }

    std::set<Strategy> ran;
    std::optional<Strategy> instead;  ///< runs in place of blend or skip, which have equal arguments

private:
    std::mutex mutex_;
};

struct Recorded {
    codegen::JitModule loops{graph(), find_target(TargetName{"cpu"})};
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>(loops);
    Compared step{graph(), CompiledKernel(recorder)};

    /// Calls the step; returns a description of the fault.
    std::string call(const AnyMasked& gradient, const Lies& lies = {}) {
        const bool is_seen = static_cast<bool>(lies.seen_as);
        const Shape memory = is_seen ? Shape{gradient.shape()[1], gradient.shape()[0]} : gradient.shape();
        recorder->ran.clear();
        return Trial(step)
            .writes("param", is_seen ? wild_tensor<float>(memory, 1) : wild_target<float>(gradient, 1), lies)
            .writes("state", wild_target<float>(gradient, 2))
            .reads("grad", gradient)
            .reads("weight", wild_tensor<float>(gradient.shape(), 3))
            .difference();
    }
};

AnyMasked random_gradient(const Shape& shape, double density, std::size_t storage) {
    return wild_masked<float>(shape, specified(density), every_storage[storage], 17);
}

/// Whole runs of elements, one of `every`.
AnyMasked clustered(std::int64_t size, std::int64_t run, std::int64_t every) {
    const Tensor<bool> mask({size});
    for (std::int64_t i = 0; i < size; ++i) mask.data()[i] = i / run % every == 0;
    return AnyMasked::strided(wild_tensor<float>({size}, 5), mask);
}

}  // namespace

TEST_CASE("layouts of lists, dense tensors and tensors with gaps each run their own loop", "[codegen]") {
    Recorded recorded;
    const auto ran = [&] { return recorded.recorder->ran; };
    CHECK(recorded.call(random_gradient({300, 200}, 1, 0)) == "");
    CHECK(ran() == std::set{Strategy::dense});
    CHECK(recorded.call(random_gradient({300, 200}, 0.1, 5)) == "");
    CHECK(ran() == std::set{Strategy::gather});
    CHECK(recorded.call(random_gradient({300, 200}, 0.1, 8)) == "");
    CHECK(ran() == std::set{Strategy::rows});
    const Lies transposed{.seen_as = [](const AnyTensor& tensor) { return tensor.transpose(0, 1); }};
    for (const std::size_t storage : {0, 1, 2, 5, 8}) {
        CHECK(recorded.call(random_gradient({300, 200}, 0.1, storage), transposed) == "");
        CHECK(ran() == std::set{Strategy::strided});
    }
}

TEST_CASE("masks of every density and pattern run each of the flat loops, with the same bytes", "[codegen]") {
    Recorded recorded;
    std::set<Strategy> all;
    const auto check = [&](const AnyMasked& gradient) {
        INFO(gradient.specified_count() << " of " << gradient.size());
        CHECK(recorded.call(gradient) == "");
        all.insert(recorded.recorder->ran.begin(), recorded.recorder->ran.end());
    };
    for (const std::size_t storage : {1, 2})
        for (const double density : {0.0, 0.0005, 0.01, 0.03, 0.1, 0.3, 0.7, 0.95, 1.0})
            check(random_gradient({130001}, density, storage));
    for (const std::int64_t run : {16, 640})
        for (const std::int64_t every : {1, 2, 3, 10, 200}) check(clustered(130001, run, every));
    all.erase(Strategy::blend);  // rarely the cheapest where all updates have one mask
    CHECK(all == std::set{Strategy::skip, Strategy::gather, Strategy::lines});
}

TEST_CASE("blend and skip write the same bytes wherever the other was chosen", "[codegen]") {
    Recorded recorded;
    for (const Strategy instead : {Strategy::blend, Strategy::skip})
        for (const std::int64_t size : {1, 63, 64, 65, 1003, 16384, 16449, 130001})
            for (const double density : {0.0, 0.01, 0.3, 0.6, 1.0}) {
                recorded.recorder->instead = instead;
                INFO(name_of(instead) << ", size " << size << ", density " << density);
                CHECK(recorded.call(random_gradient({size}, density, 2)) == "");
            }
}

TEST_CASE("one specified element is stepped wherever it stands, by every strategy", "[codegen]") {
    constexpr auto added = step<"added">(param += grad);
    for (const char* strategy : {"blend", "skip", "bytes", "predicate", "gather", "lines", "segments"}) {
        const auto kernel = jit(added, schedule(strategy));
        for (const std::int64_t size : {1, 7, 64, 65, 511, 515, 1003, 1024, 4099})
            for (const std::int64_t at : {std::int64_t{0}, size / 2, size - 1}) {
                const Tensor<float> p = full<float>({size}, 1), wanted = p.clone();
                const Tensor<bool> mask({size});
                mask.data()[at] = true;
                wanted.data()[at] = 6;
                kernel(param = p, grad = masked(full<float>({size}, 5), mask));
                INFO(strategy << ": element " << at << " of " << size);
                CHECK(same(p, wanted));
            }
    }
}

TEST_CASE("a call is observed to take the strategies that it runs, and writes nothing", "[codegen]") {
    Recorded recorded;
    const Graph step = graph();
    const auto check = [&](const AnyMasked& gradient, const Shape& weights) {
        const Tensor<float> p = full<float>(gradient.shape(), 1), s = full<float>(gradient.shape(), 2),
                            w = full<float>(weights, 3);
        std::vector<Argument> arguments;
        for (const Symbol& symbol : step.symbols)
            arguments.push_back(symbol.name == "grad"    ? Argument(gradient)
                                : symbol.name == "param" ? Argument(p)
                                : symbol.name == "state" ? Argument(s)
                                                         : Argument(w));
        const planning::PassEvent call = codegen::observed_call(step, arguments);
        CHECK(same(p, full<float>(gradient.shape(), 1)));
        CHECK(same(s, full<float>(gradient.shape(), 2)));
        recorded.recorder->ran.clear();
        CompiledKernel(recorded.recorder).call(arguments);
        INFO(name_of(gradient.layout()) << ", " << gradient.specified_count() << " of " << gradient.size());
        CHECK(std::set(call.strategies.begin(), call.strategies.end()) == recorded.recorder->ran);
    };
    for (std::size_t storage = 0; storage < std::size(every_storage); ++storage)
        for (const Shape& shape : {Shape{2, 4}, Shape{300, 200}, Shape{0, 3}})
            for (const double density : {0.02, 0.6}) {
                const AnyMasked gradient = random_gradient(shape, density, storage);
                check(gradient, shape);
                check(gradient, {shape[0], 1});
                check(gradient, {});
            }
}

TEST_CASE("what Halide refuses is an Error, on the thread that calls, and the next call finds the same",
          "[codegen]") {
    constexpr ScalarState<"kept"> kept;
    // No call asks for loops of a step without tensors; Halide refuses a loop without outputs.
    codegen::JitModule loops(describe(step<"refused">(kept *= 0.5)), find_target(TargetName{"cpu"}));
    const std::array both{Strategy::dense, Strategy::blend};
    const auto says =
        Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith("frisket: Halide refuses a loop: "));
    for (int i = 0; i < 2; ++i) {
        CHECK_THROWS_MATCHES(loops.compile_variants(std::span(both).first(1)), Error, says);
        CHECK_THROWS_MATCHES(loops.compile_variants(both), Error, says);
    }
}

}  // namespace jit_strategies_test
