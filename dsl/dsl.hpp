// SPDX-License-Identifier: MIT
// Collects the headers of the language: symbols, expressions, steps and calls with named arguments.
#pragma once
/// The language of steps: symbols, expressions, `step`, `describe`, and kernels called with named arguments.
#include "../ir/passes/transforms.hpp"
#include "describe.hpp"
#include "function.hpp"
#include "held_expression.hpp"
#include "kernel.hpp"
#include "operators.hpp"
#include "step.hpp"
#include "symbols.hpp"
#include "tensor_ops/gradients.hpp"
#include "tensor_ops/indexing.hpp"
#include "tensor_ops/masks.hpp"
#include "tensor_ops/products.hpp"
#include "tensor_ops/reductions.hpp"
#include "tensor_ops/views.hpp"
