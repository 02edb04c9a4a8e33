// says: frisket: arithmetic of true and false: write where(condition, x, y), or && and ||
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = (grad > 0) - (grad < 1);
