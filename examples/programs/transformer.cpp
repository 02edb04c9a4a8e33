// SPDX-License-Identifier: MIT
// A small transformer: it learns to copy sequences of any length, and to predict Shakespeare's next letter.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <random>
#include <set>

#include "report.hpp"
using namespace frisket;

namespace {

constexpr std::int64_t batch = 64, length = 32, half = length / 2, width = 64, heads = 4, letters = 65;

Tensor<float> normal(const Shape& shape, std::mt19937& random) {
    std::normal_distribution<float> distribution(0, 1 / std::sqrt(static_cast<float>(shape[0])));
    Tensor<float> made(shape);
    std::generate_n(made.data(), made.size(), [&] { return distribution(random); });
    return made;
}

/// Sequences of letters, the letters that are to follow, and masks.
struct Batch {
    Tensor<std::int64_t> ids{Shape{batch, length}}, wanted{Shape{batch, length}};
    Tensor<bool> is_wanted = full<bool>({batch, length}, true);
    Tensor<bool> is_visible{Shape{batch, 1, length, length}};  // positions that each position attends to

    /// Lets positions attend to tokens that are not padding, up to themselves.
    void set_visible(std::int64_t row, auto is_token) {
        for (std::int64_t i = 0; i < length * length; ++i)
            is_visible.data()[row * length * length + i] = i % length <= i / length && is_token(i % length);
    }

    /// 4 to 16 letters, padding up to 16, a separator, and the letters again, which are wanted.
    void fill_with_copies(std::mt19937& random) {
        std::uniform_int_distribution<std::int64_t> any_letter(0, 9), any_count(4, half);
        for (std::int64_t row = 0; row < batch; ++row) {
            const std::int64_t first = row * length, count = any_count(random);
            for (std::int64_t i = 0; i < half; ++i) {
                const std::int64_t letter = any_letter(random);
                ids.data()[first + i] = wanted.data()[first + half + i] = letter;
                if (i + 1 < half) ids.data()[first + half + 1 + i] = letter;
                is_wanted.data()[first + i] = false, is_wanted.data()[first + half + i] = i < count;
                wanted.data()[first + i] = 0;
            }
            ids.data()[first + half] = 10;
            set_visible(row, [&](std::int64_t i) { return i % half < count || i == half; });
        }
    }

    /// Excerpts, of which each next letter is wanted.
    void fill_with_excerpts(std::span<const std::int64_t> text, std::mt19937& random) {
        std::uniform_int_distribution<std::size_t> start(0, text.size() - length - 1);
        for (std::int64_t row = 0; row < batch; ++row) {
            const auto part = text.subspan(start(random), length + 1);
            std::copy_n(part.begin(), length, ids.data() + row * length);
            std::copy_n(part.begin() + 1, length, wanted.data() + row * length);
            set_visible(row, [](std::int64_t /*i*/) { return true; });
        }
    }
};

/// The model: parameters, and the loss of a batch as an expression over them.
struct Model {
    Model(const Batch& batch_, std::mt19937& random) {
        const auto parameter = [&](const char* name, const Tensor<float>& values) {
            parameters.push_back({name, values});
            return values;
        };
        const auto weights = [&](const char* name, std::int64_t rows, std::int64_t columns) {
            return parameter(name, normal({rows, columns}, random));
        };
        const auto scaled = [&](const Expression<float>& x, const char* scale, const char* shift) {
            const Expression<float> centred = x - mean(x, {-1}, keepdim);
            const Expression<float> unit = centred / sqrt(mean(square(centred), {-1}, keepdim) + 1e-5);
            return Expression<float>(unit * parameter(scale, full<float>({width}, 1)) +
                                     parameter(shift, zeros<float>({width})));
        };
        const auto by_head = [&](const Expression<float>& x, const char* name) {
            const auto projected =
                reshape(matmul(x, weights(name, width, width)), {batch, length, heads, width / heads});
            return Expression<float>(permute(projected, {0, 2, 1, 3}));
        };

        Expression<float> x =
            weights("letters", letters, width)[batch_.ids] + weights("positions", length, width);
        const Expression<float> y = scaled(x, "scale_a", "shift_a");
        const Expression<float> q = by_head(y, "query"), k = by_head(y, "key"), v = by_head(y, "value");
        const float unit = 1 / std::sqrt(static_cast<float>(width / heads));
        const MaskedExpression<float> attention =
            softmax(masked(matmul(q, transpose(k, 2, 3)) * unit, batch_.is_visible), 3);
        const Expression<float> mixed = to_dense(matmul(attention, v), 0);
        x += matmul(reshape(permute(mixed, {0, 2, 1, 3}), {batch, length, width}),
                    weights("out", width, width));
        const Expression<float> wide =
            matmul(scaled(x, "scale_b", "shift_b"), weights("wide", width, 4 * width));
        x += matmul(relu(wide), weights("narrow", 4 * width, width));

        const Expression<float> scores =
            log_softmax(matmul(scaled(x, "scale", "shift"), weights("scores", width, letters)), 2);
        const auto is_letter = unsqueeze(batch_.wanted, 2) == arange<std::int64_t>(letters);
        const Expression<float> bits = sum(where(is_letter, scores, 0), {2}) / -std::log(2.0);
        const auto is_right = where(argmax(scores, 2) == batch_.wanted, 1.F, 0.F);
        const auto mean_of_wanted = [&](const auto& e) {
            return to_dense(mean(masked(e, batch_.is_wanted)), 0);
        };
        results = {mean_of_wanted(bits), mean_of_wanted(is_right)};
        for (const auto& each : parameters)
            gradients.emplace_back(to_dense(gradient(results[0], Tensor<float>(each.tensor)), 0));
    }

