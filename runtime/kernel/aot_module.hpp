// SPDX-License-Identifier: MIT
#pragma once
#include "c_api.h"
#include "compiled_kernel.hpp"
#include "workload_class.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace frisket {
struct Graph;
struct TargetName;
namespace codegen {
class LoopProvider;
}
namespace plan {
class ShapedFunction;
class ShapedStep;
}  // namespace plan
}  // namespace frisket

struct halide_device_interface_t;

/// Functions that the C functions made by frisket_add_kernels call.
namespace frisket::aot {

/// One argument of a C function, as it came.
struct CArgument {
    /// A tensor.
    CArgument(const frisket_tensor* given) : kind(Kind::tensor), tensor(given) {}
    /// A masked tensor.
    CArgument(const frisket_masked* given) : kind(Kind::masked), masked(given) {}
    /// A number.
    CArgument(double given) : kind(Kind::real), real(given) {}
    /// A whole number.
    CArgument(std::int64_t given) : kind(Kind::integer), integer(given) {}
    /// A number that the step updates.
    CArgument(double* given) : kind(Kind::state), state(given) {}

    /// Kinds of argument.
    enum class Kind : std::uint8_t { tensor, masked, real, integer, state } kind;
    union {
        const frisket_tensor* tensor;
        const frisket_masked* masked;
        double real;
        std::int64_t integer;
        double* state;
    };
};

/// Calls a kernel with arguments in the signature's order.  Gives 0, or the code of an error whose text is
/// then last_error_text().  `kernel` is called first, so that what it throws is reported too.
int call_from_c(const CompiledKernel& (*kernel)(), std::initializer_list<CArgument> arguments) noexcept;

/// A step with operations on whole tensors, as C functions call it.
struct PlannedCall {
    Signature signature;
    std::function<void(std::span<const Shape>)> check_shapes;  ///< before lists of indices are read
    std::function<void(std::span<const Argument>)> call;
};
/// Calls such a step.
int call_from_c(const PlannedCall& (*call)(), std::initializer_list<CArgument> arguments) noexcept;
/// The call of a step.
PlannedCall planned_call(Signature signature, std::shared_ptr<plan::ShapedStep> step);

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
/// Calls a function; writes its results to memory of the caller's, or says how much they take.
int call_from_c(const PlannedValues& (*call)(), std::initializer_list<CArgument> arguments,
                std::span<frisket_result* const> results) noexcept;
/// The call of a function.
PlannedValues planned_values(Signature signature, std::shared_ptr<plan::ShapedFunction> function);

/// A struct of arguments as a caller gave it, by the header that it was compiled with.
struct CStruct {
    const void* data;
    std::size_t size;
    int abi_version;
};
/// Copies the struct to `own`, the library's, all zeros, of `size` bytes.  Gives 0, or the code of an error.
int take_struct(std::string_view step, const CStruct& given, void* own, std::size_t size) noexcept;
/// Takes memory of a device, at an address that the processor does not read.  Gives 0, or an error's code.
int device_malloc(const char* device, std::size_t bytes, void** memory) noexcept;
/// Gives back memory that device_malloc() gave; null: nothing.  Gives 0, or an error's code.
int device_free(void* memory) noexcept;
/// Copies bytes, where either side is on a device or not; done when it returns.  Gives 0, or an error's code.
int device_copy(void* to, const void* from, std::size_t bytes) noexcept;
/// Waits for all that was begun on a device.  Gives 0, or an error's code.
int device_synchronize(const char* device) noexcept;
/// The text of this thread's last error, or "".
const char* last_error_text() noexcept;
/// Calls a function; gives 0, or the code of its error, whose text is kept.
int report_errors(const std::function<void()>& function) noexcept;

}  // namespace frisket::aot

/// Interface between the code made by frisket_add_kernels and the runtime.  No Halide here: loops, and the
/// few functions of Halide's runtime that calls need, come as pointers: a program without kernels links
/// without either.
namespace frisket::aot {

/// A loop nest as it lies in an object file: takes pointers to its arguments, gives 0 or Halide's error code.
using LoopFunction = int (*)(void** argv);

/// A loop and the strategy that it follows.
struct Loop {
    std::string_view strategy;
    LoopFunction run = nullptr;
};

/// A loop for calls like those of a class, for which tuning found its schedule to be the fastest.
struct TunedLoop {
    WorkloadClass call;
    std::string_view schedule;
    Loop loop = {};  ///< without a function: the default is the fastest
};

/// The loops of a step for one instruction set.
struct TargetLoops {
    std::string_view name;                ///< as given to frisket_add_kernels
    std::vector<std::uint64_t> features;  ///< bits of Halide's target features that the processor must have
    std::vector<Loop> loops;
    std::vector<TunedLoop> tuned = {};  ///< called instead of those of `loops`, for calls near their classes
};

/// Functions of Halide's runtime, linked into the kernel library.
struct HalideFunctions {
    /// Handler of messages of loops.
    using ErrorHandler = void (*)(void* context, const char* message);
    /// A task of a parallel loop.
    using Task = int (*)(void* context, int index, std::uint8_t* closure);

