// SPDX-License-Identifier: MIT
#pragma once
#include "../dsl/dsl.hpp"
#include "../dsl/tensor_ops/gradients.hpp"
#include "../ir/interpreter/interpret.hpp"
#include "../runtime/runtime.hpp"
#include "eval.hpp"
#include "explain.hpp"
#include "jit/jit.hpp"
#include "strategies/schedule.hpp"
