// SPDX-License-Identifier: MIT
#include "list_data.hpp"
#include "workloads.hpp"

#include <array>
#include <tuple>

using namespace frisket;

namespace bench {

namespace {

constexpr std::int64_t features = 32, few_rows = 512;

template <class T>
MaskedTensor<T> csr(std::int64_t count = list_count) {
    const Positions at(false, count);
    const auto coo =
        MaskedTensor<T>::coo({extent, extent}, {at.rows, at.columns}, numbers<T>(7, {std::ssize(at.rows)}));
    return MaskedTensor<T>(coo.to(Layout::csr));
}

/// Times expressions that are evaluated together, and adds up all of them.
template <class... E>
Timed timed_together(const Settings& settings, const E&... expressions) {
    const auto made = [all = std::tuple(expressions...), how = settings.eval] {
        return std::apply([&](const auto&... each) { return eval(each..., how); }, all);
    };
    return {
        [made] { static_cast<void>(made()); },
        [made] { return std::apply([](const auto&... each) { return (total_of(each) + ...); }, made()); }};
}

/// A layer of graph attention (P. Velickovic et al., ICLR 2018) over a csr matrix of edges.
template <class T>
struct Attention {
    MaskedTensor<T> edges = csr<T>();
    Tensor<T> h = numbers<T>(1, {extent, features}), w = numbers<T>(2, {features, features}),
              to = numbers<T>(3, {features, 1}), from = numbers<T>(4, {features, 1}),
              wanted = numbers<T>(8, {extent, features});

    auto layer() const {
        const auto wh = matmul(h, w);
        const auto score = on(edges, matmul(wh, to) + transpose(matmul(wh, from), 0, 1));
        return matmul(softmax(where(score > T(0), score, score * T(0.2)), 1), wh);
    }
    auto loss() const { return mean(square(to_dense(layer(), T(0)) - wanted)); }
};

/// A training step of that layer by the loss of its gradients: of all weights, which learn at a rate of 0, so
/// that all runs are of the same numbers.
template <class T>
Timed attention_step() {
    constexpr Masked<"edges", T> edges;
    constexpr In<"h", T> h;
    constexpr In<"wanted", T> wanted;
    constexpr InOut<"w", T> w;
    constexpr InOut<"to", T> to;
    constexpr InOut<"from", T> from;
    constexpr InOut<"of_w", T> of_w;
    constexpr InOut<"of_to", T> of_to;
    constexpr InOut<"of_from", T> of_from;
    constexpr Scalar<"rate"> rate;
    constexpr auto wh = matmul(h, w);
    constexpr auto score = on(edges, matmul(wh, to) + transpose(matmul(wh, from), 0, 1));
    constexpr auto layer = matmul(softmax(where(score > T(0), score, score * T(0.2)), 1), wh);
    constexpr auto loss = mean(square(to_dense(layer, T(0)) - wanted));
    constexpr auto train =
        step<"train">(of_w = to_dense(gradient(loss, w), T(0)), of_to = to_dense(gradient(loss, to), T(0)),
                      of_from = to_dense(gradient(loss, from), T(0)), w -= rate * of_w, to -= rate * of_to,
                      from -= rate * of_from);
    const Attention<T> data;
    const auto slopes = [](const Tensor<T>& of) { return full<T>(of.shape(), T(0)); };
    const auto step = [=, kernel = jit(train), a = slopes(data.w), b = slopes(data.to),
                       c = slopes(data.from)] {
        kernel(edges = data.edges, h = data.h, wanted = data.wanted, w = data.w, to = data.to,
               from = data.from, of_w = a, of_to = b, of_from = c, rate = 0.0);
        return std::array{a, b, c};
    };
    return {[step] { static_cast<void>(step()); },
            [step] {
                double total = 0;
                for (const Tensor<T>& slope : step()) total += total_of(slope);
                return total;
            }};
}

/// Attention of four heads of a quarter of the features, one beside the other.
template <class T>
struct Heads {
    static constexpr std::int64_t count = 4, width = features / count;
    MaskedTensor<T> edges = csr<T>();
    Tensor<T> h = numbers<T>(1, {extent, features}), w = numbers<T>(2, {count, features, width}),
              to = numbers<T>(3, {count, width, 1}), from = numbers<T>(4, {count, width, 1}),
              wanted = numbers<T>(8, {extent, features});

