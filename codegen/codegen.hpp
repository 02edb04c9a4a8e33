// SPDX-License-Identifier: MIT
#pragma once
#include "../dsl/dsl.hpp"
#include "../dsl/gradcheck.hpp"
#include "../dsl/interpret.hpp"
#include "../runtime/runtime.hpp"
#include "eval.hpp"
#include "jit.hpp"
#include "targets.hpp"
