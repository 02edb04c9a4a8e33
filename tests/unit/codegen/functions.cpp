// SPDX-License-Identifier: MIT
#include "functions.hpp"

#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

namespace functions_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a function of symbols gives what eval gives for tensors", "[codegen]") {
    const auto layout = GENERATE(every_layout());
    const MaskedTensor<float> m(random_masked({40, 64}, specified(0.3), layout, 3)),
        n(random_masked({40, 64}, specified(0.3), layout, 4));
    const Tensor<float> u = random_tensor({40, 5}, 1), v = random_tensor({64, 5}, 2);
    const auto squares = sum(square(m - matmul(u, transpose(v, 0, 1))));

    const MaskedTensor<float> loss =
        jit(functions::loss)(functions::m = m, functions::u = u, functions::v = v);
    CHECK_THAT(loss.to_dense(0), HasTheBytesOf(eval(squares).to_dense(0)));

    const auto [value, du, dv] =
        jit(functions::loss_and_gradients)(functions::v = v, functions::m = m, functions::u = u);
    CHECK_THAT(value.to_dense(0), HasTheBytesOf(loss.to_dense(0)));
    CHECK_THAT(du.to_dense(0), HasTheBytesOf(eval(gradient(squares, u)).to_dense(0)));
    CHECK_THAT(dv.to_dense(0), HasTheBytesOf(eval(gradient(squares, v)).to_dense(0)));

    const MaskedTensor<float> soft = jit(functions::soft)(functions::scale = 0.5, functions::m = m),
                              wanted = eval(softmax(m * 0.5F, 1));
    CHECK(soft.layout() == wanted.layout());
    CHECK_THAT(soft.to_dense(0), HasTheBytesOf(wanted.to_dense(0)));

    const auto [united, sums] = jit(functions::both)(functions::m = m, functions::other = n);
    CHECK_THAT(united.to_dense(-1), HasTheBytesOf(eval(unite(m + n) * 2.0F).to_dense(-1)));
    CHECK_THAT(sums.to_dense(-1), HasTheBytesOf(eval(sum(m, 1)).to_dense(-1)));
}

TEST_CASE("symbols that no result reads take the place of no other", "[codegen]") {
    const Tensor<float> u = random_tensor({3, 4}, 1), v = random_tensor({2, 5}, 2);
    const auto [slope, squares] = jit(functions::slope)(functions::u = u, functions::v = v);
    CHECK_THAT(slope.to_dense(0), HasTheBytesOf(full<float>({3, 4}, 2)));
    CHECK_THAT(squares, HasTheBytesOf(eval(square(v))));
}

}  // namespace functions_test
