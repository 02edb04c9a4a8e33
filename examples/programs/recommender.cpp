// SPDX-License-Identifier: MIT
// A recommender: factors of a matrix of ratings by a masked loss, and row-wise Adagrad on the rows that a
// batch reads.  `recommender --ratings FILE` reads MovieLens: u.data, ratings.dat or ratings.csv.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <cctype>
#include <random>

#include "report.hpp"
using namespace frisket;

namespace {

constexpr In<"u"> users;
constexpr In<"v"> items;
constexpr In<"ids", std::int64_t> ids;
constexpr Masked<"ratings"> known;
// Products of factors are computed where a rating is known, nowhere else.
constexpr auto loss = sum(square(known - matmul(users[ids], transpose(items, 0, 1))));

struct Rating {
    std::int64_t user, item;
    float value;
};

struct Data {
    std::int64_t users = 0, items = 0, rank = 4;
    double noise = 0.5;
    std::vector<Rating> ratings;
};

Tensor<float> normal(const Shape& shape, double deviation, std::mt19937& random) {
    std::normal_distribution<float> distribution(0, static_cast<float>(deviation));
    Tensor<float> made(shape);
    std::generate_n(made.data(), made.size(), [&] { return distribution(random); });
    return made;
}

float product(const Tensor<float>& u, const Tensor<float>& v, const Rating& at) {
    const std::int64_t rank = u.shape()[1];
    float sum = 0;
    for (std::int64_t k = 0; k < rank; ++k)
        sum += u.data()[at.user * rank + k] * v.data()[at.item * rank + k];
    return sum;
}

/// Ratings of a product of factors, with noise.
Data generated(bool is_small, std::mt19937& random) {
    Data made{.users = is_small ? 100 : 3000, .items = is_small ? 75 : 1500, .ratings = {}};
    const Tensor<float> u = normal({made.users, made.rank}, 1, random),
                        v = normal({made.items, made.rank}, 0.5, random);
    std::normal_distribution<float> noise(0, static_cast<float>(made.noise));
    std::bernoulli_distribution is_known(is_small ? 0.6 : 0.1);
    for (Rating at{0, 0, 0}; at.user < made.users; ++at.user)
        for (at.item = 0; at.item < made.items; ++at.item)
            if (is_known(random))
                made.ratings.push_back({at.user, at.item, product(u, v, at) + noise(random)});
    return made;
}

/// Ratings of a file, by user; users and items are numbered by first occurrence.
Data read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    Data made{.rank = 8, .noise = 1, .ratings = {}};
    std::map<std::string, std::int64_t> user_numbers, item_numbers;
    for (std::string line; std::getline(file, line);) {
        for (char& letter : line)
            if (letter == ':' || letter == ',') letter = ' ';
        std::istringstream words(line);
        std::string user, item;
        float value = 0;
        if (!(words >> user >> item >> value)) continue;  // a header
        const auto number = [](auto& numbers, const std::string& name) {
            return numbers.try_emplace(name, static_cast<std::int64_t>(numbers.size())).first->second;
        };
        made.ratings.push_back({number(user_numbers, user), number(item_numbers, item), value});
    }
    made.users = std::ssize(user_numbers), made.items = std::ssize(item_numbers);
    std::ranges::sort(made.ratings, {}, [](const Rating& r) { return std::pair(r.user, r.item); });
    return made;
}

/// Some users, and their ratings as the rows of a matrix.
struct Batch {
    Batch(std::int64_t first, std::int64_t last, std::int64_t items,
          std::vector<Rating>::const_iterator& next, std::vector<Rating>::const_iterator end)
        : users({last - first}) {
        std::vector<std::int64_t> pointers{0}, columns;
        std::vector<float> values;
        for (std::int64_t user = first; user < last; ++user) {
            users.data()[user - first] = user;
            for (; next != end && next->user == user; ++next)
                columns.push_back(next->item), values.push_back(next->value);
            pointers.push_back(std::ssize(columns));
        }
        ratings = MaskedTensor<float>::csr({last - first, items}, pointers, columns, values);
    }
    Tensor<std::int64_t> users;
    MaskedTensor<float> ratings;
};

}  // namespace

int main(int argc, char** argv) {
    programs::Report run("Recommender", argc, argv, {{"ratings", ""}, {"epochs", "15"}, {"lr", "0.3"}});
    std::mt19937 random(static_cast<unsigned>(run.number("seed")));
    Data data;
    std::vector<Rating> held_out, rest;
    std::vector<Batch> train;
    run.phase("data", [&] {
        const std::string& path = run.text("ratings");
        data = path.empty() ? generated(run.is_small(), random) : read(path);
        double total = 0;
        for (const Rating& each : data.ratings) total += each.value;
        std::bernoulli_distribution is_held_out(0.1);
        for (Rating& each : data.ratings) {
            each.value -= static_cast<float>(total / static_cast<double>(data.ratings.size()));
            (is_held_out(random) ? held_out : rest).push_back(each);
        }
        auto next = rest.cbegin();
        const std::int64_t size = run.is_small() ? 10 : 100;
        for (std::int64_t first = 0; first < data.users; first += size)
            train.emplace_back(first, std::min(first + size, data.users), data.items, next, rest.cend());
    });

    const Tensor<float> u = normal({data.users, data.rank}, 0.3, random),
                        v = normal({data.items, data.rank}, 0.3, random);
    optim::Optimizer optimizer(optim::RowwiseAdagrad{.lr = run.number("lr")}, {{"u", u}, {"v", v}});
    run.epochs(static_cast<int>(run.number("epochs")), [&](int /*epoch*/) {
        double total = 0;
        for (const Batch& batch : train)
            total += optimizer.minimize(loss, ids = batch.users, known = batch.ratings).loss;
        return total / static_cast<double>(rest.size());
    });

    double squares = 0;
    for (const Rating& each : held_out) squares += std::pow(each.value - product(u, v, each), 2);
    std::printf("ratings: %zu of %d users for %d items\n", data.ratings.size(), static_cast<int>(data.users),
                static_cast<int>(data.items));
    return run.close(run.text("ratings").empty() ? "RMSE held out / noise" : "RMSE held out",
                     std::sqrt(squares / static_cast<double>(held_out.size())) / data.noise);
}