    auto head(std::int64_t number) const {
        const auto wh = matmul(h, select(w, 0, number));
        const auto score = on(edges, matmul(wh, select(to, 0, number)) +
                                         transpose(matmul(wh, select(from, 0, number)), 0, 1));
        return to_dense(matmul(softmax(where(score > T(0), score, score * T(0.2)), 1), wh), T(0));
    }
    auto layer() const { return cat({head(0), head(1), head(2), head(3)}, 1); }
    auto loss() const { return mean(square(layer() - wanted)); }
};

/// Two layers of graph convolution, and its loss.
template <class T>
struct Convolution {
    MaskedTensor<T> edges = csr<T>();
    Tensor<T> h = numbers<T>(1, {extent, features}), w = numbers<T>(2, {features, features}),
              v = numbers<T>(3, {features, features}), wanted = numbers<T>(8, {extent, features});

    auto loss() const {
        const auto hidden = max(to_dense(matmul(edges, matmul(h, w)), T(0)), T(0));
        return mean(square(to_dense(matmul(edges, matmul(hidden, v)), T(0)) - wanted));
    }
};

/// Numbers of rows, as in graphs.py.
Tensor<std::int64_t> row_ids() {
    Tensor<std::int64_t> ids({few_rows});
    for (std::int64_t i = 0; i < few_rows; ++i)
        ids.data()[i] = static_cast<std::int64_t>((bits_of(9, static_cast<std::uint64_t>(i)) >> 8U) % extent);
    return ids;
}

}  // namespace

template <class T>
void add_graph_workloads(std::vector<Workload>& to) {
    to.push_back({"graph attention", [](const Settings& settings) {
                      return timed([graph = Attention<T>(), how = settings.eval] {
                          return eval(to_dense(graph.layer(), T(0)), how);
                      });
                  }});
    to.push_back({"graph attention gradients", [](const Settings& settings) {
                      const Attention<T> graph;
                      const auto loss = graph.loss();
                      return timed_together(settings, loss, gradient(loss, graph.h), gradient(loss, graph.w),
                                            gradient(loss, graph.to), gradient(loss, graph.from));
                  }});
    to.push_back({"graph attention step", [](const Settings&) { return attention_step<T>(); }});
    to.push_back({"graph attention, 4 heads", [](const Settings& settings) {
                      return timed(
                          [graph = Heads<T>(), how = settings.eval] { return eval(graph.layer(), how); });
                  }});
    to.push_back({"graph attention gradients, 4 heads", [](const Settings& settings) {
                      const Heads<T> graph;
                      const auto loss = graph.loss();
                      return timed_together(settings, loss, gradient(loss, graph.h), gradient(loss, graph.w),
                                            gradient(loss, graph.to), gradient(loss, graph.from));
                  }});
    to.push_back({"graph convolution gradients", [](const Settings& settings) {
                      const Convolution<T> graph;
                      const auto loss = graph.loss();
                      return timed_together(settings, loss, gradient(loss, graph.w), gradient(loss, graph.v));
                  }});
    to.push_back({"csr rows by ids", [](const Settings& settings) {
                      return timed(
                          [m = csr<T>(), ids = row_ids(), how = settings.eval] { return eval(m[ids], how); });
                  }});
    to.push_back({"csr rows by ids x dense", [](const Settings& settings) {
                      return timed([m = csr<T>(), ids = row_ids(), h = numbers<T>(1, {extent, features}),
                                    how = settings.eval] { return eval(matmul(m[ids], h), how); });
                  }});
    to.push_back({"triangles", [](const Settings& settings) {
                      return timed([m = csr<T>(700000), how = settings.eval] {
                          return eval(to_dense(sum(intersect(m * matmul(m, m))), T(0)), how);
                      });
                  }});
    to.push_back({"csr + a column as a row", [](const Settings& settings) {
                      return timed([m = csr<T>(), r = numbers<T>(1, {extent, 1}), how = settings.eval] {
                          return eval(m + transpose(r, 0, 1), how);
                      });
                  }});
    to.push_back({"csr * its transpose", [](const Settings& settings) {
                      return timed([m = csr<T>(), how = settings.eval] {
                          return eval(intersect(m * transpose(m, 0, 1)), how);
                      });
                  }});
    to.push_back({"gradient of csr x dense by csr", [](const Settings& settings) {
                      return timed([m = csr<T>(), h = numbers<T>(1, {extent, features}),
                                    y = numbers<T>(2, {extent, features}),
                                    how = settings.eval] { return eval(gradient(matmul(m, h), m, y), how); });
                  }});
}

template void add_graph_workloads<float>(std::vector<Workload>&);
template void add_graph_workloads<double>(std::vector<Workload>&);

}  // namespace bench
