// SPDX-License-Identifier: MIT
// A step that was compiled ahead of time, called from C++.  client.c calls the same from C.
#include <frisket/runtime.hpp>
#include <my_kernels.hpp>
#include <iostream>

using namespace frisket;

namespace {

void step_with(const MaskedTensor<float>& gradient) {
    Tensor<float> p = arange<float>(8).reshape({2, 4});
    Tensor<float> s = full<float>({2, 4}, 0.5f);
    my_kernels::adagrad(param = p, state_sum = s, grad = gradient, lr = 0.1f, eps = 1e-10f);
    std::cout << name_of(gradient.layout()) << "\n" << s << "\n" << p << "\n";
}

}  // namespace

int main() {
    const auto list = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    step_with(list);
    step_with(list.to(Layout::strided));
    step_with(MaskedTensor<float>::rows({2, 4}, {1}, {4, 0, 5, 0}));  // whole rows, zeros too

    try {
        step_with(list.to(Layout::bitmask));
    } catch (const Error& error) {
        std::cout << "bitmask: error " << name_of(error.code()) << "\n";
        std::cerr << error.what() << "\n";  // names the layouts that were compiled
    }
}

// Output:
// coo
// Tensor(
//   [
//     [  0.5000,   0.5000,   9.5000,   0.5000],
//     [ 16.5000,   0.5000,  25.5000,   0.5000]
//   ]
// )
// Tensor(
//   [
//     [  0.0000,   1.0000,   1.9027,   3.0000],
//     [  3.9015,   5.0000,   5.9010,   7.0000]
//   ]
// )
// strided
// Tensor(
//   [
//     [  0.5000,   0.5000,   9.5000,   0.5000],
//     [ 16.5000,   0.5000,  25.5000,   0.5000]
//   ]
// )
// Tensor(
//   [
//     [  0.0000,   1.0000,   1.9027,   3.0000],
//     [  3.9015,   5.0000,   5.9010,   7.0000]
//   ]
// )
// rows
// Tensor(
//   [
//     [  0.5000,   0.5000,   0.5000,   0.5000],
//     [ 16.5000,   0.5000,  25.5000,   0.5000]
//   ]
// )
// Tensor(
//   [
//     [  0.0000,   1.0000,   2.0000,   3.0000],
//     [  3.9015,   5.0000,   5.9010,   7.0000]
//   ]
// )
// bitmask: error layout
