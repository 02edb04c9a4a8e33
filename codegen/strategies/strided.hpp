// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "strategies.hpp"

/// Parts of the loops over four dimensions of any strides.
namespace frisket::codegen {

/// The indices of the four dimensions, innermost first.
const std::vector<Halide::Var>& strided_dimensions();

/// The place of such loops, with the row-major position where they take it.
KernelBuilder::IndexTuple strided_place(const KernelBuilder& body);

/// A thread of a device for each element, whose arrays have any strides.
void schedule_strided_threads(KernelBuilder& body, int threads);

}  // namespace frisket::codegen
