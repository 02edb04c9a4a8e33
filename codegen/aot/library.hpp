// SPDX-License-Identifier: MIT
// Defines kernel libraries as data, and the functions that compile and write them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../../runtime/device/device_kernels.hpp"
#include "../../runtime/kernel/aot_tables.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../tuning/records/tuned.hpp"
#include "wanted_loops.hpp"

/// A kernel library as plain data, and the parts of making one.
namespace frisket::aot {

/// A kernel of the table of device kernels, in the object of its device.
struct LibraryDeviceKernel {
    runtime::DeviceKernel kernel{};
    std::string name{};
    DType dtype{};
    std::string function{};
};

struct LibraryTarget {
    std::string name{};    ///< as given
    std::string halide{};  ///< Halide's target string, only the instruction set
    std::string driver{};  ///< of a device: the file of the library that drives it; empty: a processor
    int vector_bytes = 0;
    std::vector<std::uint64_t> features{};  ///< bits of Halide's features; a device's are not compared

    std::vector<LibraryDeviceKernel> kernels{};  ///< kernels of a device, once they are compiled

    bool is_device() const { return !driver.empty(); }
    int lanes() const { return vector_bytes / static_cast<int>(sizeof(float)); }
};

/// A loop nest of a plan, in the object file of its target.
struct LibraryLoop {
    LoopKey key{};
    std::string function{};
    std::vector<std::int64_t> notes{};
    int kernels = 0;  ///< number of those that a call starts on a device
};

/// Schedules that tuning found for a planned step on a target.
struct PlannedSchedules {
    struct Row {
        LoopKey text{};
        WorkloadClass call{};
        std::string schedule{};
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> rows{};
    WantedLoops loops{};  ///< loops of these schedules, added to the defaults' loops
};

struct LibraryStep {
    std::string cpp_name{};  ///< "::adagrad"
    std::string name{};      ///< its last part
    Graph graph{};           ///< for a planned step only the name
    Signature signature{};
    std::size_t result_count = 0;              ///< results of a function; 0: it is a step
    std::vector<std::string> recordings{};     ///< of a step that a program made at run time
    std::optional<WantedLoops> wanted{};       ///< loops of a step that is planned for the shapes of a call
    std::optional<WantedLoops> on_device{};    ///< loops of targets that are devices
    WantedLoops shared{}, shared_on_device{};  ///< of both, those that an earlier part of the library has
    std::vector<std::vector<LibraryLoop>> planned{};    ///< loops of each target, once they are compiled
    std::vector<PlannedSchedules> planned_schedules{};  ///< of each target
    ir::ScalarProgram numbers{};
    std::vector<std::vector<Layout>> layouts{};  ///< layouts of the Masked symbols, in order
    std::vector<Strategy> strategies{};          ///< strategies that calls with these layouts may need
    std::vector<std::vector<codegen::TunedCall>>
        tuned{};  ///< tuned calls for each target; schedules without a 0
};

struct Library {
    std::string name{};
    std::string header{};   ///< header of the steps, as the library's header includes it
    std::string version{};  ///< version of a shared library; empty: it is static
    std::vector<LibraryTarget> targets{};
    std::vector<LibraryStep> steps{};
    std::vector<LibraryStep> optimizers{};  ///< name, layouts and loops of each

