// says: frisket: a loop goes over a vector: write for (float v : x.to_vector()), or x.at({i})
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) {
    for (auto v : g) static_cast<void>(v);
}
