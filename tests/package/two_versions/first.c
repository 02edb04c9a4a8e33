/* SPDX-License-Identifier: MIT */
#include <first_kernels.h>

#define LIBRARY first_kernels
#include "call.h"
