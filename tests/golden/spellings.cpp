// SPDX-License-Identifier: MIT
#include "golden.hpp"

#include "../../ir/planner/report/report_writer.hpp"
#include "../../runtime/support/joined.hpp"

#include <frisket/frisket.hpp>

#include <limits>
#include <string>

namespace spellings_test {

using namespace frisket;
using namespace frisket::testing;

/// Spellings of one computation, whose plans have the same stages: spaces, rules, and values stored whole.
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Tensor<float> some(const Shape& shape) {
    Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<float>(i % 7) * 0.25F - 0.6F;
    return made;
}

Tensor<bool> most(const Shape& shape) {
    Tensor<bool> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = i % 5 != 3;
    return made;
}

/// The stages of a plan: "whole over all elements of [6, 8], in rows, stores nothing whole".
std::string stages_of(const planning::PlanReport& report) {
    return runtime::joined(
        report.stages,
        [](const planning::StageReport& stage) {
            std::string whole, rows;
            for (const planning::TensorReport& tensor : stage.makes) {
                if (tensor.lifetime == planning::Lifetime::rows) rows = ", in rows";
                if (tensor.lifetime == planning::Lifetime::stage && tensor.shape.size() > 0)
                    whole += (whole.empty() ? "" : ", ") + to_string(tensor.shape);
            }
            return std::string(stage.rule->name) + " over " + stage.space + rows + ", stores " +
                   (whole.empty() ? "nothing" : whole) + " whole";
        },
        "; ");
}

/// A document: the plan of each computation, and its spellings.
class Spellings {
public:
    void begin(const std::string& title) {
        title_ = title;
        stages_.clear();
    }
    template <class E>
    void add(const std::string& spelling, const E& expression) {
        planning::RunEvents events;
        static_cast<void>(detail::run(detail::evaluator({.jit = Jit::always}, &events), expression));
        const std::string stages = stages_of(planning::report_of(title_, events));
        if (stages_.empty()) {
            stages_ = stages;
            text_ += "\n## " + title_ + "\n\n" + stages + "\n\n";
        }
        INFO(title_ << ": " << spelling);
        CHECK(stages == stages_);
        text_ += "- `" + spelling + "`\n";
    }
    const std::string& text() const { return text_; }

private:
    std::string text_ = "# Spellings\n\nSpellings of one computation have the same plan. Made by "
                        "`FRISKET_UPDATE_GOLDEN=1 build/bin/test_golden`.\n";
    std::string title_, stages_;
};

void add_attention(Spellings& to) {
    const Tensor<float> q = some({40, 16}), k = some({56, 16}), v = some({56, 24});
    const Tensor<bool> m = most({40, 56});
    const auto scores = masked(matmul(q, transpose(k)) * 0.25F, m);
    const auto dense = where(m, matmul(q, transpose(k)) * 0.25F, -infinity);
    const auto powers = exp(dense - amax(dense, {1}, keepdim));
    to.begin("Attention");
    to.add("matmul(to_dense(softmax(masked(matmul(q, transpose(k)) * s, m), 1), 0), v)",
           matmul(to_dense(softmax(scores, 1), 0), v));
    to.add("the scale on q", matmul(to_dense(softmax(masked(matmul(q * 0.25F, transpose(k)), m), 1), 0), v));
    to.add("the scale on k", matmul(to_dense(softmax(masked(matmul(q, transpose(k * 0.25F)), m), 1), 0), v));
    to.add("softmax(where(m, scores, -infinity), 1)", matmul(softmax(dense, 1), v));
    to.add("powers = exp(scores - amax(scores, {1}, keepdim)), powers / sum(powers, {1}, keepdim)",
           matmul(powers / sum(powers, {1}, keepdim), v));
    to.add("matmul(powers, v) / sum(powers, {1}, keepdim)", matmul(powers, v) / sum(powers, {1}, keepdim));
    to.add("scores / 4", matmul(softmax(where(m, matmul(q, transpose(k)) / 4, -infinity), 1), v));
}

void add_layer_norm(Spellings& to) {
    const Tensor<float> x = some({40, 96}), gain = some({96}), bias = some({96});
    const auto d = x - mean(x, {1}, keepdim);
    const auto spread = var(x, {1}, keepdim, 0);
    to.begin("Layer norm");
    to.add("d = x - mean(x, {1}, keepdim), d / sqrt(mean(d * d, {1}, keepdim) + eps) * gain + bias",
           d / sqrt(mean(d * d, {1}, keepdim) + 1e-5) * gain + bias);
    to.add("rsqrt(mean(square(d), {1}, keepdim) + eps) * d",
           rsqrt(mean(square(d), {1}, keepdim) + 1e-5) * d * gain + bias);
    to.add("d / sqrt(var(x, {1}, keepdim, 0) + eps)", d / sqrt(spread + 1e-5) * gain + bias);
    to.add("d * (1 / sqrt(var(x, {1}, keepdim, 0) + eps))", bias + gain * (d * (1 / sqrt(spread + 1e-5))));
    to.add("mean as sum / 96",
           (x - sum(x, {1}, keepdim) / 96) / sqrt(sum(d * d, {1}, keepdim) / 96 + 1e-5) * gain + bias);
    to.add("mean(x * x) - square(mean(x))",
           d * rsqrt(mean(x * x, {1}, keepdim) - square(mean(x, {1}, keepdim)) + 1e-5) * gain + bias);
}

void add_losses(Spellings& to) {
    const Tensor<float> x = some({40, 96}), t = some({40, 96});
    const Tensor<bool> m = most({40, 96});
    const auto d = masked(x, m) - t;
    to.begin("Masked mean of squares");
    to.add("mean(square(masked(x, m) - t))", mean(square(d)));
    to.add("mean(d * d)", mean(d * d));
    to.add("sum(square(d)) / count(d)", sum(square(d)) / count(d));
    to.add("sum(to_dense(square(d), 0)) / count(d)", sum(to_dense(square(d), 0)) / count(d));
    to.add("sum(where(m, square(x - t), 0)) / sum(m)", sum(where(m, square(x - t), 0)) / sum(m));

    const auto z = masked(x, m);
    const auto top = amax(z, {1}, keepdim);
    to.begin("Masked cross entropy, row by row");
    to.add("-sum(t * log_softmax(z, 1), {1})", -sum(t * log_softmax(z, 1), {1}));
    to.add("-sum(t * log(softmax(z, 1)), {1})", -sum(t * log(softmax(z, 1)), {1}));
    to.add("sum(t * (logsumexp(z, {1}, keepdim) - z), {1})", sum(t * (logsumexp(z, {1}, keepdim) - z), {1}));
    to.add("sum(t * (log(sum(exp(z), {1}, keepdim)) - z), {1})",
           sum(t * (log(sum(exp(z), {1}, keepdim)) - z), {1}));
    to.add("-sum(t * (z - top - log(sum(exp(z - top), {1}, keepdim))), {1})",
           -sum(t * (z - top - log(sum(exp(z - top), {1}, keepdim))), {1}));

    to.begin("Masked Huber loss");
    const auto size = abs(d);
    to.add("mean(where(abs(d) < 1, d * d / 2, abs(d) - 0.5))", mean(where(size < 1, d * d / 2, size - 0.5F)));
    to.add("mean(where(1 <= abs(d), abs(d) - 0.5, square(d) * 0.5))",
           mean(where(1 <= size, size - 0.5F, square(d) * 0.5F)));
    to.add("c = min(abs(d), 1), mean(c * (abs(d) - c / 2))", mean(min(size, 1) * (size - min(size, 1) / 2)));
    to.add("c = clamp(d, -1, 1), mean(c * (d - c / 2))", mean(clamp(d, -1, 1) * (d - clamp(d, -1, 1) / 2)));
    to.add("sum(...) / count(d)", sum(where(size < 1, d * d / 2, size - 0.5F)) / count(d));

    to.begin("Masked binary cross entropy of logits");
    to.add("mean(max(z, 0) - z * t + log1p(exp(-abs(z))))", mean(max(z, 0) - z * t + log1p(exp(-abs(z)))));
    to.add("mean(logaddexp(z, 0) - z * t)", mean(logaddexp(z, 0) - z * t));
    to.add("mean((1 - t) * z + log1p(exp(-z)))", mean((1 - t) * z + log1p(exp(-z))));
    to.add("-mean(t * log(sigmoid(z)) + (1 - t) * log(sigmoid(-z)))",
           -mean(t * log(sigmoid(z)) + (1 - t) * log(sigmoid(-z))));
    to.add("sum(logaddexp(0, z) - t * z) / count(z)", sum(logaddexp(0, z) - t * z) / count(z));
}

void add_factorisation(Spellings& to) {
    const Tensor<float> u = some({30, 8}), v = some({40, 8});
    const auto m = MaskedTensor<float>::coo({30, 40}, {{0, 0, 7, 29}, {1, 5, 30, 0}}, some({4}));
    const auto product = matmul(u, transpose(v, 0, 1));
    const auto d = m - product;
    to.begin("Loss of a factorisation");
    to.add("sum(square(m - matmul(u, transpose(v, 0, 1))))", sum(square(d)));
    to.add("sum(square(-(m - matmul(u, transpose(v, 0, 1)))))", sum(square(-d)));
    to.add("sum(square(m - on(m, matmul(u, transpose(v, 0, 1)))))", sum(square(m - on(m, product))));
    to.add("sum(square(intersect(m - matmul(u, transpose(v, 0, 1)))))", sum(square(intersect(m - product))));
    to.add("d = m - matmul(u, transpose(v, 0, 1)), sum(d * d)", sum(d * d));

    to.begin("Gradient of a factorisation");
    to.add("gradient(sum(square(m - matmul(u, transpose(v, 0, 1)))), u)", gradient(sum(square(d)), u));
    to.add("gradient(sum(square(matmul(u, transpose(v, 0, 1)) - m)), v)",
           gradient(sum(square(product - m)), v));
    to.add("gradient(sum(d * d), u)", gradient(sum(d * d), u));
}

}  // namespace

TEST_CASE("spellings of attention, layer norm and masked losses have one plan each", "[golden]") {
    Spellings all;
    add_attention(all);
    add_layer_norm(all);
    add_losses(all);
    add_factorisation(all);
    check_golden("spellings.md", all.text());
}

}  // namespace spellings_test
