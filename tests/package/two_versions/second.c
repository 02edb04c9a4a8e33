/* SPDX-License-Identifier: MIT */
#include <second_kernels.h>

#define LIBRARY second_kernels
#include "call.h"
