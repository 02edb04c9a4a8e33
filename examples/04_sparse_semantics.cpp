// SPDX-License-Identifier: MIT
// Sparse layouts are ways to store a mask: stored means specified, also if the value is zero.  An expression
// has the same result for every layout.
#include <frisket/frisket.hpp>
#include <iostream>
using namespace frisket;

int main() {
    // 1. The same matrix in three layouts.
    auto coo = MaskedTensor<float>::coo({2, 4}, {{0, 0, 1}, {0, 3, 1}}, {5, 0, 6});
    auto csr = MaskedTensor<float>::csr({2, 4}, {0, 2, 3}, {0, 3, 1}, {5, 0, 6});
    std::cout << coo << "\n" << std::boolalpha << same(coo, csr) << "\n\n";

    // 2. Duplicates add up; coalesce() stores each element once.
    auto twice = MaskedTensor<float>::coo({4}, {{2, 0, 2}}, {1, 2, 3});
    std::cout << twice << "\n" << twice.values() << "\n" << twice.coalesce().values() << "\n";

    // 3. Expressions take any layout, and mix them.
    std::cout << eval(coo + 2 * csr) << "\n" << eval(sum(csr, {0})) << "\n";

    // 4. A product has a term where both factors are specified, and no elements where it has none.
    auto weights = MaskedTensor<float>::coo({4, 2}, {{0, 1, 3}, {0, 0, 1}}, {1, 2, 3});
    std::cout << eval(matmul(csr, weights)) << "\n" << eval(matmul(csr, full<float>({4}, 1))) << "\n";

    // 5. From what is not zero to sparse, and back.
    Tensor<float> dense({2, 2}, {0, 7, 0, 8});
    MaskedTensor<float> sparse = eval(masked(dense, dense != 0)).to(Layout::csr);
    std::cout << name_of(sparse.layout()) << " of " << sparse.values() << "\n" << eval(to_dense(sparse, 0));
}

// Output:
// MaskedTensor(
//   [
//     [  5.0000,       --,       --,   0.0000],
//     [      --,   6.0000,       --,       --]
//   ]
// )
// true
//
// MaskedTensor(
//   [  2.0000,       --,   4.0000,       --]
// )
// Tensor(
//   [  1.0000,   2.0000,   3.0000]
// )
// Tensor(
//   [  2.0000,   4.0000]
// )
// MaskedTensor(
//   [
//     [ 15.0000,       --,       --,   0.0000],
//     [      --,  18.0000,       --,       --]
//   ]
// )
// MaskedTensor(
//   [  5.0000,   6.0000,       --,   0.0000]
// )
// MaskedTensor(
//   [
//     [  5.0000,   0.0000],
//     [ 12.0000,       --]
//   ]
// )
// MaskedTensor(
//   [  5.0000,   6.0000]
// )
// csr of Tensor(
//   [  7.0000,   8.0000]
// )
// Tensor(
//   [
//     [  0.0000,   7.0000],
//     [  0.0000,   8.0000]
//   ]
// )