    /// Steps and optimizers.
    std::vector<LibraryStep*> parts() {
        std::vector<LibraryStep*> all;
        for (LibraryStep& step : steps) all.push_back(&step);
        for (LibraryStep& optimizer : optimizers) all.push_back(&optimizer);
        return all;
    }
    bool has_devices() const { return std::ranges::any_of(targets, &LibraryTarget::is_device); }
};

/// Layouts, shapes and kinds of targets that steps are compiled for.
struct StepUse {
    std::span<const std::string> layouts;
    std::span<const std::string> shapes;
    bool has_devices = false;  ///< targets are devices, too
};

/// A library to make, in the words of frisket_add_kernels.
struct LibraryRequest {
    std::string name{};
    std::string header{};
    std::string version{};        ///< version of a shared library; empty: it is static
    std::string family = "host";  ///< a target of the processors that the library is linked for
    std::filesystem::path out{};  ///< folder of the files
    std::vector<std::string> layouts{}, targets{}, shapes{}, schedules{};
};
/// Compiles steps and optimizers into object files, and writes them with the library's sources: compile().
/// Returns sentences about schedules that were left out.
/// Errors: the steps' errors, with their names; TargetError, LayoutError, ShapeError for words that do not
/// fit; IoError.
std::vector<std::string> make_library(const LibraryRequest& request, const NamedParts& parts);

/// The graph of a step; `shapes`: for a step with operations on whole tensors, or a function.
/// Errors: the graph's.
Graph graph_of(const struct NamedStep& step, std::span<const Shape> shapes = {});

/// Targets by name: names in the table ("host" is "cpu"), or Halide's own target strings.
/// Errors: TargetError for unknown names, names given twice, targets of processors outside `family` (itself a
/// target), and devices without a processor.
std::vector<LibraryTarget> library_targets(std::span<const std::string> names, const std::string& family);

/// A step with its layouts: each word is a layout for every Masked symbol, or "grad=coo,mask=strided".
/// Errors: the graph's; LayoutError for words that do not fit the step.
LibraryStep library_step(std::string cpp_name, Graph graph, const StepUse& use);

/// A step with operations on whole tensors, its layouts, and the shapes that it is compiled for: each word a
/// form as shape_form() takes it; none: all tensors have one shape.
/// Errors: as above; ShapeError for forms that do not fit the step.
LibraryStep planned_step(const struct NamedStep& step, const StepUse& use);

/// An optimizer, and the layouts and shapes of its gradients; words as of planned_step, in which the shape is
/// `param`'s.
/// Errors: as above.
LibraryStep optimizer_part(const struct NamedOptimizer& optimizer, const StepUse& use);

/// Gives steps and optimizers their records in a file of `frisket tuning export`: records of the text of a
/// step, or of a body of its plans, of one of the library's targets, and of a layout that is compiled,
/// from any machine and build, including records whose default was the fastest, if there are further records.
/// Among records for one class of calls the record of the largest gain counts.  A strategy in a step for a
/// target, and a body, take the `most_tuned` schedules that gain most.
/// Returns sentences about the records that were left out.
/// Errors: IoError if a line is not whole, ScheduleError if a schedule is not legal, naming file and line.
std::vector<std::string> add_schedules(Library& library, const std::string& file);
inline constexpr std::size_t most_tuned = 4;

/// The schedule of a strategy on a target unless told otherwise.
Schedule default_schedule(Strategy strategy, const LibraryTarget& target);
/// All loops of a step for a target, one each: the default's of each strategy, then tuned loops.
std::vector<Schedule> schedules_of(const Library& library, const LibraryStep& step, std::size_t target);

/// The name of a loop's function in its object file; unique to the library.
std::string loop_name(const Library& library, const LibraryStep& step, std::size_t target,
                      const Schedule& schedule);

/// Leaves each loop to the first part of a library that needs it.
void share_loops(Library& library);
/// Gives parts the loops that other parts have compiled for them.
void add_shared_loops(Library& library);

/// The bytes of an object file with a step's loops for one target.
std::string loops_object(const Library& library, const LibraryStep& step, std::size_t target);
/// The bytes of an object file with the loops of a planned step, or of any step for a device; the step is
/// told of them.
std::string planned_object(const Library& library, LibraryStep& step, std::size_t target);

/// The bytes of an object file with the kernels that make lists on a device, NAME_devices_TARGET.o.
std::string device_kernels_object(const Library& library, std::size_t target);
/// The kernels of that object.
std::vector<LibraryDeviceKernel> device_kernels_of(const Library& library, std::size_t target);
/// The bytes of an object file with the drivers of the library's devices: Halide's runtime, whose symbols are
/// weak, so that there is one in a program of several libraries.
std::string device_runtime_object(const Library& library);

/// Sources of the library: NAME.hpp, NAME.h, NAME_STEP.cpp.
std::string cpp_header(const Library& library);
std::string c_header(const Library& library);
std::string step_source(const Library& library, const LibraryStep& step);
std::string optimizer_source(const Library& library, const LibraryStep& optimizer);
/// The source of the functions that a library has one of: NAME_library.cpp.
std::string library_source(const Library& library);
/// The symbols that a shared library exports, as a version script: NAME.map.
std::string exported_symbols(const Library& library);
/// NAME.pc, for a library whose files are in include/ and lib/.
std::string pkg_config(const Library& library);

}  // namespace frisket::aot
