// SPDX-License-Identifier: MIT
// An optimizer whose loops were compiled ahead of time: it trains without a compiler and without libHalide.
#include <iostream>

#include <my_trainer.hpp>

using namespace frisket;

int main() {
    // Ratings of 4 users for 3 items, of which some are known.
    const auto known = MaskedTensor<float>::coo({4, 3}, {{0, 0, 1, 2, 3, 3}, {0, 2, 1, 0, 1, 2}},
                                                {5, 1, 4, 4, 2, 5});
    const MaskedTensor<float> given = known.to(Layout::csr);
    const Tensor<float> u = full<float>({4, 2}, 0.5F), v = arange<float>(6).reshape({3, 2});

    // [train]
    optim::Optimizer optimizer({.kernels = my_trainer::kernels}, optim::Adagrad{.lr = 0.5},
                               {{"users", u}, {"items", v}});
    // The loops of the loss and its gradients are those of the function of the same loss.
    const double first = optimizer.minimize(misfit, ratings = given).loss;
    // [/train]
    for (int step = 0; step < 200; ++step) optimizer.minimize(misfit, ratings = given);
    const double last = optimizer.minimize(misfit, ratings = given).loss;
    const char* const where = last < 1e-3 ? "below" : "above";
    std::cout << "misfit " << first << ", after 200 steps " << where << " 0.001\n";
}

// Output:
// misfit 47.5, after 200 steps below 0.001
