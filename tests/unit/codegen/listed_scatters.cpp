// SPDX-License-Identifier: MIT
#include "compositions.hpp"

#include <tuple>

namespace listed_scatters_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Checks make(list, features, weights, ids) for lists whose products with their transposes no memory holds:
/// it has the values that the interpreter finds for the same elements of a small one.
template <class Make>
void check_huge(const EvalOptions& how, Make&& make) {
    const auto at = [&](std::int64_t extent) {
        return make(coo_of(extent, extent), full<float>({extent, 2}, 0.5F), full<float>({extent, 2}, 0.25F),
                    Ids({3}, {7, 5, 7}));
    };
    const auto wanted = oracle(at(16)).to(Layout::coo), found = eval(at(1 << 18), how).to(Layout::coo);
    CHECK(wanted.specified_count() > 0);
    CHECK(stored_values(found) == stored_values(wanted));
}

/// Checks a gradient by a list against the interpreter's, and that it is a list.
template <class Make>
void check_gradient(const MaskedTensor<float>& m, const EvalOptions& how, Make&& make) {
    const auto found = eval(gradient(make(m), m), how);
    CAPTURE(explain(gradient(make(m), m)));
    CHECK((found.layout() == Layout::coo || found.layout() == m.layout()));
    CHECK(same(found, oracle(gradient(make(m), m))));
}

}  // namespace

TEST_CASE("gradients through slices, moves and gathers of lists are lists", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr);
    const EvalOptions how = options();
    CAPTURE(name_of(layout));
    const MaskedTensor<float> m = random_masked({12, 8}, specified(0.4), layout, 5);
    const Ids some({5}, {7, 0, 7, 2, 1}), negative({4}, {-1, 3, -8, -1}), none({0}),
        table({2, 2}, {1, -2, 8, 1}), columns({3}, {2, 0, 2});
    check_gradient(m, how, [](const auto& x) { return sum(square(x(slice(2, 9)))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(x(slice(1, 12, 3), slice(0, 8, 2)))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(flip(x, {0}))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(roll(x, 3, 0))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(transpose(x, 0, 1)(slice(1, 4)))); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[some])); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[negative])); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[table])); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(index_select(x, 1, columns))); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[some][columns])) + sum(x); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[some])) + sum(square(x(slice(2, 9)))); });
    CHECK(eval(gradient(sum(m[none]), m), how).specified_count() == 0);
}

TEST_CASE("what gradients scatter into lists takes memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();
    const auto sliced = eval(gradient(sum(square(m(slice(5, 7)))), m), how);
    CHECK(sliced.specified_count() == 2);
    CHECK(stored_values(sliced) == std::vector<float>{8, -4});
    const Ids some({4}, {5, 7, 5, 6});
    const auto selected = eval(gradient(sum(square(m[some])), m), how);
    CHECK(stored_values(selected) == std::vector<float>{16, -8, 6});
}

TEST_CASE("what is scattered from tensors is read at the places of lists", "[codegen]") {
    const EvalOptions how = options();
    const auto column = [](const auto& a, const auto& h) { return matmul(select(a, 1, 2), select(h, 1, 0)); };
    check_huge(how, [&](const auto& a, const auto& h, const auto&, const auto&) {
        return gradient(column(a, h), a) * 2.0F;
    });
    check_huge(how, [&](const auto& a, const auto& h, const auto&, const auto&) {
        return on(a, to_dense(gradient(column(a, h), a), -1.0F));
    });
    check_huge(how, [&](const auto& a, const auto& h, const auto&, const auto& ids) {
        return index_select(gradient(sum(square(a - to_dense(column(a, h), 0.0F))), a), 0, ids);
    });
    check_huge(how, [](const auto& a, const auto&, const auto&, const auto& ids) {
        return any(gradient(sum(index_select(select(a, 1, 2), 0, ids)), a), {0}, keepdim);
    });
    check_huge(how, [](const auto& a, const auto& h, const auto&, const auto&) {
        return gradient(matmul(select(cat({a, a}, 0), 0, 5), select(h, 1, 0)), a);
    });
    check_huge(how, [](const auto& a, const auto& h, const auto& w, const auto&) {
        const auto one = select(reshape(a, {-1}), 0, 5 * a.shape()[1] + 2);
        return on(gradient(square(one), a), narrow(h, 1, 0, 1) + transpose(narrow(w, 1, 0, 1), 0, 1));
    });
}

TEST_CASE("what a view repeats is made once for the places of lists", "[codegen]") {
    const EvalOptions how{.jit = Jit::never};  // plans as of compiled calls
    check_huge(how, [](const auto& a, const auto& h, const auto&, const auto&) {
        return gradient(roll(to_dense(matmul(a, h), 0.0F), -3, 0), a);
    });
    check_huge(how, [](const auto& a, const auto& h, const auto& w, const auto&) {
        return gradient(roll(matmul(roll(a, -3, 1), h), 1, 1), a, w);
    });
    check_huge(how, [](const auto& a, const auto& h, const auto&, const auto&) {
        const auto column = transpose(narrow(h, 0, 0, 1), 0, 1);
        return gradient(matmul(column, unsqueeze(a, 1)), h);
    });
}

