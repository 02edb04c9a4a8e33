// SPDX-License-Identifier: MIT
// [step]
#include <frisket/frisket.hpp>
#include <iostream>
using namespace frisket;

// 1. Write an optimizer step as an expression.
inline constexpr InOut<"param">     param;          // float unless said: InOut<"param", double>
inline constexpr InOut<"state_sum"> state_sum;
inline constexpr Masked<"grad">     grad;
inline constexpr Scalar<"lr">       lr;             // a host scalar, held as double, weak in the expression
inline constexpr Scalar<"eps">      eps;

inline constexpr auto adagrad = step<"adagrad">(
    state_sum += grad * grad,
    param     -= lr * grad / (sqrt(state_sum) + eps));

int main() {
  Tensor<float> p = arange<float>(8).reshape({2, 4});
  Tensor<float> s = full<float>({2, 4}, 0.5f);
  auto g = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});

  auto kernel = jit(adagrad);                // one loop per layout, compiled when first met, kept
  kernel(param = p, state_sum = s, grad = g, lr = 0.1f, eps = 1e-10f);
  std::cout << p << "\n" << s << "\n";      // only (0,2) (1,0) (1,2) have moved
}
// [/step]

// Output:
// Tensor(
//   [
//     [  0.0000,   1.0000,   1.9027,   3.0000],
//     [  3.9015,   5.0000,   5.9010,   7.0000]
//   ]
// )
// Tensor(
//   [
//     [  0.5000,   0.5000,   9.5000,   0.5000],
//     [ 16.5000,   0.5000,  25.5000,   0.5000]
//   ]
// )
