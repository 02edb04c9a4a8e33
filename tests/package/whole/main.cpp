// SPDX-License-Identifier: MIT
// A program that compiles a step: it ends with 0 if the step has the right value.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

int main() {
    using namespace frisket;
    const auto p = full<float>({2, 4}, 1);
    optim::Optimizer sgd(optim::SGD{.lr = 0.5}, {{"p", p}});
    sgd.step({MaskedTensor<float>::coo({2, 4}, {{0, 1}, {2, 0}}, {3, 4})});
    return same(p, Tensor<float>({2, 4}, {1, 1, -0.5f, 1, -1, 1, 1, 1})) ? 0 : 1;
}
