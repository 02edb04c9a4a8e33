// SPDX-License-Identifier: MIT
// What masks do when they meet, and what gradients make of them.
#include <frisket/frisket.hpp>
#include <iostream>
#include <limits>
#include <string>
using namespace frisket;

int main() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Tensor<float> data({4}, {1, 2, 3, 4});
    auto a = masked(data, Tensor<bool>({4}, {true, true, false, false}));
    auto b = masked(data, Tensor<bool>({4}, {false, true, true, false}));

    // 1. Masks that meet must be equal: nothing is dropped or filled in silently.
    try {
        eval(a + b);
    } catch (const MaskMismatch& error) {
        const std::string text = error.what();
        const std::size_t from = text.find("specify");
        std::cout << text.substr(from, text.find(':', from) - from) << "\n\n";
    }

    // 2. What is meant is said: the common elements, those of either, or a fill.
    std::cout << eval(intersect(a + b)) << "\n" << eval(unite(a + b)) << "\n";
    std::cout << eval(to_dense(a, 0) + b) << "\n";

    // 3. A specified 0 / 0 is NaN; an unspecified one is nothing.
    Tensor<float> zeros({4}, {0, 0, 0, 0});
    std::cout << eval(a * 0 / zeros) << "\n";

    // 4. where(c, x, y) is specified where the branch that is taken is.
    std::cout << eval(where(data > 1, b, a)) << "\n";

    // 5. Gradients reach what is specified; a NaN elsewhere cannot poison them.
    Tensor<float> x({4}, {-2, -1, 0, 5});
    auto some = eval(masked(x, x < 0));
    std::cout << eval(gradient(exp(some), some)) << "\n";
    Tensor<float> measured({4}, {nan, 1, 4, nan});
    auto loss = mean(masked(measured, !is_nan(measured)));
    std::cout << eval(loss) << "\n" << eval(gradient(loss, measured));
}

// Output:
// specify different elements (2 and 2), first at [0], which only operand 1 of add specifies
//
// MaskedTensor(
//   [      --,   4.0000,       --,       --]
// )
// MaskedTensor(
//   [  1.0000,   4.0000,   3.0000,       --]
// )
// MaskedTensor(
//   [      --,   4.0000,   3.0000,       --]
// )
// MaskedTensor(
//   [     nan,      nan,       --,       --]
// )
// MaskedTensor(
//   [  1.0000,   2.0000,   3.0000,       --]
// )
// MaskedTensor(
//   [  0.1353,   0.3679,       --,       --]
// )
// MaskedTensor(  2.5000, True)
// MaskedTensor(
//   [      --,   0.5000,   0.5000,       --]
// )
