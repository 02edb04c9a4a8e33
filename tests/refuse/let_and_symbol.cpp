// says: frisket: one name stands for two symbols, which differ in kind or type: give one another name
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(Let<"grad">{} = grad, param -= grad);
