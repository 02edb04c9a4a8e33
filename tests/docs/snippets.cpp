// SPDX-License-Identifier: MIT
// Code of documents that belongs to no example: each region is a block of a document.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>
#include <frisket/tune.hpp>

#include "../../codegen/tuning/records/database.hpp"
#include "../support/child.hpp"
#include "../support/devices.hpp"
#include "../support/folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace snippets_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;
constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

/// A gradient of two elements, 3 at (0, 2) and 4 at (1, 0).
MaskedTensor<float> two_elements() { return MaskedTensor<float>::coo({2, 4}, {{0, 1}, {2, 0}}, {3, 4}); }

/// Working folder of the process for as long as this lives.
class In {
public:
    explicit In(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
    ~In() { std::filesystem::current_path(before_); }
    In(const In&) = delete;
    In& operator=(const In&) = delete;

private:
    std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace

TEST_CASE("child: tunes as docs/schedules.md does", "[.]") {
    const Tensor<float> p = full<float>({64, 64}, 1), s = zeros<float>({64, 64}),
                        x = full<float>({64, 64}, 2);
    const auto g = masked(full<float>({64, 64}, 3), eval(x > 1));
    const auto m = g;
    // [tune]
    TuneResult best =
        tune(adagrad, {.seconds = 1}, param = p, state_sum = s, grad = g, lr = 0.1, eps = 1e-10);
    keep(best);                               // kernels of the step that are made from now on use it
    tune(softmax(m * x, 1), {.seconds = 1});  // the result of an expression is kept at once
    // [/tune]
}

TEST_CASE("what docs/schedules.md tunes is kept") {
    const Folder folder;
    const ChildResult child =
        run_child("child: tunes as docs/schedules.md does", "FRISKET_TUNING_DB=" + (folder / "tuning.db"));
    INFO(child.output);
    REQUIRE(child.status == 0);
    std::string steps;
    for (const codegen::TuningRecord& record : codegen::TuningDatabase(folder / "tuning.db").records())
        steps += record.step;
    INFO(steps);
    CHECK(count_of(steps, "step adagrad\n") == 1);
    CHECK(count_of(steps, "expression div(exp(") == 1);
}

TEST_CASE("the calls of docs/tensors.md on a device move nothing") {
    if (there_name() != "opencl") SKIP("the document names OpenCL, and these tests run on " << there_name());
    there();
    Tensor<float> weights = full<float>({2, 4}, 1);
    const Tensor<float> sums = full<float>({2, 4}, 0.5f);
    const MaskedTensor<float> gradient = two_elements();
    const auto kernel = jit(adagrad);
    const DeviceUse moves =
        use_of(there(), [&] { weights.to(there()), sums.to(there()), gradient.to(there()); });
    const DeviceUse before = device_use(there());
    // [device]
    const Device gpu = device("opencl");
    const Tensor<float> p = weights.to(gpu), s = sums.to(gpu);
    const MaskedTensor<float> g = gradient.to(gpu);
    for (int i = 0; i < 1000; ++i)
        kernel(param = p, state_sum = s, grad = g, lr = 0.1, eps = 1e-10);  // moves 0 bytes
    weights = p.to(device("cpu"));
    // [/device]
    const DeviceUse after = device_use(gpu);
    CHECK(after.bytes_uploaded - before.bytes_uploaded == moves.bytes_uploaded);
    CHECK(after.bytes_downloaded - before.bytes_downloaded == 8 * sizeof(float));
    double sum = 0.5, wanted = 1;
    for (int i = 0; i < 1000; ++i) sum += 9, wanted -= 0.1 * 3 / std::sqrt(sum);
    CHECK(std::abs(weights.at({0, 2}) - wanted) < 1e-3);
    CHECK(weights.at({0, 0}) == 1);
}

TEST_CASE("the optimizer of docs/training.md moves the rows that were looked up, and is saved") {
    const Folder folder;
    const In in(folder.path());
    const Tensor<float> table = full<float>({5, 2}, 1), bias = zeros<float>({2});
    const auto rows_looked_up = MaskedTensor<float>::rows({5, 2}, {1, 3}, {1, -1, 2, -2});
    const Tensor<float> bias_gradient({2}, {1, -1});
    // [optimizer]
    optim::Optimizer adam(optim::Adam{.lr = 1e-3}, {{"table", table}, {"bias", bias}});
    adam.step({rows_looked_up, bias_gradient}, {.clip_norm = 1});
    adam.save("state.safetensors");
    // [/optimizer]
    // Adam's first step is lr in the direction of the gradient.
    CHECK(allclose(table, Tensor<float>({5, 2}, {1, 1, 0.999f, 1.001f, 1, 1, 0.999f, 1.001f, 1, 1})));
    CHECK(allclose(bias, Tensor<float>({2}, {-0.001f, 0.001f})));
    optim::Optimizer other(optim::Adam{}, {{"table", table}, {"bias", bias}});
    other.load("state.safetensors");
    CHECK(other.options<optim::Adam>().lr == 1e-3);
}

TEST_CASE("the optimizer of optim/README.md follows its schedule, and goes on with the same bytes") {
    const Folder folder;
    const In in(folder.path());
    const int step = 500;
    const auto grad = masked(full<float>({1000, 16}, 2), eval(arange<float>(1000).reshape({1000, 1}) < 3 &&
                                                              full<float>({1000, 16}, 1) > 0));
    // [readme]
    Tensor<float> w = full<float>({1000, 16}, 0.1f);
    optim::Optimizer adam(optim::Adam{.lr = 1e-3}, {{"w", w}});
    adam.step({grad});  // a tensor, or a masked tensor in any layout
    adam.options<optim::Adam>().lr = optim::cosine(step, 1000, 1e-3);
    adam.save("state.safetensors");  // load() goes on with the same bytes
    // [/readme]
    CHECK(std::abs(w.at({2, 15}) - 0.099f) < 1e-6f);
    CHECK(w.at({3, 0}) == 0.1f);
    CHECK(std::abs(adam.options<optim::Adam>().lr - 0.5e-3) < 1e-9);
    const Tensor<float> other_w = w.clone();
    optim::Optimizer other(optim::Adam{}, {{"w", other_w}});
    other.load("state.safetensors");
    adam.step({grad});
    other.step({grad});
    CHECK(same(w, other_w));
}

}  // namespace snippets_test
