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
        detail::PlanForm::full, Run::yes, {.jit = Jit::always, .target = fixed_target},
        [&](const ir::ExpressionContext::Evaluate& evaluate) { detail::run(evaluate, expressions...); });
    std::printf("## %s\n\n```\n%s```\n\n```\n%s```\n\n", title.c_str(), source.c_str(), text.c_str());
}

/// A list of 64 columns, a few in each row.
MaskedTensor<float> listed(std::int64_t rows, Layout layout) {
    std::vector<std::vector<std::int64_t>> places(2);
    for (std::int64_t i = 0; i < rows * 3; ++i) {
        places[0].push_back(i / 3);
        places[1].push_back(i * 11 % 21 + i % 3 * 21);
    }
    return MaskedTensor<float>(
        MaskedTensor<float>::coo({rows, 64}, places, full<float>({rows * 3}, 0.5F)).to(layout));
}

/// Prints the plans of models whose gradients are lists.
void print_lists() {
    const MaskedTensor<float> ratings = listed(48, Layout::coo);
    const Tensor<float> u = some({48, 8}), v = some({64, 8});
    const auto loss = sum(square(ratings - matmul(u, transpose(v, 0, 1))));
    print("Factorisation of a list, with its gradients",
          "loss = sum(square(ratings - matmul(u, transpose(v, 0, 1))))\n"
          "loss, gradient(loss, u), gradient(loss, v)\n",
          loss, gradient(loss, u), gradient(loss, v));

    const MaskedTensor<float> samples = listed(8, Layout::csr);
    const Tensor<float> w = some({64, 1}), wanted = some({8, 1});
    const auto z = to_dense(matmul(samples, w), 0.0F);
    const auto error = mean(log1p(exp(-(wanted * z))));
    print("Logistic regression over csr samples",
          "z = to_dense(matmul(samples, w), 0)\n"
          "error = mean(log1p(exp(-(wanted * z))))\n"
          "error, gradient(error, w)\n",
          error, gradient(error, w));
}

/// Prints the plans of compositions of lists, with gradients.
void print_compositions() {
    const MaskedTensor<float> edges = listed(64, Layout::csr);
    const Tensor<float> h = some({64, 8}), w = some({8, 8}), to = some({8, 1}), from = some({8, 1});
    const auto wh = matmul(h, w);
    const auto score = on(edges, matmul(wh, to) + transpose(matmul(wh, from), 0, 1));
    const auto attention = softmax(where(score > 0.0F, score, score * 0.2F), 1);
    const auto loss = sum(square(matmul(attention, wh) - h));
    print("Graph attention over csr, with its gradients",
          "wh = matmul(h, w)\n"
          "score = on(edges, matmul(wh, to) + transpose(matmul(wh, from), 0, 1))\n"
          "attention = softmax(where(score > 0, score, score * 0.2), 1)\n"
          "loss = sum(square(matmul(attention, wh) - h))\n"
          "loss, gradient(loss, w), gradient(loss, to), gradient(loss, from)\n",
          loss, gradient(loss, w), gradient(loss, to), gradient(loss, from));

    Tensor<std::int64_t> ids({16});
    for (std::int64_t i = 0; i < ids.size(); ++i) ids.data()[i] = i * 5 % 48;
    const MaskedTensor<float> samples = listed(48, Layout::csr);
    const Tensor<float> weights = some({64, 1}), wanted = some({16, 1});
    const auto z = to_dense(matmul(samples[ids], weights), 0.0F);
    const auto error = mean(log1p(exp(-(wanted * z))));
    print("A minibatch of csr rows",
          "z = to_dense(matmul(samples[ids], weights), 0)\n"
          "error = mean(log1p(exp(-(wanted * z))))\n"
          "error, gradient(error, weights)\n",
          error, gradient(error, weights));

    const MaskedTensor<float> ratings = listed(48, Layout::coo);
    const Tensor<float> u = some({48, 8}), v = some({64, 8}), bias = some({48, 1});
    const auto misfit = sum(square(ratings - (matmul(u, transpose(v, 0, 1)) + bias)));
    print("Factorisation with a bias of rows",
          "misfit = sum(square(ratings - (matmul(u, transpose(v, 0, 1)) + bias)))\n"
          "misfit, gradient(misfit, u), gradient(misfit, bias)\n",
          misfit, gradient(misfit, u), gradient(misfit, bias));

    const auto twice = matmul(edges, edges);
    print("Chains of products of lists", "twice = matmul(edges, edges)\nmatmul(twice, h)\n",
          matmul(twice, h));
    print("A product of lists at the places of one", "sum(intersect(edges * matmul(edges, edges)))\n",
          sum(intersect(edges * twice)));
    print("The gradient of a product of lists", "gradient(sum(square(matmul(edges, edges2))), edges)\n",
          gradient(sum(square(matmul(edges, listed(64, Layout::coo)))), edges));
}

/// Prints the plan of a training step of bags of an embedding.
void print_bags() {
    constexpr InOut<"table"> table;
    constexpr InOut<"moment"> moment;
    constexpr In<"ids", std::int64_t> ids;
    constexpr In<"wanted"> wanted;
    constexpr Scalar<"lr"> lr;
    constexpr Let<"slope"> slope;
    constexpr auto error = mean(square(sum(table[ids], {1}) - wanted));
    constexpr auto train =
        step<"train">(slope = gradient(error, table), moment += mean(slope * slope, {1}, keepdim),
                      table -= lr * slope / (sqrt(moment) + 1e-8));
    Tensor<std::int64_t> bags({4, 3});
    for (std::int64_t i = 0; i < bags.size(); ++i) bags.data()[i] = i * 5 % 64;
    const std::string text = explain(train, table = some({64, 8}), moment = full<float>({64, 1}, 0.1F),
                                     ids = bags, wanted = some({4, 8}), lr = 0.1);
    std::printf(
        "## Embedding bags with row-wise Adagrad\n\n```\n%s```\n\n```\n%s```\n\n",
        "error = mean(square(sum(table[ids], {1}) - wanted))\n"
        "step<\"train\">(slope = gradient(error, table), moment += mean(slope * slope, {1}, keepdim),\n"
        "              table -= lr * slope / (sqrt(moment) + 1e-8))\n",
        text.c_str());
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
    print_lists();
    print_compositions();
    print_bags();
    std::printf("%s", end);
}

TEST_CASE("plans of layer norm, attention, a perceptron, lists and bags, with gradients, read as they did",
          "[golden]") {
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
    check_golden("explain.md",
                 "# Plans of models\n\n`explain(e, Run::yes)` of four threads and AVX2, for each model. "
                 "\"Never whole\" are "
                 "tensors of which loops hold\nsome rows at a time; \"on the way\" is all memory that loops "
                 "take for such rows, for copies of what\nthey read often, and for what they store until the "
                 "stage ends. Made by\n`FRISKET_UPDATE_GOLDEN=1 build/bin/test_golden`.\n\n" +
                     plans);
}

}  // namespace explained_test
