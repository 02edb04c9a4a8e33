// says: frisket: an Expression is dense, and this is masked: write MaskedExpression, or to_dense(x, fill)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& m) { Expression<float> wrong = m * m; }
