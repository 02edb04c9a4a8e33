// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../../codegen/jit/jit_module.hpp"
#include "../../../codegen/tuning/search/race.hpp"

#include <algorithm>
#include <iostream>

#include "../../support/forwarding_module.hpp"
#include "tuned_call.hpp"

namespace tuning_honesty_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Fault that loops are given.
struct Fault {
    std::string_view target;   // the tensor whose element is altered; empty: nothing is written any more
    std::int64_t element = 0;  // the lowest bit of its value is another
    int from_call = 0;         // number of calls before the fault begins
};

/// The loops of the step, but for a fault.
class Faulty final : public kernel_calls::ForwardingModule {
public:
    Faulty(kernel_calls::KernelModule& loops, const Fault& fault)
        : kernel_calls::ForwardingModule(loops), fault_(fault) {
        facts().evaluate = [this, &loops](std::span<const Argument> arguments, double* numbers) {
            loops.evaluate(arguments, numbers);
            is_wrong_ = ++calls_ > fault_.from_call;
        };
        facts().store_states = [this, &loops](std::span<const Argument> arguments, const double* numbers) {
            loops.store_states(arguments, numbers);
            if (is_wrong_ && !fault_.target.empty()) alter(arguments);
        };
    }

    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override {
        if (!is_wrong_ || !fault_.target.empty()) kernel_calls::ForwardingModule::run(variant, argv);
    }

private:
    void alter(std::span<const Argument> arguments) const {
        const Tensor<float> tensor(
            arguments[static_cast<std::size_t>(signature().find(fault_.target))].tensor());
        float& element = tensor.data()[fault_.element % tensor.size()];
        element = std::bit_cast<float>(std::bit_cast<std::uint32_t>(element) ^ 1U);
    }

    Fault fault_;
    int calls_ = 0;
    bool is_wrong_ = false;
};

/// Number of faulty loops that were taken for the fastest, of `each` for each layout.
int accept_faulty(int each) {
    const Graph graph = describe(adagrad_of_rate);
    codegen::JitModule loops(graph, find_target(TargetName{"cpu"}));
    std::mt19937_64 random(5);
    int accepted = 0;
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::rows, Layout::dense}) {
        // More than the interpreter is given.
        const Given given({700, 200}, layout, layout == Layout::dense ? 1 : 0.1);
        TuneOptions options{.seconds = 1, .schedules = {default_schedule(Strategy::strided)}};
        for (int i = 0; i < each; ++i) {
            const std::string_view targets[] = {"param", "state", ""};
            const Fault fault{.target = targets[i % 3],
                              .element = static_cast<std::int64_t>(random() >> 1),
                              .from_call = i % 4 == 0 ? 2 + static_cast<int>(random() % 40) : 0};
            Schedule mark = default_schedule(Strategy::blend);
            mark.tile = 1000 + i;  // no other has it
            options.others.push_back({mark, CompiledKernel(std::make_shared<Faulty>(loops, fault))});
        }
        const TuneResult result = given.tuned(options);
        accepted += result.schedule && result.schedule->tile >= 1000;
    }
    return accepted;
}

}  // namespace

TEST_CASE("loops that alter one element, or stop writing, are never taken", "[codegen]") {
    CHECK(accept_faulty(4) == 0);
}

TEST_CASE("a schedule is faster only where it is so on the clock", "[codegen]") {
    const Paired faster{.ratio = 1.53, .low = 1.4, .high = 1.6, .first_s = 5.48e-3, .second_s = 3.36e-3};
    CHECK(codegen::is_faster(faster, 0));
    CHECK(codegen::is_faster(faster, 0.47));
    CHECK_FALSE(codegen::is_faster(faster, 0.49));
    // Processors idle, the clock does not: a device, or fewer threads.
    Paired slower = faster;
    std::swap(slower.first_s, slower.second_s);
    CHECK_FALSE(codegen::is_faster(slower, 0));
    Paired scattered = faster;
    scattered.low = 0.9;
    CHECK_FALSE(codegen::is_faster(scattered, 0));
}

TEST_CASE("of two hundred loops with a fault none is taken", "[.full]") { CHECK(accept_faulty(48) == 0); }

TEST_CASE("loops that are the default's are taken for faster ones in at most 5 of 100 races", "[.full]") {
    int wins = 0, races = 0;
    for (const Layout layout : {Layout::bitmask, Layout::coo}) {
        for (const std::int64_t rows : {300, 3000}) {
            const Given given({rows, 200}, layout, 0.1);
            const Strategy usual = given.tuned({.seconds = 0.1}).usual;
            const TuneOptions options{.seconds = 0.5, .schedules = {8, default_schedule(usual)}};
            for (int i = 0; i < 25; ++i, ++races) wins += given.tuned(options).schedule.has_value();
        }
    }
    std::cout << "taken for faster: " << wins << " of " << races << "\n";
    CHECK(wins * 20 <= races);
}

}  // namespace tuning_honesty_test
