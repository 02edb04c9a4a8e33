// SPDX-License-Identifier: MIT
// An optimizer step as an expression, in ten lines: the program that README.md shows.
#include <frisket/frisket.hpp>

#include <iostream>

using namespace frisket;

// [ten]
constexpr InOut<"param"> param;
constexpr InOut<"total"> total;
constexpr Masked<"grad"> grad;
constexpr auto adagrad = step<"adagrad">(total += grad * grad, param -= 0.1 * grad / sqrt(total));

int main() {
    const auto p = full<float>({2, 4}, 1), s = zeros<float>({2, 4});
    const auto g = MaskedTensor<float>::coo({2, 4}, {{0, 1}, {2, 0}}, {3, 4});
    jit(adagrad)(param = p, total = s, grad = g);
    std::cout << p;  // only the two specified elements have moved
}
// [/ten]

// Output:
// Tensor(
//   [
//     [  1.0000,   1.0000,   0.9000,   1.0000],
//     [  0.9000,   1.0000,   1.0000,   1.0000]
//   ]
// )
