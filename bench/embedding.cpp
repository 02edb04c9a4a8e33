// SPDX-License-Identifier: MIT
// Steps over an embedding table of a million rows, by gradients of rows with duplicates, whose coalescing is
// part of the time: frisket against loops written by hand.  All of a case run in turn in this process; times
// are minima.
#include <frisket/frisket.hpp>

#include <random>
#include <set>

#include "hand_rows.hpp"
#include "report.hpp"
#include "zipf.hpp"

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state"> state;
constexpr InOut<"second"> second;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;
constexpr auto adagrad = step<"adagrad">(state += grad * grad, param -= lr * grad / (sqrt(state) + eps));
constexpr auto rowwise = step<"rowwise_adagrad">(state += mean(grad * grad, {1}, keepdim),
                                                 param -= lr * grad / (sqrt(state) + eps));
constexpr auto sparse_adam =
    step<"sparse_adam">(state += 0.1 * (grad - state), second += 0.001 * (grad * grad - second),
                        param -= on(grad, lr* state / (sqrt(second) + eps)));

constexpr std::int64_t rows = 1'000'000;
constexpr float rate = 1e-3F, tiny = 1e-8F;

/// The tables, and the contenders over them.
class Races {
public:
    Races(const bench::Ratios& ratios, std::int64_t length) : ratios_(ratios), length_(length) {
        std::mt19937 generator(1);
        for (std::int64_t i = 0; i < gradient_.size(); ++i)
            gradient_.data()[i] = static_cast<float>(generator()) / 4294967296.0F - 0.5F;
    }

    void run(std::int64_t count) {
        std::mt19937_64 generator(11);
        std::uniform_real_distribution<double> pick(0, 1);
        const std::vector<std::int64_t> indices = bench::zipf(count, rows, [&] { return pick(generator); });
        const auto distinct = static_cast<double>(std::set(indices.begin(), indices.end()).size());
        const double row = 4.0 * static_cast<double>(length_), given = static_cast<double>(count);
        const Tensor<float> values = Tensor<float>::view(gradient_.data(), {count, length_});
        const bench::RowGradient hand{indices, values.data()};
        const auto masked = [&] { return MaskedTensor<float>::rows({rows, length_}, indices, values); };
        const double read = given * (row + 8);
        report(
            "adagrad", count, read + distinct * row * 4,
            {{"frisket", [&] { adagrad_(param = p_, state = s_, grad = masked(), lr = rate, eps = tiny); }},
             {"hand", [&] { bench::rows_adagrad(table_, hand); }}});
        report(
            "rowwise_adagrad", count, read + distinct * (row * 2 + 128),
            {{"frisket", [&] { rowwise_(param = p_, state = r_, grad = masked(), lr = rate, eps = tiny); }},
             {"hand", [&] { bench::rows_rowwise_adagrad(by_row_, hand); }}});
        report("sparse_adam", count, read + distinct * row * 6,
               {{"frisket",
                 [&] { adam_(param = p_, state = s_, second = v_, grad = masked(), lr = rate, eps = tiny); }},
                {"hand", [&] { bench::rows_sparse_adam(table_, hand); }}});
    }

private:
    void report(const char* step, std::int64_t count, double bytes,
                std::vector<bench::Contender> contenders) const {
        ratios_.race({.workload = "embedding " + std::string(step),
                      .what = "1M x " + std::to_string(length_) + ", " + std::to_string(count) + " rows",
                      .goal = 1.15,
                      .bytes = bytes},
                     std::move(contenders));
    }

    const bench::Ratios& ratios_;
    std::int64_t length_;
    Tensor<float> p_ = full<float>({rows, length_}, 1.0F), s_ = full<float>({rows, length_}, 0.5F),
                  v_ = full<float>({rows, length_}, 0.5F), r_ = full<float>({rows, 1}, 0.5F),
                  gradient_{Shape{65536, length_}};
    bench::Table table_{p_.data(), s_.data(), v_.data(), rows, length_, rate, tiny};
    bench::Table by_row_{p_.data(), r_.data(), nullptr, rows, length_, rate, tiny};
    decltype(jit(adagrad)) adagrad_ = jit(adagrad);
    decltype(jit(rowwise)) rowwise_ = jit(rowwise);
    decltype(jit(sparse_adam)) adam_ = jit(sparse_adam);
};

}  // namespace

int main(int argc, char** argv) {
    const bench::Ratios ratios(bench::options_of(argc, argv));
    for (const std::int64_t length : {64, 128}) {
        Races races(ratios, length);
        for (const std::int64_t count : {4096, 16384, 65536}) races.run(count);
    }
}
