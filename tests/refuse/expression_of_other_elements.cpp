// says: frisket: an Expression<T> has elements of T, and these are others: write cast<T>(x), or declare it so
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { Expression<double> wrong = p * p; }
