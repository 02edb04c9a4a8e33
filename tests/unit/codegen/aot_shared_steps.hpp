// SPDX-License-Identifier: MIT
#pragma once
/// Steps and functions of several headers, in one shared library.
#include "aot_planned_steps.hpp"
#include "aot_steps.hpp"
#include "functions.hpp"
