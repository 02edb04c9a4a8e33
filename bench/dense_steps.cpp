// SPDX-License-Identifier: MIT
// Dense Adagrad and AdamW over one parameter of 16M elements, and over 100 of 1k to 1M in one call of an
// Optimizer; and a step so small that it is all overhead.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <cmath>
#include <random>

#include "hand_dense.hpp"
#include "report.hpp"

using namespace frisket;

namespace {

constexpr float rate = 1e-6F, tiny = 1e-8F, decay = 1e-2F;

Tensor<float> random_tensor(std::int64_t count) {
    Tensor<float> made({count});
    std::mt19937 generator(1);
    for (std::int64_t i = 0; i < count; ++i)
        made.data()[i] = static_cast<float>(generator()) / 4294967296.0F - 0.5F;
    return made;
}

/// Parameters of these sizes with their gradients, and state for the loops written by hand.
struct Tensors {
    explicit Tensors(std::vector<std::int64_t> sizes) : counts(std::move(sizes)) {
        for (const std::int64_t count : counts) {
            params.push_back({"", full<float>({count}, 1.0F)});
            gradients.push_back(random_tensor(count));
            means.push_back(full<float>({count}, 0.0F));
            squares.push_back(full<float>({count}, 0.5F));
            total += static_cast<double>(count);
            auto* const param = static_cast<float*>(params.back().tensor.data());
            const float* const grad = gradients.back().data();
            adagrad.push_back({param, squares.back().data(), grad, rate, tiny});
            adamw.push_back({.param = param,
                             .mean = means.back().data(),
                             .square = squares.back().data(),
                             .grad = grad,
                             .lr = rate,
                             .beta1 = 0.9F,
                             .beta2 = 0.999F,
                             .eps = tiny,
                             .decay = 1 - rate * decay,
                             .t = 100});
        }
    }
    std::vector<Argument> arguments() const { return {gradients.begin(), gradients.end()}; }

    std::vector<std::int64_t> counts;
    std::vector<optim::NamedParameter> params;
    std::vector<Tensor<float>> gradients, means, squares;
    std::vector<bench::Adagrad> adagrad;
    std::vector<bench::AdamW> adamw;
    double total = 0;
};

/// An Optimizer against one region of threads over all tensors.
void race_optimizers(const bench::Ratios& ratios, const std::string& what, const Tensors& tensors) {
    const std::vector<Argument> gradients = tensors.arguments();
    optim::Optimizer adagrad(optim::Adagrad{.lr = rate, .eps = tiny}, tensors.params);
    ratios.race({.workload = "dense adagrad", .what = what, .goal = 1.05, .bytes = tensors.total * 20},
                {{"frisket", [&] { adagrad.step(gradients); }},
                 {"hand", [&] { bench::dense_list(tensors.adagrad, tensors.counts); }}});
    optim::Optimizer adamw(optim::AdamW{.lr = rate, .eps = tiny, .weight_decay = decay}, tensors.params);
    ratios.race({.workload = "dense adamw", .what = what, .goal = 1.05, .bytes = tensors.total * 28},
                {{"frisket", [&] { adamw.step(gradients); }},
                 {"hand", [&] { bench::dense_list(tensors.adamw, tensors.counts); }}});
}

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;
constexpr auto adagrad_step =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

/// Masked Adagrad of 2 x 4 elements: what a call costs.
void race_small(const bench::Ratios& ratios) {
    constexpr int calls = 1000;
    const Shape shape{2, 4};
    Tensor<float> p = full<float>(shape, 1.0F), s = full<float>(shape, 0.5F), g = full<float>(shape, 0.25F);
    const Tensor<bool> mask(shape, {true, false, true, false, false, true, true, false});
    const MaskedTensor<float> gradient = masked(g, mask);
    const auto kernel = jit(adagrad_step);
    const bench::Adagrad hand{p.data(), s.data(), g.data(), rate, tiny};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(mask.data());
    ratios.race(
        {.workload = "masked adagrad 2x4", .what = "strided", .goal = 1, .goal_s = 0.3e-6, .calls = calls},
        {{"frisket",
          [&] {
              for (int i = 0; i < calls; ++i)
                  kernel(param = p, state_sum = s, grad = gradient, lr = rate, eps = tiny);
          }},
         {"hand", [&] {
              for (int i = 0; i < calls; ++i) bench::branch_on_one_thread(hand, bytes, 8);
          }}});
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Ratios ratios(bench::options_of(argc, argv));
    race_optimizers(ratios, "1 x 16M", Tensors({std::int64_t{1} << 24}));
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < 100; ++i) sizes.push_back(std::llround(1000 * std::pow(1000.0, i / 99.0)));
    race_optimizers(ratios, "100 x 1k to 1M", Tensors(sizes));
    race_small(ratios);
}
