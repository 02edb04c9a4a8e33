// SPDX-License-Identifier: MIT
#define FRISKET_HAND_LOOPS loops_plain
#include "loops_of.hpp"
