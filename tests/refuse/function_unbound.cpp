// says: frisket: the call leaves a name of the step without a value: add name = value
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

constexpr auto squares = function<"squares">(sum(grad * grad) + param);
void wrong(const MaskedTensor<float>& g) { auto value = jit(squares)(grad = g); }
