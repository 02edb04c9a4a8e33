// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../ir/planner/run_events.hpp"
#include "../../ir/scalar_program.hpp"
#include "../../runtime/kernel/loop_abi.hpp"
#include "expression_pattern.hpp"
#include "loop_key.hpp"
#include "loop_kinds.hpp"
#include "memory_formula.hpp"
#include "schedule.hpp"

/// Loops, as far as their callers know them.
namespace frisket::codegen {

/// Form of a call's tensor in memory, as far as loops are made for it.
struct InputForm {
    bool has_mask = false;         ///< a Masked symbol with unspecified elements: a mask comes with it
    bool mask_is_bits = false;     ///< in 64-bit words, else in bytes
    bool mask_is_in_line = false;  ///< bits are row-major in one dimension; else each row has words
    bool is_ranked = false;        ///< a list, whose AnyMasked::ranks() come for its mask
    bool values_are_rows = true;   ///< the stride of the last dimension is 1
    bool mask_is_rows = true;
    bool of_list = false;  ///< it has a row for each entry of a list, one list for all such inputs
    bool by_list = false;  ///< the first index is an index into a list of rows of the tensor
    bool operator==(const InputForm&) const = default;
};

/// Variant of loops, besides their graph.
struct Specialization {
    std::vector<InputForm> inputs = {};     ///< form of each symbol
    bool parallel = false;                  ///< there is enough to do for threads
    int lanes = 8;                          ///< float32 in a vector
    std::vector<NodeId> panels = {};        ///< sums of products that have more terms than a panel
    std::vector<NodeId> narrow = {};        ///< sums of products for which is_narrow() is true
    std::vector<NodeId> few = {};           ///< and has_few_sums()
    std::vector<NumberPlace> numbers = {};  ///< numbers that each call brings; the graph has the rest
    std::vector<NodeId> not_nan = {};       ///< limits among `numbers` that are no NaN
    /// Strategy rows: true for symbols with one element for each row instead of a row of them; empty: none
    /// has.
    std::vector<bool> is_single = {};
    Schedule schedule = default_schedule(Strategy::expression);
    bool operator==(const Specialization&) const = default;

    /// True for an elementwise step's loops: `schedule`, which has all numbers, and `is_single` say all of
    /// them.
    bool is_of_step() const noexcept { return schedule.strategy != Strategy::expression; }
    /// Loops for any number of columns or sums serve calls with few.  The bytes are the same.
    void serve_any_counts() { narrow.clear(), few.clear(); }
};

/// Sources of loops, and their uses.
struct LoopRequest {
    const Graph& graph;
    const ir::ScalarProgram& numbers;
    const Specialization& form;
    std::string loops = {};  ///< name of an expression's loops, for people; a step's have their schedule's
    std::string title = {};  ///< FRISKET_SHOW=loops prints an expression's loops under it
    bool is_kept = true;     ///< on disk, if that can be
};

/// A number of a call that loops take: an extent, an offset or a step of a node.
struct SizeSlot {
    enum class Kind : std::uint8_t { extent, offset, step };
    NodeId node = no_node;
    Kind kind = Kind::extent;
    int index = 0;

    /// In the graph of a call.
    std::int32_t of(const Graph& graph) const;
    bool operator==(const SizeSlot&) const = default;
};

using planning::StoredNode;

/// Facts about loops that a call must know, besides their graph.
struct KernelMetadata {
    std::vector<SizeSlot> sizes = {};
    std::vector<StoredNode> stored = {};  ///< in ascending order
    MemoryFormula memory = {};            ///< memory of the loops, which is found when they are compiled
    LoopKinds kinds = {};
    /// Converts to numbers, and back; the formula is added to them behind.
    std::vector<std::int64_t> numbers() const;
    static KernelMetadata of(std::span<const std::int64_t> numbers);
};

/// The parameters of a nest: host scalars, sizes, values and mask of each tensor; for each result its
/// values and, if writes_mask(), its mask; the checks.
kernel_calls::LoopAbi abi_of(const Graph& graph, const ir::ScalarProgram& numbers, const Specialization& form,
                             std::span<const SizeSlot> sizes);
/// The panels of loops for any numbers of terms: all sums of products.
std::vector<NodeId> all_panels(const Graph& graph);
/// True if a result has the very mask of a symbol, which need not be computed.
bool has_mask_of_symbol(const Graph& graph, NodeId result);
/// True if loops write the mask of a result.
bool writes_mask(const Graph& graph, NodeId result);

/// The sources of loops, but for the target.
KeyText loop_key(const Graph& graph, const Specialization& form);

}  // namespace frisket::codegen
