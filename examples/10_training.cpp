// SPDX-License-Identifier: MIT
// Layers in a loop, and iterations of training as one step.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <iomanip>
#include <iostream>
#include <vector>

using namespace frisket;

namespace {

/// Numbers between -0.6 and 0.6.
Tensor<float> numbers(const Shape& shape, std::int64_t start) {
    Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<float>((i * 7 + start) % 13 - 6) / 10;
    return made;
}

void print(const char* name, const Tensor<float>& loss) {
    std::cout << std::fixed << std::setprecision(3) << name << loss.item() << "\n";
}

void depth_at_run_time() {
    const Tensor<float> x = numbers({8, 6}, 1), y = numbers({8, 6}, 5);
    const std::vector<Tensor<float>> w{numbers({6, 6}, 2), numbers({6, 6}, 3), numbers({6, 6}, 4)};
    // [depth]
    Expression<float> e = x;
    for (const Tensor<float>& each : w) e = relu(matmul(e, each));
    const Expression<float> loss = mean(square(e - y));

    std::vector<MaskedExpression<float>> slopes;
    for (const Tensor<float>& each : w) slopes.push_back(gradient(loss, each));
    const auto [value, gradients] = eval(loss, slopes);  // a tensor, and a vector of masked tensors
    // [/depth]
    print("loss of three layers: ", value);
    std::cout << "gradients: " << gradients.size() << ", " << to_string(gradients[0].shape()) << "\n";
}

// [train]
constexpr In<"x"> x;
constexpr In<"y"> y;
constexpr InOut<"w"> w;
constexpr InOut<"b"> b;
constexpr Scalar<"lr"> lr;
constexpr Let<"gw"> gw;
constexpr Let<"gb"> gb;

constexpr auto loss = mean(square(linear(x, w, b) - y));
constexpr auto train =
    step<"train">(gw = gradient(loss, w), gb = gradient(loss, b), w -= lr * gw, b -= lr * gb);
// [/train]

void one_step() {
    const Tensor<float> inputs = numbers({8, 6}, 1), wanted = numbers({8, 2}, 5);
    const Tensor<float> weights = numbers({2, 6}, 2), bias = numbers({2}, 3);
    const auto kernel = jit(train);
    print("loss before: ", eval(mean(square(linear(inputs, weights, bias) - wanted))));
    for (int i = 0; i < 100; ++i) kernel(x = inputs, y = wanted, w = weights, b = bias, lr = 0.5);
    print("loss after:  ", eval(mean(square(linear(inputs, weights, bias) - wanted))));
}

// [rules]
constexpr InOut<"words"> words;
constexpr InOut<"words_sum"> words_sum;  // the state `sum` of the rule for words
constexpr In<"ids", std::int64_t> ids;
constexpr Let<"gwords"> gwords;
constexpr Scalar<"lr_decay"> lr_decay;

constexpr auto bag_loss = mean(square(linear(sum(words[ids], {1}), w, b) - y));
constexpr auto bags =
    step<"bags">(gwords = gradient(bag_loss, words), gw = gradient(bag_loss, w),
                 optim::update(optim::adagrad, words, gwords), optim::update(optim::sgd, w, gw));
// [/rules]

void rules_in_a_step() {
    const Tensor<float> table = numbers({100'000, 6}, 1), sums = full<float>({100'000, 6}, 0);
    const Tensor<float> weights = numbers({2, 6}, 2), bias = numbers({2}, 3), wanted = numbers({4, 2}, 5);
    const Tensor<std::int64_t> read({4, 3}, {7, 99, 7, 54'321, 8, 9, 0, 1, 2, 99'999, 3, 3});
    const auto kernel = jit(bags);
    const auto now = [&] {
        return eval(mean(square(linear(sum(table[read], {1}), weights, bias) - wanted)));
    };
    print("bags before: ", now());
    for (int i = 0; i < 100; ++i)
        kernel(words = table, words_sum = sums, ids = read, w = weights, b = bias, y = wanted,
               optim::lr = 0.05, optim::t = i + 1.0, optim::eps = 1e-10, optim::weight_decay = 0.0,
               lr_decay = 0.0);
    print("bags after:  ", now());
    const std::string plan = explain(bags, words = table, words_sum = sums, ids = read, w = weights, b = bias,
                                     y = wanted, optim::lr = 0.05, optim::t = 1.0, optim::eps = 1e-10,
                                     optim::weight_decay = 0.0, lr_decay = 0.0);
    const auto line = plan.find("float32 [100000, 6]");
    const bool is_small = plan.find(" KiB at once", plan.rfind("peak: ")) != plan.npos;
    std::cout << "memory beside table and state: " << (is_small ? "some KiB" : "MiB") << " at once\n";
    std::cout << "gradient of words: " << plan.substr(line, plan.find('\n', line) - line) << "\n";
}

}  // namespace

int main() {
    depth_at_run_time();
    one_step();
    rules_in_a_step();
}

// Output:
// loss of three layers: 0.148
// gradients: 3, [6, 6]
// loss before: 0.688
// loss after:  0.060
// bags before: 0.951
// bags after:  0.000
// memory beside table and state: some KiB at once
// gradient of words: float32 [100000, 6], rows, 60 entries, 240 bytes
