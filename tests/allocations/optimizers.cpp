// SPDX-License-Identifier: MIT
/// Optimizers whose allocations fail one by one.
#include "bytes.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <filesystem>
#include <map>

namespace optimizers_test {

using namespace frisket;
using namespace frisket::optim;
using namespace frisket::testing;

namespace {

/// An optimizer of several parameters, and the bytes of all that it may write.
struct Trained {
    Tensor<float> a = random_tensor({6, 4}, 1), b = random_tensor({5}, 2);
    Tensor<double> c = random_tensor<double>({3, 2}, 3);
    Optimizer optimizer;
    int last_group = 0;

    Trained(const Optimizer::Settings& settings, const AnyRule& rule)
        : optimizer(settings, rule, {{"a", a}, {"b", b}}) {
        last_group = optimizer.add_group(rule, {{"c", c}});
    }
    static MaskedTensor<float> gradient(Layout layout, int seed) {
        return random_masked<float>({6, 4}, specified(0.5), layout, static_cast<std::uint32_t>(seed));
    }
    void step(Layout layout, int seed, const GradientOptions& options = {}) {
        const auto g = gradient(layout, seed);
        const auto h = random_tensor({5}, 4);
        const auto k = random_masked<double>({3, 2}, specified(0.5), layout, 6);
        optimizer.step({g, h, k}, options);
    }
    /// Parameters, state and options.
    std::string bytes() const {
        std::string text = bytes_in({a, b, c});
        for (const StateEntry& entry : optimizer.state())
            text += "|" + entry.parameter + "." + entry.name + bytes_in({entry.value});
        for (int group = 0; group < optimizer.group_count(); ++group)
            for (const OptionText& option : optimizer.rule(group).options())
                text += "|" + option.name + "=" + option.text;
        return text + "|" + std::to_string(optimizer.group_count());
    }
};

/// Something done to an optimizer that has made `steps` steps.
template <class Do>
std::function<Operation()> on_optimizer(Optimizer::Settings settings, AnyRule rule, int steps, Do make,
                                        const char* lr = nullptr) {
    return [=] {
        auto trained = std::make_shared<Trained>(settings, rule);
        for (int i = 0; i < steps; ++i) trained->step(Layout::rows, 10 + i);
        for (int group = 0; lr != nullptr && group < 2; ++group) trained->optimizer.rule(group).set("lr", lr);
        return Operation{.run = [=] { make(*trained); }, .bytes = [=] { return trained->bytes(); }};
    };
}

std::vector<AnyRule> tried_rules() {
    return {SGD{.lr = 0.1, .momentum = 0.9}, RowwiseAdagrad{.lr = 0.1}, NAdam{}};
}

std::vector<AnyRule> closed_rules() { return {SGD{.lr = 0.1, .momentum = 0.9}, RowwiseAdagrad{.lr = 0.1}}; }

std::filesystem::path saved() {
    return std::filesystem::temp_directory_path() /
           ("frisket_allocations_" + std::to_string(getpid()) + ".safetensors");
}

}  // namespace

TEST_CASE("a step of an optimizer whose memory runs out changes nothing and the next is right",
          "[allocations]") {
    for (const Untouched untouched : {Untouched::masked, Untouched::dense_equivalent})
        for (const AnyRule& rule : tried_rules()) {
            if (untouched == Untouched::masked && !rule.info().no_mask.empty()) continue;
            for (const auto& [steps, layout] : {std::pair(0, Layout::rows), std::pair(1, Layout::csr)})
                check_every_allocation(std::string(rule.info().name) + ", " + std::string(name_of(layout)),
                                       on_optimizer({.untouched = untouched}, rule, steps,
                                                    [layout](Trained& all) { all.step(layout, 20); }));
        }
}

TEST_CASE("a step that scales, clips or rounds at random and whose memory runs out changes nothing",
          "[allocations]") {
    const AnyRule rule = SGD{.lr = 0.1, .momentum = 0.9};
    check_every_allocation("clip_norm", on_optimizer({}, rule, 1, [](Trained& all) {
                               all.step(Layout::rows, 20, {.scale = 2, .clip_norm = 1, .clip_value = 0.5});
                           }));
    check_every_allocation("skip_nonfinite", on_optimizer({}, rule, 1, [](Trained& all) {
                               all.step(Layout::coo, 20, {.skip_nonfinite = true});
                           }));
    check_every_allocation("interpreted", on_optimizer({.interpret = true}, rule, 1,
                                                       [](Trained& all) { all.step(Layout::rows, 20); }));
    check_every_allocation("stochastic rounding", [=] {
        struct Rounded {
            Tensor<bfloat16> p = random_tensor({6, 4}, 1).to<bfloat16>();
            Tensor<bfloat16> g = random_tensor({6, 4}, 2).to<bfloat16>();
            Optimizer optimizer{{.stochastic_rounding = true, .seed = 7}, SGD{.lr = 0.1}, {{"p", p}}};
        };
        auto all = std::make_shared<Rounded>();
        return Operation{.run = [=] { all->optimizer.step({all->g}); },
                         .bytes = [=] { return bytes_in({all->p, all->optimizer.state("p", "step")}); }};
    });
}

TEST_CASE("a step of caught up rows whose memory runs out changes nothing and the next is right",
          "[allocations][deep]") {
    const Optimizer::Settings settings{.untouched = Untouched::caught_up};
    for (const AnyRule& rule : closed_rules()) {
        const std::string name(rule.info().name);
        for (const Layout layout : {Layout::rows, Layout::coo})
            check_every_allocation(
                name + ", " + std::string(name_of(layout)),
                on_optimizer(settings, rule, 3, [=](Trained& all) { all.step(layout, 20); }));
        for (const Layout layout : {Layout::rows, Layout::dense})
            check_every_allocation(
                name + ", other options, " + std::string(name_of(layout)),
                on_optimizer(settings, rule, 3, [=](Trained& all) { all.step(layout, 20); }, "0.25"));
        check_every_allocation(name + ", catch_up()", on_optimizer(settings, rule, 3, [](Trained& all) {
                                   all.optimizer.catch_up();
                               }));
    }
}

TEST_CASE("an optimizer is loaded, or given state or a group, whole or not at all", "[allocations][deep]") {
    for (const Untouched untouched : {Untouched::masked, Untouched::caught_up}) {
        const Optimizer::Settings settings{.untouched = untouched};
        Trained other(settings, AnyRule(SGD{.lr = 0.5, .momentum = 0.75}));
        for (int i = 0; i < 4; ++i) other.step(Layout::rows, 30 + i);
        other.optimizer.save(saved().string());
        const std::vector<StateEntry> state = other.optimizer.state();
        const AnyRule rule = SGD{.lr = 0.1, .momentum = 0.9};
        check_every_allocation("load", on_optimizer(settings, rule, 2, [](Trained& all) {
                                   all.optimizer.load(saved().string());
                               }));
        check_every_allocation("set_state", on_optimizer(settings, rule, 2, [state](Trained& all) {
                                   all.optimizer.set_state(state);
                               }));
        check_every_allocation("add_group", on_optimizer(settings, rule, 2, [](Trained& all) {
                                   all.optimizer.add_group(SGD{.lr = 1, .momentum = 0.5},
                                                           {{"d", random_tensor({4}, 8)}});
                               }));
        check_every_allocation("save", on_optimizer(settings, rule, 2, [](Trained& all) {
                                   all.optimizer.save(saved().string());
                               }));
    }
    std::filesystem::remove(saved());
}

TEST_CASE("an optimizer is made whole or not at all", "[allocations]") {
    for (const AnyRule& rule : tried_rules())
        check_every_allocation(std::string(rule.info().name), [=] {
            return giving([=] {
                const Trained made({.untouched = Untouched::dense_equivalent}, rule);
                return made.bytes();
            });
        });
}

}  // namespace optimizers_test
