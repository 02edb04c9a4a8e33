// SPDX-License-Identifier: MIT
#pragma once
#include "codegen.hpp"
