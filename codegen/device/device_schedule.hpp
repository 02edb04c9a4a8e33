// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <memory>
#include <vector>

namespace frisket::codegen {

inline constexpr int block_threads = 128;
/// Name of Funcs whose first dimension is the lanes of a row, which become one value.
inline constexpr const char* lanes_name = "lanes";

/// Gives every Func of the outputs a schedule for a device, instead of its present schedule: a Func that had
/// memory has it whole, a thread for each element, which adds the terms of a sum one after the other; or it
/// is computed where its only reader is.  Lanes of a row are a block of threads.  Each loop nest that is left
/// is a kernel; one that has no loops but those over terms is one thread.
/// Shape: Funcs are not wrapped and not specialized.
void schedule_for_device(const std::vector<Halide::Func>& outputs);

/// Has the kernels of a pipeline counted whenever it is lowered, and those over nothing left out, which no
/// driver takes.  Its result points to 0 before that.
std::shared_ptr<const int> count_kernels(Halide::Pipeline& pipeline);

/// Leaves out the tests of buffers, which calls have passed: they test the largest range that loops may read,
/// where a loop without terms reads nothing.
void leave_out_tests(Halide::Pipeline& pipeline);

}  // namespace frisket::codegen
