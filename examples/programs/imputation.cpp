// SPDX-License-Identifier: MIT
// Missing values of a table, by a masked autoencoder: it learns to predict the cells that each epoch hides.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <array>
#include <random>

#include "report.hpp"
using namespace frisket;

namespace {

constexpr Masked<"cells"> cells;
constexpr In<"is_shown", bool> is_shown;
constexpr In<"w1"> w1;
constexpr In<"b1"> b1;
constexpr In<"w2"> w2;
constexpr In<"b2"> b2;

/// The cells that the autoencoder predicts; `seen` has 0, the mean of its column, in an unknown cell.
constexpr auto network(const auto& seen) { return matmul(tanh(matmul(seen, w1) + b1), w2) + b2; }
// Squared errors of the known cells; the network sees those that are shown.
constexpr auto loss = mean(square(cells - network(to_dense(masked(cells, is_shown), 0))));

constexpr std::int64_t measured = 4, width = 11, hidden = 32;
constexpr std::array words{"male", "Adelie", "Chinstrap", "Gentoo", "Biscoe", "Dream", "Torgersen"};

/// Cells row by row, and whether each is known.
struct Table {
    std::vector<float> cells;
    std::vector<std::uint8_t> is_known;
    std::int64_t rows() const { return std::ssize(cells) / width; }
};

/// The penguins: four measurements, then sex, species and island, 1 for a word that applies.
Table read(const std::string& path, bool is_small) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    Table made;
    std::string line;
    std::getline(file, line);  // the names of the columns
    for (int number = 0; std::getline(file, line); ++number) {
        if (is_small && number % 10 != 0) continue;
        std::istringstream in(line);
        std::array<std::string, 8> found;  // species, island, measurements, sex, year
        for (std::string& each : found) std::getline(in, each, ',');
        const auto add = [&](const std::string& from, float value) {
            const bool is_known = from != "NA" && !from.empty();
            made.cells.push_back(is_known ? value : 0);
            made.is_known.push_back(is_known ? 1 : 0);
        };
        for (std::size_t i = 2; i < 2 + measured; ++i) add(found[i], std::strtof(found[i].c_str(), nullptr));
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string& from = found[i == 0 ? 6 : i < 4 ? 0 : 1];
            add(from, from == words[i] ? 1.F : 0.F);
        }
    }
    return made;
}

Tensor<float> normal(const Shape& shape, std::mt19937& random) {
    std::normal_distribution<float> distribution(0, 1 / std::sqrt(static_cast<float>(shape[0])));
    Tensor<float> made(shape);
    std::generate_n(made.data(), made.size(), [&] { return distribution(random); });
    return made;
}

}  // namespace

int main(int argc, char** argv) {
    programs::Report run("Imputation", argc, argv,
                         {{"data", "data/penguins.csv"}, {"epochs", "400"}, {"lr", "0.01"}});
    std::mt19937 random(static_cast<unsigned>(run.number("seed")));
    Table table;
    std::vector<std::int64_t> held_out;  // positions of known measurements that are not trained on
    Tensor<float> truth;
    MaskedTensor<float> train;
    run.phase("data", [&] {
        table = read(run.text("data"), run.is_small());
        Tensor<bool> is_given({table.rows(), width});
        std::bernoulli_distribution is_hidden(0.2);
        for (std::int64_t i = 0; i < is_given.size(); ++i) {
            const bool is_known = table.is_known[static_cast<std::size_t>(i)] != 0;
            const bool is_held_out = is_known && i % width < measured && is_hidden(random);
            if (is_held_out) held_out.push_back(i);
            is_given.data()[i] = is_known && !is_held_out;
        }
        const Tensor<float> all({table.rows(), width}, table.cells);
        const auto given = eval(masked(all, is_given));
        const Tensor<float> middle = eval(to_dense(mean(given, {0}), 0)),
                            spread = eval(to_dense(std_dev(given, {0}), 1));
        truth = eval((all - middle) / spread);
        train = eval(masked(truth, is_given));
    });

    const Tensor<float> weights1 = normal({width, hidden}, random),
                        weights2 = normal({hidden, width}, random);
    const Tensor<float> bias1 = zeros<float>({hidden}), bias2 = zeros<float>({width});
    optim::Optimizer optimizer(optim::Adam{.lr = run.number("lr")},
                               {{"w1", weights1}, {"b1", bias1}, {"w2", weights2}, {"b2", bias2}});
    Tensor<bool> shown({table.rows(), width});
    std::bernoulli_distribution is_in_sight(0.7);
    run.epochs(static_cast<int>(run.number("epochs")), [&](int /*epoch*/) {
        std::generate_n(shown.data(), shown.size(), [&] { return is_in_sight(random); });
        return optimizer.minimize(loss, cells = train, is_shown = shown).loss;
    });

    const Tensor<float> seen = eval(to_dense(train, 0));
    const Tensor<float> found = eval(matmul(tanh(matmul(seen, weights1) + bias1), weights2) + bias2);
    double squares = 0, squares_of_means = 0;
    for (const std::int64_t i : held_out) {
        squares += std::pow(found.data()[i] - truth.data()[i], 2);
        squares_of_means += std::pow(truth.data()[i], 2);
    }
    std::printf("hidden cells: %zu of %d penguins\n", held_out.size(), static_cast<int>(table.rows()));
    return run.close("RMSE / RMSE of column means", std::sqrt(squares / squares_of_means));
}
