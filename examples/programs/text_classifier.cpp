// SPDX-License-Identifier: MIT
// A spam filter: hashed n-grams of letters in csr, logistic regression, and FTRL, whose L1 keeps most weights
// at 0.  `text_classifier --save FILE` writes the weights, with which classify_spam.c classifies.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <numeric>
#include <random>
#include <set>

#include "report.hpp"
#include "spam.hpp"
#include "spam_features.h"
using namespace frisket;

namespace {

struct Message {
    bool is_spam;
    bool is_test;  // by a hash of the text: a text that occurs twice is on one side
    std::vector<std::int64_t> features;
};

std::vector<Message> read(const std::string& path, bool is_small) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<Message> made;
    std::string line;
    std::getline(file, line);  // the names of the columns
    for (int number = 0; std::getline(file, line); ++number) {
        const std::size_t tab = line.find('\t');
        if (tab == line.npos || (is_small && number % 100 != 0)) continue;
        const std::string text = line.substr(tab + 1);
        const std::uint32_t hash =
            spam_crc32(reinterpret_cast<const unsigned char*>(text.data()), text.size());
        std::vector<std::int64_t> features(3 * text.size() + 7);
        features.resize(spam_features(text.data(), text.size(), features.data()));
        made.push_back({line.starts_with("spam"), hash % 5 == 0, std::move(features)});
    }
    return made;
}

/// Messages as the rows of a matrix in csr; a row has length 1.
MaskedTensor<float> matrix(std::span<const Message* const> messages) {
    std::vector<std::int64_t> pointers{0}, columns;
    std::vector<float> values;
    for (const Message* each : messages) {
        columns.insert(columns.end(), each->features.begin(), each->features.end());
        values.resize(columns.size(), 1 / std::sqrt(static_cast<float>(each->features.size())));
        pointers.push_back(std::ssize(columns));
    }
    return MaskedTensor<float>::csr({std::ssize(messages), spam_buckets + 1}, pointers, columns, values);
}

/// The probability that a spam has a higher score than a ham.
double area_under_curve(const Tensor<float>& scores, std::span<const Message* const> messages) {
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return scores.data()[i]; });
    double hams = 0, pairs = 0, spams = 0;
    for (const std::size_t i : order) {
        if (messages[i]->is_spam)
            pairs += hams, ++spams;
        else
            ++hams;
    }
    return pairs / (hams * spams);
}

struct Batch {
    MaskedTensor<float> messages;
    Tensor<float> is_spam;
};

}  // namespace

int main(int argc, char** argv) {
    programs::Report run(
        "Spam filter", argc, argv,
        {{"data", "data/SMSSpamCollection"}, {"save", ""}, {"epochs", "10"}, {"lr", "10"}, {"l1", "0.02"}});
    std::vector<Message> messages;
    std::vector<const Message*> training, test;
    std::vector<Batch> batches;
    run.phase("data", [&] {
        messages = read(run.text("data"), run.is_small());
        for (const Message& each : messages) (each.is_test ? test : training).push_back(&each);
        std::ranges::shuffle(training, std::mt19937(static_cast<unsigned>(run.number("seed"))));
        const std::size_t size = run.is_small() ? 8 : 64;
        for (std::size_t first = 0; first + size <= training.size(); first += size) {
            const auto part = std::span(training).subspan(first, size);
            Tensor<float> is_spam({std::ssize(part), 1});
            std::ranges::transform(part, is_spam.data(),
                                   [](const Message* each) { return each->is_spam ? 1.F : 0.F; });
            batches.push_back({matrix(part), is_spam});
        }
    });

    const Tensor<float> weights = zeros<float>({spam_buckets + 1, 1});
    optim::Optimizer optimizer(optim::FTRL{.lr = run.number("lr"), .l1 = run.number("l1")}, {{"w", weights}});
    run.epochs(static_cast<int>(run.number("epochs")), [&](int /*epoch*/) {
        double total = 0;
        for (const auto& [part, is_spam] : batches)
            total += optimizer.minimize(logistic_loss, x = part, y = is_spam).loss;
        return total / static_cast<double>(batches.size());
    });

    const Tensor<float> found = eval(to_dense(matmul(matrix(test), weights), 0));
    std::set<std::int64_t> used;
    for (const Message* each : training) used.insert(each->features.begin(), each->features.end());
    const auto kept =
        std::count_if(weights.data(), weights.data() + weights.size(), [](float each) { return each != 0; });
    std::printf("messages: %zu, of which %zu are for the test; buckets in use: %zu\n", messages.size(),
                test.size(), used.size());
    std::printf("zero weights of buckets in use: %.4f\n",
                1 - static_cast<double>(kept) / static_cast<double>(used.size()));
    if (!run.text("save").empty()) save_npy(run.text("save"), weights);
    return run.close("AUC", area_under_curve(found, test));
}