    std::vector<optim::NamedParameter> parameters;
    std::vector<Expression<float>> results;    // bits a letter, and the share of letters that are right
    std::vector<Expression<float>> gradients;  // 0 for letters of no excerpt
};

/// Trains a model on 50 batches an epoch; returns bits a letter and the share of right letters of 20 others.
std::pair<double, double> trained(programs::Report& run, int epochs, auto fill, auto fill_to_check) {
    std::mt19937 random(static_cast<unsigned>(run.number("seed")));
    Batch now;
    const Model model(now, random);
    optim::Optimizer optimizer(optim::AdamW{.lr = 0.003}, model.parameters);
    const auto evaluate = [&] { return eval(model.results, model.gradients); };
    run.epochs(epochs, [&](int /*epoch*/) {
        double total = 0;
        for (int i = 0; i < 50; ++i) {
            fill(now, random);
            const auto [results, gradients] = evaluate();
            optimizer.step(std::vector<Argument>(gradients.begin(), gradients.end()), {.clip_norm = 1});
            total += results[0].item() / 50;
        }
        return total;
    });
    std::pair<double, double> found;
    for (int i = 0; i < 20; ++i) {
        fill_to_check(now, random);
        const auto [results, gradients] = evaluate();
        found.first += results[0].item() / 20, found.second += results[1].item() / 20;
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    programs::Report run("Transformer", argc, argv, {{"data", "data/shakespeare.txt"}, {"epochs", "4"}});
    std::vector<std::int64_t> text;
    run.phase("data", [&] {
        std::ifstream file(run.text("data"));
        const std::string raw{std::istreambuf_iterator<char>(file), {}};
        if (raw.empty()) throw std::runtime_error("cannot read " + run.text("data"));
        const std::set<char> alphabet(raw.begin(), raw.end());
        for (const char letter : raw) text.push_back(std::distance(alphabet.begin(), alphabet.find(letter)));
    });
    const auto copies = [](Batch& to, std::mt19937& random) { to.fill_with_copies(random); };
    std::printf("accuracy of copies: %.4f\n", trained(run, 4, copies, copies).second);
    const auto excerpts = [&](std::size_t first, std::size_t last) {
        return [part = std::span(text).subspan(first, last - first)](Batch& to, std::mt19937& random) {
            to.fill_with_excerpts(part, random);
        };
    };
    const std::size_t end = text.size() * 9 / 10;
    const int epochs = run.is_small() ? 2 : static_cast<int>(run.number("epochs"));
    return run.close("bits a letter",
                     trained(run, epochs, excerpts(0, end), excerpts(end, text.size())).first);
}
