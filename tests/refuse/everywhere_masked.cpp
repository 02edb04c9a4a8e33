// says: frisket: everywhere(...) writes all elements, and this value is masked: write to_dense(x, fill)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(everywhere(param -= lr * grad));
