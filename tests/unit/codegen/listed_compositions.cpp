// SPDX-License-Identifier: MIT
#include "compositions.hpp"

#include <frisket/frisket.hpp>

#include <array>
#include <limits>

namespace listed_compositions_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("lines that lists are reduced to are read at the places of lists", "[codegen]") {
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto&) { return a - logsumexp(a, {1}, keepdim); });
    check_composition([](const auto& a, const auto&, const auto&, const auto&) {
        return (a - mean(a, {0}, keepdim)) / (sum(square(a), {0}, keepdim) + 1);
    });
}

TEST_CASE("lists have gradients through sums of what fills them, once for each column", "[codegen]") {
    const EvalOptions never{.jit = Jit::never};
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto&) {
            return gradient(softmax(a + sum(-to_dense(a * 2, 0.0F), {0}, keepdim), 0), a);
        },
        never);
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto&) {
            const auto both = to_dense(cat({a, a}, 0), 0.0F);
            return gradient(sum(square(a * sum(-both, {0}, keepdim))), a);
        },
        never);
    check_composition([](const auto& a, const auto&, const auto&,
                         const auto&) { return gradient(a + sum(abs(to_dense(a, 0.0F)), {1}, keepdim), a); },
                      never);
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto&) {
            const auto both = to_dense(unite(a + transpose(a, 0, 1)), 0.0F);
            return gradient(a * sum(-both, {0}, keepdim), a);
        },
        never);
    check_composition([](const auto& a, const auto& h, const auto&,
                         const auto&) { return mean(matmul(unsqueeze(a, 2), unsqueeze(h, 1)), {2}); },
                      never);
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto& ids) {
            const auto picked = to_dense(index_select(a, 1, ids), 0.0F);
            return gradient(sum(square(roll(sum(tanh(picked), {0}), 1, 0))), a);
        },
        never);
    check_composition(
        [](const auto& a, const auto&, const auto& w, const auto&) {
            return norm(gradient(matmul(sum(a, {0, 1}, keepdim), slice(w, 0, 0, 1)), a), {0}, keepdim);
        },
        never);
}

TEST_CASE("moved lists and their masks are factors of products", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return matmul(flip(on(a, matmul(h, transpose(w, 0, 1))), {1}), w);
    });
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return matmul(transpose(flip(a, {0}), 0, 1), h);
    });
}

TEST_CASE("losses over some rows of a product of a list have gradients at its places", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto&, const auto& ids) {
        return gradient(sum(square(index_select(matmul(softmax(a, 1), h), 0, ids))), a);
    });
    check_composition([](const auto& a, const auto& h, const auto&, const auto& ids) {
        return gradient(sum(square(index_select(matmul(a, h), 0, ids))), h);
    });
}

TEST_CASE("second gradients through running sums of sampled products are lists", "[codegen]") {
    const auto first_of = [](const auto& how, const auto& a, const auto& h, const auto& w) {
        const Tensor<float> v = random_tensor<float>({2, a.shape()[0]}, 9);
        const auto loss = sum(how(matmul(v, cumsum(on(a, matmul(h, transpose(w, 0, 1))), 1))));
        return sum(to_dense(gradient(loss, w), 0.0F));
    };
    const auto clipped = [](const auto& x) { return max(x, 0.5F); };
    const auto squared = [](const auto& x) { return square(x); };
    const EvalOptions never{.jit = Jit::never};
    check_composition([&](const auto& a, const auto& h, const auto& w,
                          const auto&) { return gradient(first_of(clipped, a, h, w), h); },
                      never);
    check_composition([&](const auto& a, const auto& h, const auto& w,
                          const auto&) { return gradient(first_of(squared, a, h, w), h); },
                      never);
    check_composition([&](const auto& a, const auto& h, const auto& w,
                          const auto&) { return gradient(first_of(squared, a, h, w), w); },
                      never);
}

TEST_CASE("two layers of graph convolution have gradients without a matrix", "[codegen]") {
    const Tensor<float> v({2, 2}, {0.5F, -0.25F, 1, 0.75F});
    const auto layers = [&](const auto& a, const auto& h) {
        return matmul(a, matmul(max(matmul(a, matmul(h, v)), 0), v));
    };
    const EvalOptions how{.jit = Jit::never};  // loops are compiled for some seconds
    check_composition([&](const auto& a, const auto& h, const auto&,
                          const auto&) { return gradient(sum(square(layers(a, h))), h); },
                      how);
    check_composition([&](const auto& a, const auto& h, const auto&,
                          const auto&) { return gradient(sum(square(layers(a, h))), v); },
                      how);
}

