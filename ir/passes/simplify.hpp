// SPDX-License-Identifier: MIT
// Removes instructions that only move elements or repeat computations.
#pragma once
#include "../graph.hpp"

#include <cstdint>
#include <vector>

namespace frisket::ir {

/// The place of views through which results are seen.
enum class SeenViews : std::uint8_t {
    moved,           ///< before their operand: it is made where it is seen
    moved_of_dense,  ///< as moved, in a graph of no lists: a repeated tensor is computed and reshaped once
    squeezes_moved,  ///< as moved, if they drop dimensions of one element; no other node changes
    kept,            ///< where they are; and slices and flips are no part of other views
};

/// Removes instructions that move elements, and keeps the results bit for bit: a view of a view is one view,
/// and so are reshapes; a view or reshape that shows its operand unchanged is removed, with casts to the
/// operand's dtype; a reduction of a view that repeats the reduced tensor, and an instruction whose operands
/// do not vary along a dimension, are made once, and then repeated.
/// `is_kept`: true for each node that stays as it is; empty: for none.
/// Shape: `graph` has shapes and no updates.
/// Cost: linear in the graph.
Graph simplified(const Graph& graph, SeenViews views = SeenViews::moved, std::vector<bool> is_kept = {});

/// True for a graph in which instructions or reductions make equal elements that simplified() makes once.
/// Cost: linear in the graph; nothing is copied.
bool has_repeats(const Graph& graph);

/// False for a graph that simplified() may change where views stay.  Cost: nothing is copied.
bool is_simplified(const Graph& graph, const std::vector<bool>& is_kept);

}  // namespace frisket::ir
