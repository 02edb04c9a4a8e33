// says: frisket: on(m, x) takes the mask of m, and m is dense: write what is masked first
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = on(lr, param);