TEST_CASE("gradients of factors of sampled products are factors", "[codegen]") {
    const Tensor<float> s = random_tensor<float>({2, 2}, 3), t = random_tensor<float>({2, 2}, 4);
    check_composition([&](const auto& a, const auto& h, const auto& w, const auto&) {
        const auto sampled = on(transpose(a, 0, 1), matmul(matmul(h, s), transpose(w, 0, 1)));
        const auto y = max(sampled, transpose(narrow(h, 1, 0, 1), 0, 1));
        return matmul(gradient(y, s), t);
    });
}

TEST_CASE("softmax of softmax of a list of matrices has its gradient at its places", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({3, 6, 5}, specified(0.4), Layout::coo, 5);
    const auto make = [](const auto& x) { return gradient(sum(square(softmax(softmax(x, 2), 1))), x); };
    const auto found = eval(make(m), how);
    CHECK(found.layout() == Layout::coo);
    check_close(found, oracle(make(m)));
}

TEST_CASE("products are made at the places of any of several lists", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return on(unite(a + transpose(a, 0, 1)), matmul(h, transpose(w, 0, 1)));
    });
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return intersect(a * on(unite(a + transpose(a, 0, 1)), matmul(h, transpose(w, 0, 1))));
    });
}

TEST_CASE("softmax of sampled scores is a factor of chains of products", "[codegen]") {
    const Tensor<float> s = random_tensor<float>({2, 2}, 3);
    check_composition([&](const auto& a, const auto& h, const auto& w, const auto&) {
        const auto scores = softmax(max(a, matmul(h, transpose(w, 0, 1))), 1);
        return matmul(s, matmul(transpose(h, 0, 1), scores));
    });
}

TEST_CASE("products are read at the places of one list and of another", "[codegen]") {
    const auto loss = [](const auto& a, const auto& h, const auto& w) {
        const auto product = matmul(h, transpose(w, 0, 1));
        return sum(square(a - product)) + sum(exp(product) * roll(a, 1, 0));
    };
    check_composition(
        [&](const auto& a, const auto& h, const auto& w, const auto&) { return loss(a, h, w); });
    check_composition(
        [&](const auto& a, const auto& h, const auto& w, const auto&) { return gradient(loss(a, h, w), h); },
        EvalOptions{.jit = Jit::never});
}

TEST_CASE("running sums of lists have gradients at their places, whatever reads them", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return gradient(matmul(cumsum(a, 1), h), a, w);
    });
    check_composition([](const auto& a, const auto&, const auto&, const auto& ids) {
        return gradient(sum(square(index_select(cumsum(a, 0), 0, ids))), a);
    });
}

TEST_CASE("products of a dense matrix and a list are read as tensors again", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return matmul(a, transpose(matmul(transpose(h, 0, 1), a), 0, 1)) * sum(w);
    });
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return gradient(sum(amin(matmul(transpose(h, 0, 1), a), {1})), a);
    });
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return matmul(to_dense(matmul(transpose(h, 0, 1), a), 0.0F), transpose(a, 0, 1));
    });
}

TEST_CASE("expressions of lists are read in the shape of other lists", "[codegen]") {
    check_composition([](const auto& a, const auto&, const auto&, const auto&) {
        return intersect(reshape(a * 2, {-1}) * reshape(transpose(a, 0, 1), {-1}));
    });
    check_composition([](const auto& a, const auto&, const auto&, const auto&) {
        return gradient(sum(amin(matmul(a, transpose(a, 0, 1)), {0})), a);
    });
}

TEST_CASE("sampled products are factors of chains of products", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return matmul(matmul(on(a, matmul(h, transpose(w, 0, 1))), h), transpose(slice(w, 0, 0, 2), 0, 1));
    });
}

TEST_CASE("tensors that are specified in part are factors of products with lists", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return matmul(a, masked(h, h > 0.3F));
    });
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return matmul(transpose(masked(h, h > 0.3F), 0, 1), a);
    });
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return gradient(sum(matmul(a, masked(h, h > 0.3F)) * w), a);
    });
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return gradient(sum(square(matmul(transpose(a, 0, 1), masked(h, w > 0.3F)))), h);
    });
}

