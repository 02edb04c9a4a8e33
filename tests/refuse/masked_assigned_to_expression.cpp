// says: frisket: an Expression is dense, and this is masked: write MaskedExpression, or to_dense(x, fill)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p, const MaskedTensor<float>& m) {
    Expression<float> e = p;
    e = e * m;
}
