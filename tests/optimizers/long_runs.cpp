// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include <fstream>

namespace long_runs_test {

using namespace frisket;
using namespace frisket::optim;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t elements = 8;

/// The gradients of make_long_runs.py: for every `stride`-th element, in turn.
class Gradients {
public:
    explicit Gradients(int stride) : stride_(stride) {}

    template <class T>
    MaskedTensor<T> next() {
        std::vector<std::int64_t> listed;
        std::vector<T> values;
        for (std::int64_t i = 0; i < elements; ++i) {
            state_ = (state_ * 1103515245 + 12345) % (std::uint64_t{1} << 31);
            if ((i + step_) % stride_ != 0) continue;
            listed.push_back(i);
            values.push_back(static_cast<T>(static_cast<int>((state_ >> 16) % 257) - 128) / 64);
        }
        ++step_;
        return MaskedTensor<T>::coo({elements}, {listed}, values);
    }

private:
    int stride_;
    std::uint64_t state_ = 1;
    std::int64_t step_ = 0;
};

template <class T>
Tensor<T> run(const Json& test, std::int64_t steps) {
    AnyRule rule = rule_of(test.at("optimizer").get<std::string>());
    for (const auto& [name, value] : test.at("options").items()) rule.set(name, value.dump());
    Tensor<T> param({elements});
    for (std::int64_t i = 0; i < elements; ++i) param.data()[i] = static_cast<T>(i) / 4 - 1;
    Optimizer optimizer(rule, {{"param", param}});
    Gradients gradients(test.at("stride").get<int>());
    for (std::int64_t step = 0; step < steps; ++step) {
        const MaskedTensor<T> gradient = gradients.next<T>();
        optimizer.step({gradient});
    }
    return param;
}

}  // namespace

// The bounds that docs/optimizers.md states.
TEST_CASE("after 1,000 steps parameters are PyTorch's, to 1e-11 in float64 and to 1e-4 in float32") {
    std::ifstream in(LONG_RUNS);
    REQUIRE(in);
    const Json file = Json::parse(in);
    const auto steps = file.at("steps").get<std::int64_t>();
    for (const Json& test : file.at("runs")) {
        const std::string name = test.at("optimizer").get<std::string>() + " " + test.at("options").dump();
        CAPTURE(name);
        const Tensor<double> wide = run<double>(test, steps);
        const Tensor<float> narrow = run<float>(test, steps);
        for (std::int64_t i = 0; i < elements; ++i) {
            const auto wanted = test.at("param")[static_cast<std::size_t>(i)].get<double>();
            CAPTURE(i);
            CHECK_THAT(wide.data()[i], Catch::Matchers::WithinRel(wanted, 1e-11) ||
                                           Catch::Matchers::WithinAbs(wanted, 1e-11));
            CHECK_THAT(narrow.data()[i],
                       Catch::Matchers::WithinRel(wanted, 1e-4) || Catch::Matchers::WithinAbs(wanted, 1e-4));
        }
    }
}

}  // namespace long_runs_test