TEST_CASE("a masked argument is a factor of products with lists where it is specified", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::strided, Layout::bitmask);
    const float infinity = std::numeric_limits<float>::infinity();
    const MaskedTensor<float> a = random_masked({12, 15}, specified(0.3), Layout::coo, 5);
    const MaskedTensor<float> h = random_masked({15, 3}, specified(0.5), layout, 6);
    check_close(eval(matmul(a, h), how), oracle(matmul(a, h)));
    // Unspecified elements are no zeros: infinity is not multiplied by them.
    const MaskedTensor<float> b = masked(full<float>({12, 15}, infinity), a.mask_tensor());
    const MaskedTensor<float> list(b.to(Layout::csr));
    CHECK(same(eval(matmul(list, h), how), oracle(matmul(list, h))));
    const MaskedTensor<float> wide = Wide().a;
    CHECK_NOTHROW(eval(matmul(wide, masked(Wide().h, Wide().w > 0.0F)), how));
}

TEST_CASE("several heads of attention over the edges of one graph are lists", "[codegen]") {
    const EvalOptions never{.jit = Jit::never};
    const Tensor<float> one = random_tensor<float>({2, 2}, 8), two = random_tensor<float>({2, 2}, 9);
    const auto head = [](const auto& a, const auto& h, const auto& weights) {
        const auto wh = matmul(h, weights);
        const auto score = on(a, sum(wh, {1}, keepdim) + transpose(sum(wh * wh, {1}, keepdim), 0, 1));
        return to_dense(matmul(softmax(score, 1), wh), 0.0F);
    };
    const auto heads = [&](const auto& a, const auto& h) {
        return mean(square(cat({head(a, h, one), head(a, h, two)}, 1)));
    };
    const Wide wide;
    const auto loss = heads(wide.a, wide.h);
    const std::string plan = explain(loss, gradient(loss, wide.h), gradient(loss, one), gradient(loss, two));
    CHECK(plan.find("does not fit") == std::string::npos);
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc}) {
        const MaskedTensor<float> a = random_masked({12, 12}, specified(0.3), layout, 5);
        const Tensor<float> h = random_tensor<float>({12, 2}, 6);
        const auto small = heads(a, h);
        check_close(eval(gradient(small, h), never), oracle(gradient(small, h)));
        check_close(eval(gradient(small, one), never), oracle(gradient(small, one)));
    }
}

TEST_CASE("lists are repeated along dimensions that their masks broadcast to", "[codegen]") {
    // One batch of edges for two heads; a huge list has 2 * extent^2 elements then.
    const auto batch = [](const auto& h, const auto& w) { return stack({h, w}, 0); };
    const auto score = [&](const auto& a, const auto& h, const auto& w) {
        const auto both = batch(h, w);
        return on(unsqueeze(a, 0), sum(both, {2}, keepdim) + transpose(mean(both, {2}, keepdim), 1, 2));
    };
    check_composition(
        [&](const auto& a, const auto& h, const auto& w, const auto&) { return score(a, h, w); });
    check_composition([&](const auto& a, const auto& h, const auto& w, const auto&) {
        return unsqueeze(a, 0) * sum(batch(h, w), {2}, keepdim);
    });
    check_composition(
        [&](const auto& a, const auto& h, const auto& w, const auto&) { return softmax(score(a, h, w), 2); });
    check_composition([&](const auto& a, const auto& h, const auto& w, const auto&) {
        return matmul(softmax(score(a, h, w), 2), batch(h, w));
    });
    check_composition([&](const auto& a, const auto& h, const auto& w, const auto&) {
        return on(unsqueeze(a, 0), matmul(batch(h, w), transpose(batch(w, h), 1, 2)));
    });
    // Indices in the last dimension, and between other dimensions.
    check_composition([&](const auto& a, const auto& h, const auto&, const auto&) {
        return on(unsqueeze(a, 2), unsqueeze(h, 0));
    });
    check_composition([&](const auto& a, const auto& h, const auto&, const auto&) {
        return on(unsqueeze(a, 1), unsqueeze(transpose(h, 0, 1), 0));
    });
}

TEST_CASE("lists that store places twice share no elements with later stages", "[codegen]") {
    const auto composed = [](const auto& a, const auto& r) {
        return softmax(on(a, a * r + exp(a)), 1) + a * r;
    };
    const Tensor<float> r = random_tensor<float>({4, 1}, 3), values = random_tensor<float>({6}, 4);
    const auto twice = MaskedTensor<float>::coo({4, 5}, {{0, 0, 2, 2, 2, 3}, {1, 1, 0, 4, 4, 2}}, values);
    const MaskedTensor<float> once(twice.coalesce());
    for (const Layout layout : {Layout::coo, Layout::csr})
        check_close(eval(composed(once.to(layout), r)), oracle(composed(once, r)));
    check_close(eval(composed(twice, r)), oracle(composed(once, r)));
}

