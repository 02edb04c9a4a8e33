// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <string>
#include <vector>

#include "../../ir/scalar_program.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/kernel/loop_arguments.hpp"
#include "../loops/schedule.hpp"
#include "../scalar/ranks.hpp"
#include "lower_step.hpp"

namespace frisket::codegen {

/// Sources of every loop nest of a step.
struct KernelRequest {
    const Graph& graph;
    const Signature& signature;
    const ir::ScalarProgram& numbers;
    const TargetRow& target;  ///< its name decides between the CPU's and the GPU's schedule
    Halide::Target machine;   ///< the instruction set
    Schedule schedule;
    /// Strategy rows: true for symbols with one element for each row instead of a row of them; empty: none
    /// has.
    std::vector<bool> is_single = {};
};

/// A loop nest ready to compile: its arguments in the order of its abi, its outputs last.
struct LoopNest {
    Halide::Pipeline pipeline;
    std::vector<Halide::Argument> arguments;
};

/// The parameters of a loop nest, as its abi says, and the step's meaning over them.  A strategy says where
/// the loop stands; this says what is read and stored there.
class KernelBuilder {
public:
    /// `pure`: the indices of values, innermost first.
    KernelBuilder(const KernelRequest& task, Strategy strategy, const std::vector<Halide::Var>& pure);

    /// Place of the loop in its arrays.
    struct IndexTuple {
        std::vector<Halide::Expr> at;       ///< index of values
        std::vector<Halide::Expr> in_list;  ///< index of values that come by the list
        /// Index into bit words, and the bit; so the row-major position, from where the loop begins.
        Halide::Expr word, bit;
        bool inside_domain = false;
    };
    /// func(at) = the step there, where `condition` (if any) is true; as before elsewhere.
    void define(const IndexTuple& place, const Halide::Expr& condition = {});
    /// The bit (or the byte) of a Masked symbol's mask.
    lowering::Value specified(int symbol, const IndexTuple& place) const;
    /// The word of the domain's mask.
    Halide::Expr domain_word(const Halide::Expr& index) const;

    Halide::Func func;
    Halide::Param<int> count{"count"};
    /// An entry of the list that the loop walks.
    Halide::Expr list_at(const Halide::Expr& entry) const { return list_(placed({entry})); }
    Halide::Expr list_extent() const { return list_.dim(0).extent(); }

    /// Inputs that are not written, for strategies that promise something about strides: dense tensors, or
    /// the values and masks of masked ones.
    std::vector<Halide::ImageParam> dense_inputs() const;
    std::vector<Halide::ImageParam> masked_inputs() const;
    Halide::Expr output_extent(int dimension);
    /// Parameters of the row-major position, if the step needs it: where the loop begins, and for strided
    /// arrays what each index adds.
    Halide::Param<std::int64_t> first{"first"};
    std::vector<Halide::Param<int>> position_strides;

    LoopNest finish();

private:
    void declare(const kernel_calls::LoopParameter& parameter, std::string_view list_name);
    /// An index into an array: on a device with the coordinate of its origin (loop_arguments.hpp).
    std::vector<Halide::Expr> placed(std::vector<Halide::Expr> at) const;
    Halide::ImageParam array(halide_type_t type, int rank, const std::string& name) const;
    Halide::Expr in_memory(int symbol, const IndexTuple& place) const;
    /// True of a list whose elements are found by their ranks.
    bool is_ranked(int symbol, const IndexTuple& place) const;
    Halide::Expr word_at(int symbol, const Halide::Expr& index) const;
    RankedElement ranked(int symbol, const IndexTuple& place) const;
    Halide::Expr entry_of(int symbol, const IndexTuple& place) const;
    Access access(const IndexTuple& place) const;
    bool reads(int target, int tensor) const;
    bool is_made_from_another() const;  ///< true if one output is
    bool is_safe_in_order() const;
    void show_loads(Halide::Expr& value, int target, const IndexTuple& place) const;
    std::vector<Halide::Expr> stores(const IndexTuple& place, const Halide::Expr& condition) const;

    const KernelRequest& task_;
    kernel_calls::LoopAbi abi_;
    std::vector<ArrayForm> forms_;  // forms of values, by symbol
    std::vector<Halide::Param<void>> numbers_;
    std::vector<Halide::ImageParam> values_;  // by symbol
    std::vector<Halide::ImageParam> masks_;   // by symbol
    Halide::ImageParam list_;
};

/// A schedule with numbers for what it leaves to the machine.
inline Schedule resolved(const Schedule& schedule, const Halide::Target& machine) {
    return machine.has_gpu_feature() ? resolved_for_device(schedule)
                                     : resolved(schedule, machine.natural_vector_size<float>());
}
/// The schedule of a strategy on a machine unless told otherwise.
inline Schedule default_schedule(Strategy strategy, const Halide::Target& machine) {
    return resolved(default_schedule(strategy), machine);
}

/// A loop nest as Halide's statements.
std::string statements_of(LoopNest& nest, const std::string& name, const Halide::Target& machine);

}  // namespace frisket::codegen
