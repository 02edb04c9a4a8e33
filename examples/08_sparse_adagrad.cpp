// SPDX-License-Identifier: MIT
// Adagrad for an embedding: the gradient is specified in the rows that were looked up, and only these move,
// and their state.  Once with a state for each element, once with one for each row.
#include <frisket/frisket.hpp>
#include <iostream>
using namespace frisket;

// [rules]
inline constexpr InOut<"param"> param;
inline constexpr InOut<"state_sum"> state_sum;
inline constexpr Masked<"grad"> grad;
inline constexpr Scalar<"lr"> lr;

inline constexpr auto adagrad = step<"adagrad">(
    state_sum += grad * grad,
    param     -= lr * grad / (sqrt(state_sum) + 1e-10));

// The mean over a row is specified where one of its elements is: other rows keep their state, to the byte.
inline constexpr auto rowwise_adagrad = step<"rowwise_adagrad">(
    state_sum += mean(grad * grad, {1}, keepdim),
    param     -= lr * grad / (sqrt(state_sum) + 1e-10));
// [/rules]

int main() {
    auto rows = MaskedTensor<float>::rows({4, 3}, {1, 3}, {1, 2, 2, 0, 3, 4});
    std::cout << rows << "\n";

    Tensor<float> p = full<float>({4, 3}, 1), s = zeros<float>({4, 3});
    jit(adagrad)(param = p, state_sum = s, grad = rows, lr = 0.1);
    std::cout << p << "\n" << s << "\n";

    Tensor<float> q = full<float>({4, 3}, 1), t = zeros<float>({4, 1});
    auto kernel = jit(rowwise_adagrad);
    kernel(param = q, state_sum = t, grad = rows, lr = 0.1);
    std::cout << q << "\n" << t << "\n";

    // Any layout will do: a gradient with single elements.
    auto elements = MaskedTensor<float>::coo({4, 3}, {{0, 1}, {2, 0}}, {3, 1});
    kernel(param = q, state_sum = t, grad = elements, lr = 0.1);
    std::cout << q << "\n" << t;
}

// Output:
// MaskedTensor(
//   [
//     [      --,       --,       --],
//     [  1.0000,   2.0000,   2.0000],
//     [      --,       --,       --],
//     [  0.0000,   3.0000,   4.0000]
//   ]
// )
// Tensor(
//   [
//     [  1.0000,   1.0000,   1.0000],
//     [  0.9000,   0.9000,   0.9000],
//     [  1.0000,   1.0000,   1.0000],
//     [  1.0000,   0.9000,   0.9000]
//   ]
// )
// Tensor(
//   [
//     [  0.0000,   0.0000,   0.0000],
//     [  1.0000,   4.0000,   4.0000],
//     [  0.0000,   0.0000,   0.0000],
//     [  0.0000,   9.0000,  16.0000]
//   ]
// )
// Tensor(
//   [
//     [  1.0000,   1.0000,   1.0000],
//     [  0.9423,   0.8845,   0.8845],
//     [  1.0000,   1.0000,   1.0000],
//     [  1.0000,   0.8961,   0.8614]
//   ]
// )
// Tensor(
//   [
//     [  0.0000],
//     [  3.0000],
//     [  0.0000],
//     [  8.3333]
//   ]
// )
// Tensor(
//   [
//     [  1.0000,   1.0000,   0.9000],
//     [  0.8923,   0.8845,   0.8845],
//     [  1.0000,   1.0000,   1.0000],
//     [  1.0000,   0.8961,   0.8614]
//   ]
// )
// Tensor(
//   [
//     [  9.0000],
//     [  4.0000],
//     [  0.0000],
//     [  8.3333]
//   ]
// )
