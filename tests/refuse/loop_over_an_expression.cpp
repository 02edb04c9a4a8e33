// says: frisket: a loop goes over a vector: write for (float v : eval(x).to_vector())
// SPDX-License-Identifier: MIT
#include "given.hpp"

float wrong(const Tensor<float>& p) {
    float sum = 0;
    for (auto v : p + 1) sum += static_cast<float>(v);
    return sum;
}
