// SPDX-License-Identifier: MIT
#include "golden.hpp"

#include "../support/child.hpp"

#include <frisket/frisket.hpp>

#include <cstdio>

namespace explained_test {

using namespace frisket;
using namespace frisket::testing;

/// Explanations of whole models, for people who meet them for the first time.
namespace {

constexpr const char* fixed_target = "x86-64-avx2";
constexpr const char* begin = "<<<\n";
constexpr const char* end = ">>>\n";

Tensor<float> some(const Shape& shape) {
    Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<float>(i % 7) * 0.25F - 0.6F;
    return made;
}

Tensor<bool> causal(std::int64_t length) {
    Tensor<bool> mask({length, length});
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = i % length <= i / length;
    return mask;
}

/// Prints the plan of expressions that are evaluated together.
template <class... E>
void print(const std::string& title, const std::string& source, const E&... expressions) {
    const std::string text = detail::explained(
        detail::PlanForm::full, {.jit = Jit::always, .target = fixed_target},
        [&](const build::ExpressionContext::Evaluate& evaluate) { detail::run(evaluate, expressions...); });
    std::printf("## %s\n\n```\n%s```\n\n```\n%s```\n\n", title.c_str(), source.c_str(), text.c_str());
}

}  // namespace

TEST_CASE("child: plans of models", "[.child]") {
    std::printf("%s", begin);
    const Tensor<float> x = some({64, 128}), gain = some({128}), bias = some({128});
    const auto shifted = x - mean(x, {1}, keepdim);
    print("Layer norm",
          "shifted = x - mean(x, {1}, keepdim)\n"
          "shifted / sqrt(mean(square(shifted), {1}, keepdim) + 1e-5) * gain + bias\n",
          shifted / sqrt(mean(square(shifted), {1}, keepdim) + 1e-5) * gain + bias);

    const Tensor<float> q = some({2, 64, 16}), k = some({2, 64, 16}), v = some({2, 64, 16});
    const auto scores = masked(matmul(q, transpose(k, 1, 2)) * 0.25F, causal(64));
    const auto made = matmul(to_dense(softmax(scores, 2), 0), v);
    print("Causal attention",
          "scores = masked(matmul(q, transpose(k, 1, 2)) * 0.25, causal)\n"
          "made = matmul(to_dense(softmax(scores, 2), 0), v)\n",
          made);
    const auto loss = sum(square(made));
    print("Causal attention, its gradients",
          "loss = sum(square(made))\n"
          "gradient(loss, q), gradient(loss, k), gradient(loss, v)\n",
          gradient(loss, q), gradient(loss, k), gradient(loss, v));

    const Tensor<float> input = some({48, 32}), u = some({32, 40}), c = some({40}), w = some({40, 10}),
                        wanted = some({48, 10});
    const auto hidden = max(matmul(input, u) + c, 0);
    const auto error = mean(square(matmul(hidden, w) - wanted));
    print("Multilayer perceptron",
          "hidden = max(matmul(input, u) + c, 0)\n"
          "error = mean(square(matmul(hidden, w) - wanted))\n",
          error);
    print("Multilayer perceptron, its gradients",
          "gradient(error, u), gradient(error, c), gradient(error, w)\n", gradient(error, u),
          gradient(error, c), gradient(error, w));
    std::printf("%s", end);
}

TEST_CASE("plans of layer norm, attention and a perceptron, with gradients, read as they did", "[golden]") {
    try {
        static_cast<void>(eval(some({2}) + 1, {.jit = Jit::always, .target = fixed_target}));
    } catch (const TargetError&) { SKIP("this machine does not run " << fixed_target); }
    // The memory of loops depends on the number of threads.
    const ChildResult child = run_child("child: plans of models", "FRISKET_NUM_THREADS=4");
    INFO(child.output);
    const auto first = child.output.find(begin), last = child.output.find(end);
    REQUIRE(first != std::string::npos);
    REQUIRE(last != std::string::npos);
    const std::string plans =
        child.output.substr(first + std::string(begin).size(), last - first - std::string(begin).size());
    check_golden(
        "explain.md",
        "# Plans of models\n\n`explain(e)` of four threads and AVX2, for each model. \"Never whole\" are "
        "tensors of which loops hold\nsome rows at a time; \"on the way\" is all memory that loops "
        "take for such rows, for copies of what\nthey read often, and for what they store until the "
        "stage ends. Made by\n`FRISKET_UPDATE_GOLDEN=1 build/bin/test_golden`.\n\n" +
            plans);
}

}  // namespace explained_test
