// SPDX-License-Identifier: MIT
// Includes the definitions and derivatives of all operations in the table.
#pragma once
/// Meanings and derivatives of all rows of the table of operations.
#include "arithmetic.hpp"
#include "bits.hpp"
#include "comparison.hpp"
#include "exponential.hpp"
#include "rounding.hpp"
#include "special.hpp"
#include "trigonometric.hpp"
