// SPDX-License-Identifier: MIT
// Makes kernels, steps and functions from the tables of a kernel library.
#pragma once
#include "aot_tables.hpp"
#include "compiled_kernel.hpp"

#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace frisket {
struct Graph;
namespace planning {
class ShapedFunction;
class ShapedStep;
}  // namespace planning
}  // namespace frisket

/// Kernels, steps and functions from the tables of a kernel library.  No Halide here: loops, and the few
/// functions of Halide's runtime that calls need, come as pointers: a program without kernels links without
/// either.
namespace frisket::aot {

/// The kernel of a table.  Its target is chosen at its first call: the first that this processor can run, or
/// the one that $FRISKET_TARGET names, if it names one of the table.
/// FRISKET_SHOW=schedule prints that target and its tuned loops.
/// Errors: none here.  Calls throw TargetError if no target fits, LayoutError for layouts that were not
/// compiled.
/// Threads: loops run on Halide's threads, $FRISKET_NUM_THREADS of them if that is set.
CompiledKernel make_kernel(const KernelTable& table);
/// The step of a table.  Its target is chosen at its first call, as make_kernel's is.
/// Errors: none here; calls throw TargetError if no target fits, LayoutError for shapes and layouts that were
/// not compiled.
std::shared_ptr<planning::ShapedStep> make_step(const PlannedTable& table);
/// The function of a table; as make_step.
std::shared_ptr<planning::ShapedFunction> make_function(const PlannedTable& table);

/// Makes the kernels of elementwise steps for tensors of a device.
struct DeviceKernels {
    /// Errors: TargetError if the device is none of the table's targets.
    std::shared_ptr<kernel_calls::KernelModule> (*make)(const KernelTable& table, const Device& device);
};

/// Makes the graphs of recorded steps and functions.
struct RecordedSteps {
    /// Errors: ShapeError if no recording is for these shapes; the step's errors.
    Graph (*graph)(const char* name, Rows<const char*> recordings, std::span<const Shape> shapes);
};

/// A step with operations on whole tensors, as C functions call it.
struct PlannedCall {
    Signature signature;
    std::function<void(std::span<const Shape>)> check_shapes;  ///< before lists of indices are read
    std::function<void(std::span<const Argument>)> call;
};

/// A result of a function for given shapes.
struct ResultForm {
    DType dtype = DType::float32;
    Shape shape{};
    bool is_masked = false;
};
/// A result of a function.
using Value = std::variant<AnyTensor, AnyMasked>;
/// A function as C functions call it.
struct PlannedValues {
    Signature signature;
    std::function<std::vector<ResultForm>(std::span<const Shape>)> forms;  ///< for the shapes of arguments
    std::function<std::vector<Value>(std::span<const Argument>, std::span<const ResultForm>)> call;
};

/// Calls a function; returns 0, or the code of its error, whose text is stored.
int report_errors(const std::function<void()>& function) noexcept;

}  // namespace frisket::aot
