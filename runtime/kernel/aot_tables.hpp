// SPDX-License-Identifier: MIT
// Defines the tables of which sources of frisket_add_kernels consist.
#pragma once
#include "c_api.h"

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

struct halide_device_interface_t;

namespace frisket {
class CompiledKernel;
struct TargetName;
namespace codegen {
class LoopProvider;
}
}  // namespace frisket

/// Sources that frisket_add_kernels makes are tables of these types, which hold plain data: such a source
/// includes this header only, and the compiler reads it in no time.  Names of dtypes, layouts, kinds of
/// symbols and operations are text.
namespace frisket::aot {

/// An array of constants that is stored elsewhere.
template <class T>
struct Rows {
    const T* first = nullptr;
    std::size_t count = 0;

    constexpr Rows() = default;
    /// The array of `size` rows from `rows` on.
    constexpr Rows(const T* rows, std::size_t size) : first(rows), count(size) {}
    /// A whole array.
    template <std::size_t size>
    constexpr Rows(const T (&rows)[size]) : Rows(rows, size) {}

    /// The first row.
    constexpr const T* begin() const noexcept { return first; }
    /// The end of the rows.
    constexpr const T* end() const noexcept { return first + count; }
    /// The first row.
    constexpr const T* data() const noexcept { return first; }
    /// Number of rows.
    constexpr std::size_t size() const noexcept { return count; }
    /// True if the table is empty.
    constexpr bool empty() const noexcept { return count == 0; }
    /// A row by its index.
    constexpr const T& operator[](std::size_t i) const noexcept { return first[i]; }
};

/// A Parameter.
struct ParameterRow {
    const char* name;
    const char* kind;
    const char* dtype;
};
/// An UpdateRule.
struct UpdateRow {
    int target;
    Rows<int> operands;
};
/// Two Masked parameters that must specify the same elements.
struct EqualMasksRow { int first, second; };
/// A Signature.
struct SignatureTable {
    const char* name;
    Rows<ParameterRow> parameters = {};
    Rows<UpdateRow> updates = {};
    Rows<EqualMasksRow> equal_masks = {};
    int domain = -1;
    Rows<int> outputs = {};
    bool has_shapes = false;
    bool needs_positions = false;
};

/// An instruction of a ScalarProgram: numbers[result] = the value that `kind` specifies.
struct NumberRow {
    /// Kinds of instruction.
    enum class Kind : std::uint8_t { constant, argument, op, convert } kind;
    int result;
    const char* dtype;               ///< dtype of the result; kind op: dtype of the operands
    int operands[3] = {-1, -1, -1};  ///< indices of numbers; kind argument: the argument's index
    const char* name = nullptr;      ///< kind op: the operation; kind convert: dtype of the operand
    std::uint64_t bits = 0;          ///< kind constant: the bits of the number as it is held
};
/// A ScalarState argument, and the number that is its new value.
struct StateRow { int argument, number; };
/// A ScalarProgram.
struct NumbersTable {
    Rows<const char*> dtypes = {};  ///< dtypes of the numbers that loops read, which come first
    Rows<NumberRow> instructions = {};
    Rows<StateRow> states = {};
    std::size_t size = 0;  ///< number of doubles
};

/// A loop nest in an object file: takes pointers to its arguments, returns 0 or Halide's error code.
using LoopFunction = int (*)(void** argv);

/// A loop, and the name of its strategy.
struct Loop {
    const char* strategy = nullptr;
    LoopFunction run = nullptr;
};
/// A WorkloadClass.
struct CallClassRow {
    const char* layout = "dense";
    int elements = 0, row_length = 0, density = 0, lines = 0;
};
/// A loop for calls of a class, for which tuning found its schedule to be the fastest.
struct TunedLoop {
    CallClassRow call;
    const char* schedule;
    Loop loop = {};  ///< without a function: the default is the fastest
};
/// The loops of an elementwise step for one instruction set.
struct TargetLoops {
    const char* name;              ///< as given to frisket_add_kernels
    Rows<std::uint64_t> features;  ///< bits of Halide's target features that the processor must have
    Rows<Loop> loops = {};
    Rows<TunedLoop> tuned = {};  ///< called instead of the loops in `loops`, for calls near their classes
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
    const char* name;
    const char* dtype;
    int (*run)(const void** argv) = nullptr;
};
/// A device, by the functions of Halide's runtime that are linked for it.
struct LinkedDevice {
    const char* name;    ///< name of its target
    const char* driver;  ///< file of the library that drives it
    const halide_device_interface_t* (*functions)() = nullptr;
    Rows<LinkedDeviceKernel> kernels;
};

/// Identifies loops by a hash of the inputs they were compiled from.
struct LoopKey {
    std::uint64_t high, low;
    friend constexpr auto operator<=>(const LoopKey&, const LoopKey&) = default;
};
/// A loop nest of a plan.
struct PlannedLoop {
    LoopKey key;
    int (*run)(const void** argv) =
        nullptr;                    ///< takes pointers to its arguments, returns Halide's error code
    Rows<std::int64_t> notes = {};  ///< facts about the loops that calls must know
    int kernels = 0;                ///< number of those that a call starts on a device
};
/// The schedule that tuning found for a body of plans, or for calls of a class of an elementwise step.
struct PlannedTuning {
    LoopKey text;          ///< hash of the text by which tuning results are found
    CallClassRow call;     ///< calls of an elementwise step
    const char* schedule;  ///< empty: the default is the fastest
};
/// The loops of a step's or a function's plans for one instruction set, or for a device.
struct PlannedTarget {
    const char* name;              ///< as given to frisket_add_kernels
    Rows<std::uint64_t> features;  ///< as of TargetLoops
    int lanes = 0;                 ///< float32 in a vector
    Rows<PlannedLoop> loops = {};  ///< in ascending order of their keys
    Rows<PlannedTuning> tuned = {};
    const LinkedDevice* device = nullptr;  ///< null: the processor
};

/// A step or a function of the user's header.  Its own source has it: other sources refer to it.
struct NamedStep;

/// Only libraries of recorded steps refer to it, so that other libraries need no table of operations.
struct RecordedSteps;
extern const RecordedSteps recorded_steps;

/// The description of a step or a function, from the user's header or recorded by a program.
struct Description {
    const NamedStep* step = nullptr;
    Rows<const char*> recordings = {};              ///< text, one for each form of shapes
    const RecordedSteps* recorded_steps = nullptr;  ///< &frisket::aot::recorded_steps, or null
};

/// Only libraries with loops for devices refer to it, so that other libraries need no planner.
struct DeviceKernels;
extern const DeviceKernels device_kernels;

/// An elementwise step compiled ahead of time.
struct KernelTable {
    SignatureTable signature;
    Rows<Rows<const char*>> layouts = {};  ///< compiled combinations, of the Masked parameters in order
    NumbersTable numbers = {};
    Rows<TargetLoops> targets = {};  ///< targets of processors, best first
    HalideFunctions halide = {};
    Description step = {};  ///< for devices; so are the two below
    Rows<PlannedTarget> devices = {};
    const DeviceKernels* device_kernels = nullptr;  ///< &frisket::aot::device_kernels, or null
};
/// A step with operations on whole tensors, or a function: it is planned for the shapes and layouts of each
/// call.
struct PlannedTable {
    SignatureTable signature;
    Description step;
    Rows<PlannedTarget> targets;  ///< targets of processors, best first, then devices
};

/// Loops of all these tables, whose targets are the same, for optimizers: made by the first call with this
/// `made`, never destroyed.
/// Errors: TargetError if no target fits this processor.
const codegen::LoopProvider& make_provider(std::atomic<const codegen::LoopProvider*>& made, const char* name,
                                           std::initializer_list<Rows<PlannedTarget>> tables);

/// Errors: TargetError if a target was asked for: the processor chooses the target of kernels ahead of time.
void check_not_chosen(const char* name, const TargetName& target);

/// Has device() open these devices, which live as long as the process; a compiler just in time, where the
/// program has one, opens its own.  Returns true.
bool add_devices(Rows<LinkedDevice> devices);

/// One argument of a C function, as it came.
struct CArgument {
    /// A tensor.
    CArgument(const frisket_tensor* given) : kind(Kind::tensor), tensor(given) {}
    /// A masked tensor.
    CArgument(const frisket_masked* given) : kind(Kind::masked), masked(given) {}
    /// A number.
    CArgument(double given) : kind(Kind::real), real(given) {}
    /// An integer.
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

struct PlannedCall;
struct PlannedValues;
/// The kernel that a C function calls: never destroyed.
/// Errors: none here; calls throw TargetError if no target fits.
const CompiledKernel& c_kernel(const KernelTable& table);
/// The step that a C function calls; as c_kernel.
const PlannedCall& c_step(const PlannedTable& table);
/// The function that a C function calls; as c_kernel.
const PlannedValues& c_function(const PlannedTable& table);

/// Callee of a C function: a static variable, filled by the first call.
template <class T>
struct Callee {
    const T& (*make)();
    std::atomic<const T*> made{nullptr};
};

/// Calls a kernel with arguments in the signature's order.
/// Returns 0, or the code of an error, whose text is then last_error_text().  Errors of making the kernel are
/// returned too.
int call_from_c(Callee<CompiledKernel>& callee, std::initializer_list<CArgument> arguments) noexcept;
/// Calls a step; as above.
int call_from_c(Callee<PlannedCall>& callee, std::initializer_list<CArgument> arguments) noexcept;
/// Calls a function; as above.  Writes its results to memory of the caller's, or their sizes.
int call_from_c(Callee<PlannedValues>& callee, std::initializer_list<CArgument> arguments,
                Rows<frisket_result*> results) noexcept;

/// A struct of arguments as a caller passed it, by the header that it was compiled with.
struct CStruct {
    const void* data;
    std::size_t size;
    int abi_version;
};
/// Copies the struct to `own`, the library's, all zeros, of `size` bytes.
/// Returns 0, or the code of an error.
int take_struct(const char* step, const CStruct& given, void* own, std::size_t size) noexcept;
/// Reads a DLTensor of the processor's.  Returns 0, or an error's code.
int from_dlpack(const void* dl_tensor, frisket_tensor* tensor) noexcept;
/// Allocates memory of a device, at an address that the processor does not read.
/// Returns 0, or an error's code.
int device_malloc(const char* device, std::size_t bytes, void** memory) noexcept;
/// Frees memory of device_malloc(); null: nothing.  Returns 0, or an error's code.
int device_free(void* memory) noexcept;
/// Copies bytes, where either side is on a device or not; done when it returns.
/// Returns 0, or an error's code.
int device_copy(void* to, const void* from, std::size_t bytes) noexcept;
/// Waits for all that was begun on a device.  Returns 0, or an error's code.
int device_synchronize(const char* device) noexcept;
/// The text of this thread's last error, or "".
const char* last_error_text() noexcept;

struct NamedOptimizer;
/// The steps, functions and optimizers of a user's header.
struct NamedParts {
    Rows<const NamedStep*> steps = {};
    Rows<NamedOptimizer> optimizers = {};
};

/// Compiles steps and optimizers.  Writes the sources and objects of a kernel library, in folder DIR:
///     include/NAME.hpp, include/NAME.h    for callers in C++ and C
///     NAME_library.cpp                    functions that it has one of
///     NAME_STEP.cpp                       tables of its signature, numbers and loops; the C function
///     NAME_STEP_0.o, NAME_STEP_1.o, …     the loops, for each target in the order given
///     NAME.map                            symbols that a shared library exports
///     NAME.pc                             for pkg-config, for an include/ and a lib/ in one folder
/// Arguments: --name NAME --header FILE --out DIR --layouts LAYOUT… --targets TARGET…
///     [--shapes FORM…] [--schedules FILE] [--shared VERSION] [--family TARGET]
/// --family: a target of the processors that the library is linked for; this processor's by default.
/// Returns the program's exit status: 0, or 1 after a sentence on stderr that names the step.
int compile(int argc, const char* const* argv, const NamedParts& parts) noexcept;

}  // namespace frisket::aot
