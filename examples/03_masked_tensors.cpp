// SPDX-License-Identifier: MIT
// Masked tensors: values, of which a mask says which are specified.  What is not specified is not zero: it
// takes no part in anything.
#include <frisket/frisket.hpp>
#include <iostream>
using namespace frisket;

int main() {
    // 1. Values and a mask make one; both may be expressions.
    Tensor<float> data = arange<float>(6).reshape({2, 3});
    Tensor<bool> mask({2, 3}, {true, false, true, false, false, false});
    MaskedTensor<float> m = masked(data, mask);
    std::cout << m << "\n";
    MaskedTensor<float> odd = eval(masked(data, data % 2 == 1));
    std::cout << odd << "\n";

    // 2. Functions keep the mask; a masked and a dense operand give the mask of the masked one.
    std::cout << eval(2 * m + data) << "\n";

    // 3. Reductions go over what is specified; a slice with nothing specified is masked.
    MaskedTensor<float> sums = eval(sum(m * m, {1}));
    std::cout << sums << "\n" << eval(mean(m)) << "\n";
    std::cout << eval(count(m, {1})) << "\n";

    // 4. The ways out say what stands in for the rest.
    Tensor<float> plain = eval(to_dense(m, -1));
    std::cout << plain << "\n" << eval(mask_of(m)) << "\n";

    // 5. Selections as in NumPy, of both values and mask.
    std::cout << eval(m[0]) << "\n" << eval(m[{all, 2}]) << "\n" << eval(m[data < 3]) << "\n";

    // 6. Several results at once; what they share is computed once.
    auto [largest, where_it_is] = eval(amax(data, {1}), argmax(data, 1));
    std::cout << largest << "\n" << where_it_is;
}

// Output:
// MaskedTensor(
//   [
//     [  0.0000,       --,   2.0000],
//     [      --,       --,       --]
//   ]
// )
// MaskedTensor(
//   [
//     [      --,   1.0000,       --],
//     [  3.0000,       --,   5.0000]
//   ]
// )
// MaskedTensor(
//   [
//     [  0.0000,       --,   6.0000],
//     [      --,       --,       --]
//   ]
// )
// MaskedTensor(
//   [  4.0000,       --]
// )
// MaskedTensor(  1.0000, True)
// Tensor(
//   [2, 0]
// )
// Tensor(
//   [
//     [  0.0000,  -1.0000,   2.0000],
//     [ -1.0000,  -1.0000,  -1.0000]
//   ]
// )
// Tensor(
//   [
//     [True, False, True],
//     [False, False, False]
//   ]
// )
// MaskedTensor(
//   [  0.0000,       --,   2.0000]
// )
// MaskedTensor(
//   [  2.0000,       --]
// )
// MaskedTensor(
//   [  0.0000,       --,   2.0000]
// )
// Tensor(
//   [  2.0000,   5.0000]
// )
// Tensor(
//   [2, 2]
// )
