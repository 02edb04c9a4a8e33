// SPDX-License-Identifier: MIT
// Vectors of Shakespeare's words: skip-gram with negative sampling, SparseAdam on the rows that a batch has.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <array>
#include <cctype>
#include <numeric>
#include <random>
#include <string_view>

#include "report.hpp"
using namespace frisket;

namespace {

constexpr std::int64_t window = 5, negatives = 5, width = 32;
constexpr std::array<std::pair<std::string_view, std::string_view>, 30> related{{
    {"king", "queen"}, {"father", "mother"}, {"brother", "sister"}, {"son", "daughter"},   {"lord", "lady"},
    {"man", "woman"},  {"men", "women"},     {"husband", "wife"},   {"uncle", "cousin"},   {"prince", "duke"},
    {"king", "crown"}, {"he", "she"},        {"his", "her"},        {"him", "them"},       {"my", "your"},
    {"thou", "thee"},  {"thy", "thine"},     {"hath", "doth"},      {"shall", "will"},     {"come", "go"},
    {"give", "take"},  {"tell", "speak"},    {"eyes", "tears"},     {"head", "face"},      {"life", "death"},
    {"love", "hate"},  {"god", "heaven"},    {"heaven", "hell"},    {"england", "france"}, {"two", "three"},
}};

constexpr In<"words"> words;
constexpr In<"contexts"> contexts;
constexpr In<"centre", std::int64_t> centre;
constexpr In<"others", std::int64_t> others;  // a neighbour of the centre, then words by chance
constexpr In<"signs"> signs;
constexpr auto score = sum(unsqueeze(words[centre], 1) * contexts[others], {2});
constexpr auto loss = mean(sum(logaddexp(signs * score, 0), {1}));

/// Frequent words, the text as their numbers, and how often each occurs.
struct Corpus {
    std::map<std::string, std::int64_t, std::less<>> numbers;
    std::vector<std::int64_t> text;
    std::vector<double> counts;
};

Corpus read(const std::string& path, bool is_small, std::mt19937& random) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<std::string> all(1);
    for (char letter = 0; file.get(letter);) {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '\'')
            all.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        else if (!all.back().empty())
            all.emplace_back();
    }
    std::map<std::string, int> occurrences;
    for (const std::string& each : all) ++occurrences[each];
    Corpus made;
    for (const auto& [word, count] : occurrences)
        if (count >= 19 && !word.empty()) {
            made.numbers.emplace(word, std::ssize(made.numbers));
            made.counts.push_back(count);
        }
    const double total = std::accumulate(made.counts.begin(), made.counts.end(), 0.0);
    std::uniform_real_distribution<double> chance(0, 1);
    for (const std::string& each : all) {
        const auto known = made.numbers.find(each);
        if (known == made.numbers.end()) continue;
        // Frequent words are thinned out.
        const double share = made.counts[static_cast<std::size_t>(known->second)] / total;
        if (chance(random) < std::sqrt(1e-3 / share)) made.text.push_back(known->second);
    }
    if (is_small) made.text.resize(made.text.size() / 100);
    return made;
}

/// Pairs of words that are at most `window` apart, in a random order.
std::vector<std::pair<std::int64_t, std::int64_t>> neighbours(const std::vector<std::int64_t>& text,
                                                              std::mt19937& random) {
    std::vector<std::pair<std::int64_t, std::int64_t>> made;
    for (std::size_t distance = 1; distance <= window; ++distance)
        for (std::size_t i = distance; i < text.size(); ++i) {
            made.emplace_back(text[i], text[i - distance]);
            made.emplace_back(text[i - distance], text[i]);
        }
    std::ranges::shuffle(made, random);
    return made;
}

/// The number of related pairs whose cosine is above the median of all pairs.
int near_pairs(const Tensor<float>& vectors, const Corpus& corpus) {
    const Tensor<float> unit = eval(vectors / norm(vectors, {1}, keepdim));
    const Tensor<float> cosines = eval(matmul(unit, transpose(unit, 0, 1)));
    const std::int64_t count = vectors.shape()[0];
    std::vector<float> all;
    for (std::int64_t i = 0; i < count; ++i)
        all.insert(all.end(), cosines.data() + i * count + i + 1, cosines.data() + (i + 1) * count);
    const auto middle = all.begin() + std::ssize(all) / 2;
    std::ranges::nth_element(all, middle);
    return static_cast<int>(std::ranges::count_if(related, [&](const auto& pair) {
        const std::int64_t a = corpus.numbers.find(pair.first)->second,
                           b = corpus.numbers.find(pair.second)->second;
        return cosines.data()[a * count + b] > *middle;
    }));
}

Tensor<float> normal(const Shape& shape, std::mt19937& random) {
    std::normal_distribution<float> distribution(0, 0.1F);
    Tensor<float> made(shape);
    std::generate_n(made.data(), made.size(), [&] { return distribution(random); });
    return made;
}

}  // namespace

int main(int argc, char** argv) {
    programs::Report run("Word vectors", argc, argv,
                         {{"data", "data/shakespeare.txt"}, {"epochs", "3"}, {"lr", "0.005"}});
    std::mt19937 random(static_cast<unsigned>(run.number("seed")));
    Corpus corpus;
    run.phase("data", [&] { corpus = read(run.text("data"), run.is_small(), random); });
    const std::int64_t size = run.is_small() ? 128 : 2048;
    Tensor<std::int64_t> of_centres({size}), of_others({size, 1 + negatives});
    Tensor<float> wanted = full<float>({1 + negatives}, 1);
    wanted.data()[0] = -1;

    const Tensor<float> vectors = normal({std::ssize(corpus.numbers), width}, random);
    const Tensor<float> beside = normal({std::ssize(corpus.numbers), width}, random);
    const int untrained = near_pairs(vectors, corpus);
    optim::Optimizer optimizer(optim::SparseAdam{.lr = run.number("lr")},
                               {{"words", vectors}, {"contexts", beside}});
    std::vector<double> shares = corpus.counts;
    for (double& each : shares) each = std::pow(each, 0.75);
    std::discrete_distribution<std::int64_t> by_chance(shares.begin(), shares.end());
    run.epochs(static_cast<int>(run.number("epochs")), [&](int /*epoch*/) {
        const auto pairs = neighbours(corpus.text, random);
        double total = 0;
        const std::int64_t batches = std::ssize(pairs) / size;
        for (std::int64_t i = 0; i < batches * size; ++i) {
            const std::int64_t row = i % size;
            std::int64_t* const other = of_others.data() + row * (1 + negatives);
            std::tie(of_centres.data()[row], other[0]) = pairs[static_cast<std::size_t>(i)];
            std::generate_n(other + 1, negatives, [&] { return by_chance(random); });
            if (row == size - 1)
                total +=
                    optimizer.minimize(loss, centre = of_centres, others = of_others, signs = wanted).loss;
        }
        return total / static_cast<double>(batches);
    });

    std::printf("words: %zu, of which the text has %zu\n", corpus.numbers.size(), corpus.text.size());
    std::printf("pairs nearer than the median before training: %d\n", untrained);
    return run.close("pairs nearer than the median", near_pairs(vectors, corpus));
}
