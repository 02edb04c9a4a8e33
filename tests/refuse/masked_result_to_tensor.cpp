// says: frisket: a masked value is no Tensor: write eval(to_dense(x, fill))
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { Tensor<float> wrong = eval(sum(g * g, {1})); }
