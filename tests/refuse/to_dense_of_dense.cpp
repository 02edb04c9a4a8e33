// says: frisket: to_dense(x, fill) of a dense x: there is nothing to fill, write x
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = to_dense(param, 0);
