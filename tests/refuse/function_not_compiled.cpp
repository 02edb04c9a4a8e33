// says: frisket: a function is compiled before it is called: write jit(function)(name = tensor, ...)
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

constexpr auto squares = function<"squares">(sum(grad * grad));
void wrong(const MaskedTensor<float>& g) { squares(grad = g); }