TEST_CASE("lists have their places in shapes with dimensions of one element", "[codegen]") {
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto&) { return log_softmax(unsqueeze(a, 0), 2); });
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return unsqueeze(a, 0) * mean(h, {1}, keepdim);
    });
    check_composition([](const auto& a, const auto& h, const auto&, const auto&) {
        return a - unsqueeze(mean(h, {1}, keepdim), 0);
    });
    check_composition([](const auto& a, const auto& h, const auto& w, const auto&) {
        return matmul(unsqueeze(a, 0) * mean(h, {1}, keepdim), unsqueeze(w, 0));
    });
}

namespace {

/// A graph of `extent` nodes whose edges are between the first 8; features of all nodes, for 3 heads.
struct HeadsOfGraph {
    explicit HeadsOfGraph(std::int64_t extent)
        : a(MaskedTensor<float>::coo({extent, extent}, {{0, 0, 1, 2, 2, 2, 5, 7}, {1, 3, 0, 2, 5, 7, 5, 1}},
                                     {3, -1, 2, 1, 4, -2, 5, 1})
                .to(Layout::csr)),
          h(some(extent, 2, 6)),
          x(some(extent, 3, 7)),
          y(some(extent, 3, 8)) {}

    static Tensor<float> some(std::int64_t rows, std::int64_t columns, unsigned seed) {
        const Tensor<float> first = random_tensor<float>({8, columns}, seed);
        return eval(cat({first, full<float>({rows - 8, columns}, 0.5F)}, 0));
    }

    MaskedTensor<float> a;
    Tensor<float> h, x, y;
    Tensor<float> w = random_tensor<float>({3, 2, 2}, 9);
};

/// Calls loss(graph), whose gradients equal a small graph's where no tensor of all pairs can be made.
template <class Loss>
void check_gradients_of_heads(Loss&& loss) {
    const EvalOptions never{.jit = Jit::never};  // loops are compiled for some seconds
    const auto gradients = [&](const HeadsOfGraph& of) {
        const auto made = loss(of);
        const auto first = [&](const auto& input, std::int64_t rows) {
            return eval(slice(to_dense(gradient(made, input), 0.0F), 0, 0, rows), never);
        };
        return std::array{first(of.h, 8), first(of.x, 8), first(of.y, 8), first(of.w, 3)};
    };
    const auto found = gradients(HeadsOfGraph(1 << 16)), wanted = gradients(HeadsOfGraph(12));
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(allclose(found[i], wanted[i], 1e-6));
}

}  // namespace

TEST_CASE("heads of a batch over the edges of one graph have gradients at them", "[codegen]") {
    const auto attention = [](const auto& score, const auto& wh) {
        const auto leaky = where(score > 0.0F, score, score * 0.2F);
        return sum(square(to_dense(matmul(softmax(leaky, 2), wh), 0.0F)));
    };
    const auto features = [](const auto& g) { return matmul(unsqueeze(g.h, 0), g.w); };
    SECTION("batches first") {
        check_gradients_of_heads([&](const auto& g) {
            const auto pairs = matmul(features(g), unsqueeze(transpose(g.h, 0, 1), 0));
            const auto score = on(unsqueeze(g.a, 0), pairs * unsqueeze(transpose(g.x + g.y, 0, 1), 2));
            return sum(square(score / (sum(square(score), {1}, keepdim) + 1.0F)));
        });
        check_gradients_of_heads([&](const auto& g) {
            const auto rows = unsqueeze(transpose(g.x, 0, 1), 2),
                       columns = unsqueeze(transpose(g.y, 0, 1), 1);
            return attention(on(unsqueeze(g.a, 0), rows + columns), features(g));
        });
        check_gradients_of_heads([&](const auto& g) {
            const auto wh = features(g);
            const auto score = matmul(wh, transpose(wh, 1, 2)) * unsqueeze(transpose(g.x + g.y, 0, 1), 1);
            return attention(on(unsqueeze(g.a, 0), score), wh);
        });
    }
    SECTION("batches between others") {
        check_gradients_of_heads([&](const auto& g) {
            const auto score = on(unsqueeze(g.a, 1), unsqueeze(g.x, 2) + unsqueeze(transpose(g.y, 0, 1), 0));
            return attention(transpose(score, 0, 1), features(g));
        });
    }
    SECTION("batches last") {
        check_gradients_of_heads([&](const auto& g) {
            const auto score = unsqueeze(g.a, 2) * (unsqueeze(g.x, 1) + unsqueeze(g.y, 0));
            return attention(transpose(transpose(score, 0, 2), 1, 2), features(g));
        });
    }
}

}  // namespace listed_compositions_test