    ErrorHandler (*set_error_handler)(ErrorHandler handler);
    int (*set_num_threads)(int threads);
    int (*do_par_for)(void* context, Task task, int first, int count, std::uint8_t* closure);
    int (*can_use_target_features)(int count, const std::uint64_t* features);
};

/// A kernel that makes lists on a device, for elements of a dtype.
struct LinkedDeviceKernel {
    std::string_view name;
    DType dtype = DType::boolean;
    int (*run)(const void** argv) = nullptr;
};
/// A device, by the functions of Halide's runtime that are linked for it.
struct LinkedDevice {
    std::string_view name;    ///< name of its target
    std::string_view driver;  ///< file of the library that drives it
    const halide_device_interface_t* (*functions)() = nullptr;
    std::span<const LinkedDeviceKernel> kernels;
};
/// Has device() open these devices, which live as long as the process; a compiler just in time, where the
/// program has one, opens its own.  Gives true.
bool add_devices(std::span<const LinkedDevice> devices);

/// A step compiled ahead of time.
struct KernelTable {
    Signature signature;
    std::vector<std::vector<Layout>> layouts;  ///< compiled combinations, of the Masked parameters in order
    std::vector<DType> number_dtypes;          ///< dtypes of the host numbers that every loop takes
    std::size_t number_count = 0;              ///< doubles that `evaluate` writes
    void (*evaluate)(std::span<const Argument> arguments, double* numbers) noexcept = nullptr;
    void (*store_states)(std::span<const Argument> arguments, const double* numbers) noexcept = nullptr;
    std::vector<TargetLoops> targets;  ///< targets of processors, best first
    HalideFunctions halide{};
    /// The kernel for tensors of a device; errors: TargetError.  Null: there is none for devices.
    std::shared_ptr<kernel::KernelModule> (*on_device)(const Device& device) = nullptr;
};

/// Identifies loops by a hash of what they were made from.
using LoopKey = std::array<std::uint64_t, 2>;

/// A loop nest of a plan.
struct PlannedLoop {
    LoopKey key;
    int (*run)(const void** argv) = nullptr;  ///< takes pointers to its arguments, gives Halide's error code
    std::span<const std::int64_t> notes;      ///< facts about the loops that calls must know
    int kernels = 0;                          ///< number of those that a call starts on a device
};

/// The schedule that tuning found for a body of plans, or for calls of a class of an elementwise step.
struct PlannedTuning {
    LoopKey text;               ///< hash of the text by which tuning results are found
    WorkloadClass call = {};    ///< calls of an elementwise step
    std::string_view schedule;  ///< empty: the default is the fastest
};

/// The loops of a step's or a function's plans for one instruction set, or for a device.
struct PlannedTarget {
    std::string_view name;                ///< as given to frisket_add_kernels
    std::vector<std::uint64_t> features;  ///< as of TargetLoops
    int lanes = 0;                        ///< float32 in a vector
    std::vector<PlannedLoop> loops;       ///< in ascending order of their keys
    std::vector<PlannedTuning> tuned = {};
    const LinkedDevice* device = nullptr;  ///< null: the processor
};

/// A step with operations on whole tensors, or a function: it is planned for the shapes and layouts of each
/// call.
struct PlannedGraph {
    std::string_view name;
    std::function<Graph(std::span<const Shape>)> describe;
    std::vector<PlannedTarget> targets;  ///< targets of processors, best first, then devices
};

/// The kernel of an elementwise step by loops of a device.
/// Errors: TargetError if the device is none of the targets'.
std::shared_ptr<kernel::KernelModule>
make_device_kernel(const Graph& step, const std::vector<PlannedTarget>& targets, const Device& device);

/// The step of a table.  Its target is chosen at its first call, as make_kernel's is.  Bodies of plans for
/// which no loops were compiled are interpreted.
/// Errors: none here; calls throw TargetError if no target fits.
std::shared_ptr<plan::ShapedStep> make_step(PlannedGraph step);
/// The function of a table, with parameters of these names; as make_step.
std::shared_ptr<plan::ShapedFunction> make_function(PlannedGraph function,
                                                    std::vector<std::string_view> parameters);

/// Loops of all these tables, whose targets are the same, for optimizers: never destroyed.
/// Errors: TargetError if no target fits this processor.
const codegen::LoopProvider& make_provider(std::string_view name,
                                           std::initializer_list<std::vector<PlannedTarget>> tables);
/// Errors: TargetError if a target was asked for: that of kernels ahead of time is chosen by the processor.
void check_not_chosen(std::string_view name, const TargetName& target);

/// The kernel of a table.  Its target is chosen at its first call: the first that this processor can run, or
/// the one that $FRISKET_TARGET names, if it names one of the table.
/// FRISKET_SHOW=schedule prints that target and its tuned loops.
/// Errors: none here.  Calls throw TargetError if no target fits, LayoutError for layouts that were not
/// compiled.
/// Threads: loops run on Halide's threads, $FRISKET_NUM_THREADS of them if that is set.
CompiledKernel make_kernel(KernelTable table);

}  // namespace frisket::aot
