// says: frisket: a name is made of letters, digits and _, and does not start with a digit
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

constexpr auto wrong = function<"two words">(sum(grad * grad));
