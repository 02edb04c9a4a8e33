// SPDX-License-Identifier: MIT
// Subjects of papers in a graph of citations: attention over neighbours by a masked softmax, features in csr.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <numeric>
#include <random>
#include <set>

#include "report.hpp"
using namespace frisket;

namespace {

constexpr std::int64_t classes = 5, words = 500, width = 16;

constexpr Masked<"graph"> graph;
constexpr Masked<"x"> x;
constexpr In<"w1"> w1;
constexpr In<"to1"> to1;
constexpr In<"by1"> by1;
constexpr In<"h"> h;  // the result of the first layer
constexpr In<"w2"> w2;
constexpr In<"to2"> to2;
constexpr In<"by2"> by2;
constexpr In<"above"> above;  // the gradient of the loss by h
constexpr In<"papers", std::int64_t> papers;
constexpr In<"subjects", std::int64_t> subjects;

/// A mean of the neighbours' rows of `rows`, weighted by a softmax over them.
constexpr auto attend(const auto& rows, const auto& to, const auto& by) {
    const auto scores = on(graph, matmul(rows, to) + transpose(matmul(rows, by), 0, 1));
    return to_dense(matmul(softmax(max(scores, 0.2 * scores), 1), rows), 0);
}

// Layer by layer: one gradient through both would have masks that are compared for each pair of papers.
constexpr auto first_layer = relu(attend(to_dense(matmul(x, w1), 0), to1, by1));
constexpr auto scores = attend(matmul(h, w2), to2, by2);
constexpr auto loss = -mean(index(log_softmax(scores, 1), papers, subjects));
constexpr auto first = function<"first">(first_layer);
constexpr auto second = function<"second">(loss, scores, to_dense(gradient(loss, h), 0), gradient(loss, w2),
                                           gradient(loss, to2), gradient(loss, by2));
constexpr auto back = function<"back">(gradient(first_layer, w1, above), gradient(first_layer, to1, above),
                                       gradient(first_layer, by1, above));

using CoordinateSet = std::set<std::pair<std::int64_t, std::int64_t>>;

/// Ones at some positions.
MaskedTensor<float> ones_at(const CoordinateSet& places, std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> pointers(static_cast<std::size_t>(rows) + 1), of_entries;
    for (const auto& [row, column] : places) {
        ++pointers[static_cast<std::size_t>(row) + 1];
        of_entries.push_back(column);
    }
    std::partial_sum(pointers.begin(), pointers.end(), pointers.begin());
    return MaskedTensor<float>::csr({rows, columns}, pointers, of_entries,
                                    std::vector<float>(places.size(), 1));
}

struct Citations {
    std::vector<std::int64_t> subject;
    CoordinateSet links, used;  // links go both ways, and from each paper to itself
};

/// Papers that mostly cite papers of their subject, and use words, of which some tell the subject.
Citations generated(std::int64_t count, std::mt19937& random) {
    const auto below = [&](std::int64_t n) {
        return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
    };
    std::bernoulli_distribution is_own(0.8), is_topic(0.2);
    Citations made;
    std::vector<std::vector<std::int64_t>> members(classes);
    for (std::int64_t paper = 0; paper < count; ++paper) {
        made.subject.push_back(below(classes));
        members[static_cast<std::size_t>(made.subject.back())].push_back(paper);
    }
    for (std::int64_t paper = 0; paper < count; ++paper) {
        const std::int64_t subject = made.subject[static_cast<std::size_t>(paper)];
        const auto& others = members[static_cast<std::size_t>(subject)];
        made.links.emplace(paper, paper);
        for (int i = 0; i < 4; ++i) {
            const std::int64_t cited =
                is_own(random) ? others[static_cast<std::size_t>(below(std::ssize(others)))] : below(count);
            made.links.emplace(paper, cited), made.links.emplace(cited, paper);
        }
        for (int i = 0; i < 20; ++i)
            made.used.emplace(paper, is_topic(random) ? subject * (words / classes) + below(words / classes)
                                                      : below(words));
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
    programs::Report run("Message passing", argc, argv, {{"epochs", "60"}, {"lr", "0.01"}});
    std::mt19937 random(static_cast<unsigned>(run.number("seed")));
    const std::int64_t count = run.is_small() ? 300 : 3000;
    Citations data;
    MaskedTensor<float> links, features;
    std::vector<std::int64_t> known, known_subjects;
    run.phase("data", [&] {
        data = generated(count, random);
        links = ones_at(data.links, count, count), features = ones_at(data.used, count, words);
        std::vector<std::int64_t> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sample(order, std::back_inserter(known), count / 10, random);
        for (const std::int64_t paper : known)
            known_subjects.push_back(data.subject[static_cast<std::size_t>(paper)]);
    });
    const Tensor<std::int64_t> train({count / 10}, known), wanted({count / 10}, known_subjects);

    const Tensor<float> a = normal({words, width}, random), b = normal({width, 1}, random),
                        c = normal({width, 1}, random);
    const Tensor<float> d = normal({width, classes}, random), e = normal({classes, 1}, random),
                        f = normal({classes, 1}, random);
    optim::Optimizer optimizer(optim::AdamW{.lr = run.number("lr"), .weight_decay = 0.1},
                               {{"w1", a}, {"to1", b}, {"by1", c}, {"w2", d}, {"to2", e}, {"by2", f}});
    const auto forward = jit(first);
    const auto output = jit(second);
    const auto backward = jit(back);
    const auto evaluate = [&] {
        const Tensor<float> hidden = forward(graph = links, x = features, w1 = a, to1 = b, by1 = c);
        return output(graph = links, h = hidden, w2 = d, to2 = e, by2 = f, papers = train, subjects = wanted);
    };
    run.epochs(static_cast<int>(run.number("epochs")), [&](int /*epoch*/) {
        const auto [value, all_scores, of_h, of_w2, of_to2, of_by2] = evaluate();
        const auto [of_w1, of_to1, of_by1] =
            backward(graph = links, x = features, w1 = a, to1 = b, by1 = c, above = of_h);
        optimizer.step({of_w1, of_to1, of_by1, of_w2, of_to2, of_by2});
        return static_cast<double>(value.item());
    });

    const Tensor<std::int64_t> found = eval(argmax(std::get<1>(evaluate()), 1));
    const std::set<std::int64_t> is_known(known.begin(), known.end());
    double right = 0;
    for (std::int64_t paper = 0; paper < count; ++paper)
        if (!is_known.contains(paper) && found.data()[paper] == data.subject[static_cast<std::size_t>(paper)])
            ++right;
    std::printf("papers: %d, links: %zu, known subjects: %zu\n", static_cast<int>(count),
                data.links.size() - static_cast<std::size_t>(count), known.size());
    return run.close("accuracy", right / static_cast<double>(count - std::ssize(known)));
}
