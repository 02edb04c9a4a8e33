// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <string>
#include <vector>

#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/kernel/loop_arguments.hpp"
#include "../loops/built_loops.hpp"
#include "../loops/specialization.hpp"
#include "../scalar/ranks.hpp"
#include "elementwise.hpp"
#include "lower_step.hpp"

namespace frisket::codegen {

/// The parameters of a loop nest, as specified by its abi, and the step's meaning over them.  A strategy sets
/// the index of the loop; this defines the reads and stores there.
class KernelBuilder {
public:
    /// `pure`: the indices of values, innermost first.
    KernelBuilder(const LoopRequest& request, const Halide::Target& machine,
                  const std::vector<Halide::Var>& pure);

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

    const Schedule& schedule;
    const Signature signature;
    const bool on_device;
    Halide::Func func;
    Halide::Param<int> count{"count"};
    /// An entry of the list that the loop walks.
    Halide::Expr list_at(const Halide::Expr& entry) const { return list_(placed({entry})); }
    Halide::Expr list_extent() const { return list_.dim(0).extent(); }

    /// Inputs that are not written, for strategies that promise something about strides: dense tensors, or
    /// the values and masks of masked tensors.
    std::vector<Halide::ImageParam> dense_inputs() const;
    std::vector<Halide::ImageParam> masked_inputs() const;
    Halide::Expr output_extent(int dimension);
    /// Parameters of the row-major position, if the step needs it: where the loop begins, and for strided
    /// arrays the stride of each index.
    Halide::Param<std::int64_t> first{"first"};
    std::vector<Halide::Param<int>> position_strides;

    BuiltLoops finish();

private:
    void declare(const kernel_calls::LoopParameter& parameter, std::string_view list_name);
    /// An index into an array: on a device with the coordinate of its origin (loop_arguments.hpp).
    std::vector<Halide::Expr> placed(std::vector<Halide::Expr> at) const;
    Halide::ImageParam array(halide_type_t type, int rank, const std::string& name) const;
    Halide::Expr in_memory(int symbol, const IndexTuple& place) const;
    /// True for a list whose elements are found by their ranks.
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

    const LoopRequest& request_;
    const Halide::Target& machine_;
    kernel_calls::LoopAbi abi_;
    std::vector<ArrayForm> forms_;  // forms of values, by symbol
    NumberParams numbers_;
    std::vector<Halide::ImageParam> values_;  // by symbol
    std::vector<Halide::ImageParam> masks_;   // by symbol
    Halide::ImageParam list_;
};

/// A schedule with numbers for the knobs that it leaves to the machine.
inline Schedule resolved(const Schedule& schedule, const Halide::Target& machine) {
    return machine.has_gpu_feature() ? resolved_for_device(schedule)
                                     : resolved(schedule, machine.natural_vector_size<float>());
}
/// The schedule of a strategy on a machine unless told otherwise.
inline Schedule default_schedule(Strategy strategy, const Halide::Target& machine) {
    return resolved(default_schedule(strategy), machine);
}

}  // namespace frisket::codegen
