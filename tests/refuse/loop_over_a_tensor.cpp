// says: frisket: a loop goes over a vector: write for (float v : x.to_vector()), or x.at({i})
// SPDX-License-Identifier: MIT
#include "given.hpp"

float wrong(const Tensor<float>& p) {
    float sum = 0;
    for (float& v : p) sum += v;
    return sum;
}
