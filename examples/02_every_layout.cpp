// SPDX-License-Identifier: MIT
// How a gradient is stored changes the loop, never the result: one step with its gradient in each layout.
#include <frisket/frisket.hpp>

#include <cstdio>
#include <iostream>

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;

constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

struct Result {
    Tensor<float> param = arange<float>(8).reshape({2, 4});
    Tensor<float> state_sum = full<float>({2, 4}, 0.5f);
};

Result run(const MaskedTensor<float>& gradient, int steps) {
    const auto kernel = jit(adagrad);
    Result result;
    for (int i = 0; i < steps; ++i)
        kernel(param = result.param, state_sum = result.state_sum, grad = gradient, lr = 0.1f, eps = 1e-10f);
    return result;
}

struct Stored {
    const char* layout;
    MaskedTensor<float> gradient;
};

/// Two steps with the first gradient, printed; then whether every other way to store it gives the same bytes.
void compare(const char* title, const std::vector<Stored>& all) {
    std::cout << title << "\n" << all[0].gradient << "\n";
    for (int steps : {1, 2}) {
        const Result wanted = run(all[0].gradient, steps);
        std::cout << "after step " << steps << ": param " << wanted.param << "\nstate_sum "
                  << wanted.state_sum << "\n";
        for (const Stored& other : all) {
            const Result result = run(other.gradient, steps);
            const bool equal = same(result.param, wanted.param) && same(result.state_sum, wanted.state_sum);
            std::printf("  %-24s %s\n", other.layout, equal ? "the same bytes" : "OTHER BYTES");
        }
    }
    std::cout << "\n";
}

}  // namespace

int main() {
    const auto coo = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    const auto duplicates = MaskedTensor<float>::coo({2, 4}, {{1, 1, 0, 1}, {2, 0, 2, 2}}, {2, 4, 3, 3});
    compare("three elements", {{"coo", coo},
                               {"coo, with duplicates", duplicates},
                               {"strided", coo.to(Layout::strided)},
                               {"bitmask", coo.to(Layout::bitmask)}});

    const auto row = MaskedTensor<float>::rows({2, 4}, {1}, {1, -2, 3, -4});
    compare("a whole row", {{"rows", row},
                            {"rows, with duplicates",
                             MaskedTensor<float>::rows({2, 4}, {1, 1}, {0.5, -1, 1, -2, 0.5, -1, 2, -2})},
                            {"coo", row.to(Layout::coo)},
                            {"strided", row.to(Layout::strided)},
                            {"bitmask", row.to(Layout::bitmask)}});

    const auto dense = MaskedTensor<float>::dense(full<float>({2, 4}, 2.0f));
    compare("every element", {{"dense", dense},
                              {"strided", dense.to(Layout::strided)},
                              {"bitmask", dense.to(Layout::bitmask)},
                              {"coo", dense.to(Layout::coo)},
                              {"rows", dense.to(Layout::rows)}});
}

// Output:
// three elements
// MaskedTensor(
//   [
//     [      --,       --,   3.0000,       --],
//     [  4.0000,       --,   5.0000,       --]
//   ]
// )
// after step 1: param Tensor(
//   [
//     [  0.0000,   1.0000,   1.9027,   3.0000],
//     [  3.9015,   5.0000,   5.9010,   7.0000]
//   ]
// )
// state_sum Tensor(
//   [
//     [  0.5000,   0.5000,   9.5000,   0.5000],
//     [ 16.5000,   0.5000,  25.5000,   0.5000]
//   ]
// )
//   coo                      the same bytes
//   coo, with duplicates     the same bytes
//   strided                  the same bytes
//   bitmask                  the same bytes
// after step 2: param Tensor(
//   [
//     [  0.0000,   1.0000,   1.8329,   3.0000],
//     [  3.8314,   5.0000,   5.8306,   7.0000]
//   ]
// )
// state_sum Tensor(
//   [
//     [  0.5000,   0.5000,  18.5000,   0.5000],
//     [ 32.5000,   0.5000,  50.5000,   0.5000]
//   ]
// )
//   coo                      the same bytes
//   coo, with duplicates     the same bytes
//   strided                  the same bytes
//   bitmask                  the same bytes
//
// a whole row
// MaskedTensor(
//   [
//     [      --,       --,       --,       --],
//     [  1.0000,  -2.0000,   3.0000,  -4.0000]
//   ]
// )
// after step 1: param Tensor(
//   [
//     [  0.0000,   1.0000,   2.0000,   3.0000],
//     [  3.9184,   5.0943,   5.9027,   7.0985]
//   ]
// )
// state_sum Tensor(
//   [
//     [  0.5000,   0.5000,   0.5000,   0.5000],
//     [  1.5000,   4.5000,   9.5000,  16.5000]
//   ]
// )
//   rows                     the same bytes
//   rows, with duplicates    the same bytes
//   coo                      the same bytes
//   strided                  the same bytes
//   bitmask                  the same bytes
// after step 2: param Tensor(
//   [
//     [  0.0000,   1.0000,   2.0000,   3.0000],
//     [  3.8551,   5.1629,   5.8329,   7.1686]
//   ]
// )
// state_sum Tensor(
//   [
//     [  0.5000,   0.5000,   0.5000,   0.5000],
//     [  2.5000,   8.5000,  18.5000,  32.5000]
//   ]
// )
//   rows                     the same bytes
//   rows, with duplicates    the same bytes
//   coo                      the same bytes
//   strided                  the same bytes
//   bitmask                  the same bytes
//
// every element
// MaskedTensor(
//   [
//     [  2.0000,   2.0000,   2.0000,   2.0000],
//     [  2.0000,   2.0000,   2.0000,   2.0000]
//   ]
// )
// after step 1: param Tensor(
//   [
//     [ -0.0943,   0.9057,   1.9057,   2.9057],
//     [  3.9057,   4.9057,   5.9057,   6.9057]
//   ]
// )
// state_sum Tensor(
//   [
//     [  4.5000,   4.5000,   4.5000,   4.5000],
//     [  4.5000,   4.5000,   4.5000,   4.5000]
//   ]
// )
//   dense                    the same bytes
//   strided                  the same bytes
//   bitmask                  the same bytes
//   coo                      the same bytes
//   rows                     the same bytes
// after step 2: param Tensor(
//   [
//     [ -0.1629,   0.8371,   1.8371,   2.8371],
//     [  3.8371,   4.8371,   5.8371,   6.8371]
//   ]
// )
// state_sum Tensor(
//   [
//     [  8.5000,   8.5000,   8.5000,   8.5000],
//     [  8.5000,   8.5000,   8.5000,   8.5000]
//   ]
// )
//   dense                    the same bytes
//   strided                  the same bytes
//   bitmask                  the same bytes
//   coo                      the same bytes
//   rows                     the same bytes
//