TEST_CASE("products of matrices in several lists are read in their own shapes", "[codegen]") {
    const EvalOptions how = options();
    const auto check = [&](auto&& make) {
        const auto at = [&](std::int64_t extent) {
            return make(MaskedTensor<float>::coo({3, extent, extent},
                                                 {{0, 1, 2, 2}, {7, 5, 1, 5}, {1, 2, 3, 9}}, {3, 4, 12, -2}),
                        full<float>({extent, 2}, 0.5F), full<float>({3, 2}, 0.25F));
        };
        const auto wanted = oracle(at(16)).to(Layout::coo), found = eval(at(1 << 18), how).to(Layout::coo);
        CHECK(wanted.specified_count() > 0);
        CHECK(stored_values(found) == stored_values(wanted));
    };
    check([](const auto& a, const auto& h, const auto&) { return gradient(matmul(cat({a, a}, 1), h), a); });
    check([](const auto& a, const auto&, const auto& w) {
        return logsumexp(matmul(transpose(a, 0, 2), w), {1});
    });
    check([](const auto& a, const auto&, const auto&) {
        return gradient(index_select(norm(a, {0}, keepdim), 1, Ids({3}, {7, 5, 7})), a);
    });
    check([](const auto& a, const auto& h, const auto& w) {
        const auto y = matmul(transpose(a, 0, 2), select(w, 1, 0));
        return y - matmul(h, transpose(h, 0, 1));
    });
}

TEST_CASE("tensors of few elements that were lists are factors at the places of lists", "[codegen]") {
    const EvalOptions how{.jit = Jit::never};  // plans as of compiled calls
    const auto sampled = [](std::int64_t extent) {
        const auto lines =
            MaskedTensor<float>::coo({3, extent}, {{0, 1, 2, 2}, {7, 5, 1, 5}}, {3, 4, 12, -2});
        const auto x = to_dense(lines * 2.0F, 0.0F);
        return mean(on(coo_of(extent, extent), matmul(transpose(x, 0, 1), x)), {0});
    };
    CHECK(stored_values(eval(sampled(1 << 18), how).to(Layout::coo)) ==
          stored_values(oracle(sampled(16)).to(Layout::coo)));
    check_huge(how, [](const auto& a, const auto& h, const auto& w, const auto&) {
        const auto y = to_dense(gradient(sum(a - matmul(h, transpose(w, 0, 1))), w), 0.0F);
        return gradient(on(transpose(a, 0, 1), matmul(y, transpose(y, 0, 1))), h);
    });
}

TEST_CASE("gradients of products of two lists are read beside columns", "[codegen]") {
    const EvalOptions how = options();
    check_huge(how, [](const auto& a, const auto& h, const auto&, const auto&) {
        return on(gradient(matmul(a, transpose(a, 0, 1)), a), narrow(h, 1, 0, 1));
    });
    check_huge(how, [](const auto& a, const auto& h, const auto&, const auto&) {
        const Tensor<float> column = full<float>({h.shape()[0], 1}, 0.5F);
        const auto y = matmul(a, transpose(a, 0, 1)) + column;
        return gradient(sum(square(gradient(sum(square(matmul(y, y))), column))), column);
    });
}

TEST_CASE("numbers that lists are reduced to are factors of products", "[codegen]") {
    const EvalOptions how{.jit = Jit::never};  // plans as of compiled calls
    const Tensor<float> row({1, 2}, {3, 4});
    const auto of_number = [&](std::int64_t extent) {
        const auto number = logsumexp(coo_of(extent, extent), {}, keepdim);
        return gradient(matmul(number, row), number);
    };
    CHECK(eval(of_number(1 << 18), how).item() == 7);
    check_huge(how, [](const auto& a, const auto& h, const auto&, const auto& ids) {
        // All places of the list have one value.
        const auto line = select(a, 0, 5);
        const auto x = select(h, 1, 0);
        const auto y = matmul(a - to_dense(matmul(line + x, x), 0.0F), h);
        return index_select(gradient(gradient(y, x, h), h), 0, ids);
    });
}

TEST_CASE("a tensor is read at places of lists of several shapes", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<float> u({3, 1}, {1, 2, 3});
    const auto second = [&](std::int64_t extent) {
        const auto a = MaskedTensor<float>::coo({3, extent, extent},
                                                {{0, 0, 2, 2}, {7, 5, 1, 5}, {7, 7, 7, 9}}, {3, 4, 12, -2});
        const auto line = select(to_dense(sum(a, {1}, keepdim), 0.0F), 2, 7);
        return gradient(gradient(line, a, u), u);
    };
    const auto found = eval(second(1 << 18), how);
    CHECK(same(found, oracle(second(16))));
    CHECK(stored_values(found.to(Layout::coo)) == std::vector<float>{2, 1});
}

TEST_CASE("results at the places of several lists are lists", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> a = random_masked({12, 8}, specified(0.4), layout, 5),
                              b = random_masked({9, 12}, specified(0.4), layout, 6);
    const auto [twice, half] = eval(a * 2, b * 0.5F, how);
    CHECK(twice.layout() == layout);
    CHECK(half.layout() == layout);
    CHECK(same(twice, oracle(a * 2)));
    CHECK(same(half, oracle(b * 0.5F)));
    const auto loss = sum(square(a)) + sum(square(b));
    const auto [value, of_a, of_b] = eval(loss, gradient(loss, a), gradient(loss, b), how);
    CHECK(value.item() == oracle(loss).item());
    CHECK(same(of_a, oracle(gradient(loss, a))));
    CHECK(same(of_b, oracle(gradient(loss, b))));
}

TEST_CASE("results at the places of several huge lists are lists", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> a = huge_coo(), b = coo_of(1 << 20, huge);
    const auto loss = sum(square(a)) * sum(square(b));
    const auto [of_a, of_b] = eval(gradient(loss, a), gradient(loss, b), how);
    CHECK(of_a.specified_count() == 4);
    CHECK(of_b.specified_count() == 4);
}

}  // namespace listed_scatters_test
