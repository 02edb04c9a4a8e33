// SPDX-License-Identifier: MIT
// Gradients of products of lists with respect to the dense factor: lists of the rows that the loss reads.
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

namespace list_gradients_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Samples by features, some of which have no entry.
template <class T>
MaskedTensor<T> samples(Layout layout) {
    std::vector<std::int64_t> rows, columns;
    for (std::int64_t row = 0; row < 9; ++row)
        for (std::int64_t column = 0; column < 40; ++column)
            if (row != 3 && column % 4 != 1 && (row * 5 + column * 3) % 7 == 0) {
                rows.push_back(row);
                columns.push_back(column);
            }
    const auto values = random_tensor<T>({std::ssize(rows)}, 4);
    return MaskedTensor<T>(MaskedTensor<T>::coo({9, 40}, {rows, columns}, values).to(layout));
}

/// A gradient is a list, of the bytes that the interpreter has; also interpreted.
template <class E, class T>
void check_listed(const E& loss, const Tensor<T>& w) {
    const EvalOptions how = options();
    const auto found = eval(gradient(loss, w), how);
    CHECK((found.layout() == Layout::rows || found.layout() == Layout::coo));
    CHECK(found.specified_count() < found.size());
    check_close(found, oracle(gradient(loss, w)));
}

}  // namespace

TEST_CASE("the gradient of a regression over a list is a list of its features", "[codegen][list_gradients]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc);
    const std::int64_t outputs = GENERATE(1, 3);
    CAPTURE(name_of(layout), outputs);
    const MaskedTensor<float> x = samples<float>(layout);
    const Tensor<float> w = random_tensor<float>({40, outputs}, 5), y = random_tensor<float>({9, outputs}, 6);
    const auto z = to_dense(matmul(x, w), 0);
    check_listed(mean(log1p(exp(-(y * z)))), w);
    check_listed(sum(square(matmul(x, w) - y)), w);
}

TEST_CASE("the gradient of bags with respect to their table is a list of rows", "[codegen][list_gradients]") {
    const MaskedTensor<double> bags = samples<double>(Layout::csr);
    const Tensor<double> table = random_tensor<double>({40, 5}, 5), w = random_tensor<double>({5, 2}, 6);
    const Tensor<double> y = random_tensor<double>({9, 2}, 7);
    const auto pooled = to_dense(matmul(bags, table), 0);
    const auto loss = mean(square(matmul(tanh(pooled), w) - y));
    check_listed(loss, table);
    const auto [value, of_table, of_w] = eval(loss, gradient(loss, table), gradient(loss, w), options());
    CHECK(of_table.layout() == Layout::rows);
    CHECK(allclose(value, oracle(loss), 1e-12));
    CHECK(allclose(of_w.to_dense(0), oracle(gradient(loss, w)).to_dense(0), 1e-12));
}

TEST_CASE("a list that is transposed once is read in its order by later products",
          "[codegen][list_gradients]") {
    const MaskedTensor<float> x = samples<float>(Layout::csr);
    const Tensor<float> w = random_tensor<float>({9, 3}, 5);
    const auto product = matmul(transpose(x, 0, 1), w);
    const auto first = eval(product);
    CHECK(same(eval(product), first));
    // Values change, indices do not.
    const auto other = eval(x * 2.0f, options());
    CHECK(same(eval(matmul(transpose(other, 0, 1), w)), eval(product * 2.0f)));
}

TEST_CASE("a regression over a billion features takes what its entries take", "[codegen][list_gradients]") {
    constexpr std::int64_t features = 1'000'000'000;
    const auto x = MaskedTensor<float>::csr({3, features}, {0, 2, 2, 4}, {5, features - 1, 5, 77'777'777},
                                            {1.0f, 2.0f, 3.0f, 4.0f});
    // A table of a billion zeros that is one element.
    const Tensor<float> zero = full<float>({}, 0);
    const Tensor<const float> w(AnyTensor(zero).broadcast_to({features, 1}));
    const Tensor<float> y({3, 1}, {1.0f, 5.0f, -1.0f});
    const auto loss = sum(square(matmul(x, w) - y));
    const auto found = eval(gradient(loss, w), options());
    CHECK(found.specified_count() == 3);
    CHECK(same(found.to(Layout::coo).values(), AnyTensor(Tensor<float>({3}, {4.0f, 8.0f, -4.0f}))));
}

TEST_CASE("a number that lists make has gradients, and second ones, by them", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> line = random_masked({40}, specified(0.2), Layout::coo, 1),
                              list = random_masked({40, 30}, specified(0.1), Layout::csr, 2);
    const Tensor<float> x = random_tensor<float>({40}, 3);
    const auto scaled = sum(list * to_dense(matmul(line, x), 0.0F));
    check_close(eval(gradient(scaled, line), how), oracle(gradient(scaled, line)));
    const auto number = tanh(matmul(softmax(line, 0), x));
    const auto first = gradient(number, line);
    check_close(eval(first, how), oracle(first));
    check_close(eval(gradient(sum(first), line), how), oracle(gradient(sum(first), line)));
}

}  // namespace list_gradients_test
