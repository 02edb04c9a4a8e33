// SPDX-License-Identifier: MIT
#define FRISKET_HAND_LOOPS loops_avx512
#include "loops_of.hpp"
