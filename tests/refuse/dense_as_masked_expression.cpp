// says: frisket: a MaskedExpression is masked, and this is dense: write Expression, or masked(x, condition)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { MaskedExpression<float> wrong = p * p; }
