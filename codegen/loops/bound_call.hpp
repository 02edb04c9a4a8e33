// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../ir/planner/executor/backend.hpp"
#include "../../ir/planner/memory_need.hpp"
#include "../../runtime/kernel/loop_arguments.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "compiled_expression.hpp"
#include "expression_input.hpp"

namespace frisket::codegen {

/// Memory of a tensor argument.
struct InputMemory {
    const void* values = nullptr;
    const void* mask = nullptr;
    const AnyMasked* lender = nullptr;     ///< as of LoopInput
    const AnyTensor* made_mask = nullptr;  ///< a mask that was made for the call, and that results may share

    static InputMemory of(const LoopInput& input) {
        const bool is_made = input.mask.has_value() && input.lender == nullptr;
        return {.values = input.values ? input.values->address() : nullptr,
                .mask = input.mask ? input.mask->address() : nullptr,
                .lender = input.lender,
                .made_mask = is_made ? &*input.mask : nullptr};
    }
};

/// Results of loops, and whether a check of the expression found something.
struct LoopResults {
    std::vector<Result> results = {};
    bool are_refused = false;
};

/// Loops with all that a call of theirs takes but the tensors' memory: numbers, sizes, extents and strides.
/// Threads: any number may run it at once.
class BoundCall {
public:
    /// `made`: the graph that the loops walk, in which dimensions may have been flattened.  The loops are
    /// compiled.
    BoundCall(std::shared_ptr<const CompiledExpression> loops, const Graph& graph, const Graph& made,
              std::span<const LoopInput> inputs, std::span<const Argument> arguments);

    /// Refuses a call with this memory of the results, or none, before anything is allocated.
    /// Errors: ShapeError if results and the loops' temporaries take more memory than there is.
    void check_memory(std::span<const planning::ResultMemory> memory) const;
    /// Runs the loops over tensors of the shapes and strides that it was made for.  `memory`: memory for the
    /// results, or nothing; results may use other memory.  The loops take the numbers of `arguments`; if
    /// these are empty, the numbers of the constructor's arguments.
    /// Errors: DTypeError if an integer meets int32 elements, which cannot hold it.
    LoopResults run(std::span<const InputMemory> inputs, std::span<const planning::ResultMemory> memory,
                    std::span<const Argument> arguments = {}) const;
    /// Bytes that the loops hold in addition to arguments and results, at most.  `made`: as of the
    /// constructor.
    std::int64_t held_bytes(const Graph& made) const;
    const CompiledExpression& loops() const noexcept { return *loops_; }

private:
    struct ResultForm {
        enum class Mask : std::uint8_t { none, written, of_input } mask = Mask::none;
        DType dtype;
        std::size_t input = 0;  // whose mask it has
        Shape shape;
    };
    struct Array {
        std::size_t first, rank;  // its dimensions
        bool is_empty;
    };
    /// True if the loops write the user's memory itself.
    bool takes(std::span<const planning::ResultMemory> memory) const noexcept {
        return !memory.empty() && writes_memory_ && device_.is_cpu();
    }
    void add_result(const Graph& graph, const Graph& made, std::size_t i);
    void add_need(const Graph& graph, const Graph& made);
    void add_array(const Shape& shape, const Strides& strides);
    Result result_of(const ResultForm& form, std::span<const InputMemory> inputs,
                     const planning::ResultMemory* memory) const;

    std::shared_ptr<const CompiledExpression> loops_;
    Device device_;     // place of the tensors
    std::string name_;  // graph's name, for messages
    planning::MemoryNeed need_;
    std::vector<double> numbers_;
    std::optional<Graph> numbered_;  // the graph that the loops walk, if numbers are among the arguments
    std::vector<std::int32_t> sizes_;
    std::vector<ResultForm> results_;
    std::vector<kernel_calls::LoopDim> dims_;  // dimensions of all arrays, innermost first
    std::vector<Array> arrays_;                // in the order of the loops' parameters
    std::size_t rank_ = 1;
    std::size_t check_count_ = 0;
    bool writes_memory_ = false;  // true if nothing can fail once the user's memory is written
};

/// True if loops read the memory of the arguments themselves, and no copies of them.
bool reads_arguments(std::span<const LoopInput> inputs, std::span<const Argument> arguments);
/// The memory of an argument that loops read without a copy.
inline InputMemory memory_of(const AnyTensor& tensor) { return {.values = tensor.address()}; }
inline InputMemory memory_of(const AnyMasked& masked) {
    if (!runtime::has_mask(masked.layout())) return memory_of(masked.values());
    return {.values = masked.values().address(), .mask = masked.mask().address(), .lender = &masked};
}
InputMemory memory_of(const Argument& argument);

/// A bound call that a plan keeps as its KeptCall: its loops read the memory of the arguments themselves.
class KeptLoops {
public:
    KeptLoops(BoundCall call, std::span<const Argument> arguments);

    /// True for arguments of the same layouts, shapes and strides.
    bool is_for(std::span<const Argument> arguments) const;
    /// Errors: the errors of the checks of the graph that the call was made for.
    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments,
                            std::span<const planning::ResultMemory> memory) const;
    const BoundCall& call() const noexcept { return call_; }

private:
    /// The form of an argument in memory; a number has none.
    struct Form {
        Shape shape = {};
        Strides values = {}, mask = {};
        Layout layout = Layout::dense;
        bool is_number = true;
    };
    static bool is_of(const Form& form, const Argument& argument);

    BoundCall call_;
    std::vector<Form> forms_;
};

}  // namespace frisket::codegen
