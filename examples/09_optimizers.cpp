// SPDX-License-Identifier: MIT
// Optimizers: rules that are steps of a few lines, kept by a class with their state.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>
#include <iostream>
using namespace frisket;

int main() {
    // Two parameters; the gradient of the first is specified in the rows that were looked up.
    Tensor<float> table = full<float>({4, 2}, 1), bias = full<float>({2}, 0.5f);
    optim::Optimizer adam(optim::Adam{.lr = 0.1, .weight_decay = 0.01}, {{"table", table}, {"bias", bias}});
    for (int step = 0; step < 3; ++step) {
        auto looked_up =
            MaskedTensor<float>::rows({4, 2}, {3, 1, 3}, {1, 2, 0, 4, 1, 1});  // row 3 twice: summed
        auto all = full<float>({2}, 1);
        adam.options<optim::Adam>().lr = optim::cosine(step, 10, 0.1);
        adam.step({looked_up, all}, {.clip_norm = 4});
    }
    std::cout << "rows 0 and 2 have no gradient, and did not move:\n" << table << "\n" << bias << "\n";
    for (const auto& [parameter, name, value] : adam.state())
        std::cout << parameter << "." << name << " " << to_string(value.shape()) << "\n";

    // Unspecified elements count as zeros here: decay moves every row.
    Tensor<float> other = full<float>({4, 2}, 1);
    optim::Optimizer dense({.untouched = optim::Untouched::dense_equivalent},
                           optim::AdamW{.lr = 0.1, .weight_decay = 0.5}, {{"table", other}});
    dense.step({MaskedTensor<float>::rows({4, 2}, {3}, {1, 2})});
    std::cout << "\ndense equivalent:\n" << other << "\n";

    // A rule is a step: it can be called by itself, and compiled ahead of time.
    Tensor<float> p = full<float>({3}, 1), sum = zeros<float>({3});
    auto g = MaskedTensor<float>::coo({3}, {{1}}, {2});
    jit(optim::adagrad)(optim::Param<float>{} = p, optim::State<"sum", float>{} = sum,
                        optim::Grad<float>{} = g, optim::lr = 0.5, optim::weight_decay = 0,
                        optim::eps = 1e-10, optim::t = 1, Scalar<"lr_decay">{} = 0);
    std::cout << "\nby itself:\n" << p;
}

// Output:
// rows 0 and 2 have no gradient, and did not move:
// Tensor(
//   [
//     [  1.0000,   1.0000],
//     [  0.7134,   0.7120],
//     [  1.0000,   1.0000],
//     [  0.7120,   0.7120]
//   ]
// )
// Tensor(
//   [  0.2120,   0.2120]
// )
// table.step []
// table.exp_avg [4, 2]
// table.exp_avg_sq [4, 2]
// bias.step []
// bias.exp_avg [2]
// bias.exp_avg_sq [2]
//
// dense equivalent:
// Tensor(
//   [
//     [  0.9500,   0.9500],
//     [  0.9500,   0.9500],
//     [  0.9500,   0.9500],
//     [  0.8500,   0.8500]
//   ]
// )
//
// by itself:
// Tensor(
//   [  1.0000,   0.5000,   1.0000]
// )
