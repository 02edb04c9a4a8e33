// says: frisket: everywhere(...) takes an update of an InOut symbol
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(everywhere(lr * grad), param -= grad);
