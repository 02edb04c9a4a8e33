// SPDX-License-Identifier: MIT
// Removes instructions that only move elements or repeat computations.
#pragma once
#include "../graph.hpp"

#include <cstdint>
#include <vector>

namespace frisket::ir {

/// The place of views through which results are seen.
enum class SeenViews : std::uint8_t {
    moved,           ///< before what they show: it is made where it is seen
    moved_of_dense,  ///< as moved, in a graph of no lists: what views repeat is computed and reshaped once
    squeezes_moved,  ///< as moved, if they drop dimensions of one element; no other node changes
    kept,            ///< where they are; and slices and flips are no part of other views
};

/// Removes instructions that move elements, and keeps the results bit for bit: a view of a view is one view,
/// and so are reshapes; what shows its operand as it is goes away, with casts to the operand's dtype; a
/// reduction of a view that repeats what is reduced, and an instruction whose operands do not vary along a
/// dimension, are made once, and then repeated.
/// `is_kept`: of each node, that it stays as it is; empty: none.
/// Shape: `graph` has shapes and no updates.
/// Cost: linear in the graph.
Graph simplified(const Graph& graph, SeenViews views = SeenViews::moved, std::vector<bool> is_kept = {});

/// True for a graph in which instructions or reductions make equal elements that simplified() makes once.
/// Cost: linear in the graph; nothing is copied.
bool has_repeats(const Graph& graph);

/// False of a graph that simplified() may change where views are kept.  Cost: nothing is copied.
bool is_simplified(const Graph& graph, const std::vector<bool>& is_kept);

}  // namespace frisket::ir
