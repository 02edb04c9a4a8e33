// SPDX-License-Identifier: MIT
#pragma once
/// The language of steps: symbols, expressions, `step`, `describe`, and kernels called with named arguments.
#include "describe.hpp"
#include "host_number.hpp"
#include "kernel.hpp"
#include "operators.hpp"
#include "step.hpp"
#include "symbols.hpp"
#include "transforms.hpp"
#include "whole/gradients.hpp"
#include "whole/indexing.hpp"
#include "whole/masks.hpp"
#include "whole/products.hpp"
#include "whole/reductions.hpp"
#include "whole/views.hpp"
