// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "reduction.hpp"

/// Loops of sums of products.  The order in which a sum is made is part of its meaning: terms in row-major
/// order of the reduced index, each added by a fused multiply-add to one accumulator in the dtype of the
/// factors, which starts at +0; after every 4096 terms it goes into a float64 total and starts anew.  So no
/// schedule, number of threads or width of vectors changes a bit.
namespace frisket::codegen {

/// Factors of a sum of products, at an index of the operand (all of its dimensions, outermost first).
struct ProductFactors {
    using At = std::function<lowering::Value(const IndexTuple& place)>;
    DType dtype = DType::float32;              ///< float32 or float64
    At left, right;                            ///< in `dtype`
    At left_mask = {}, right_mask = {};        ///< empty: all specified; vary as their factors do
    At specified = {};                         ///< empty, or which terms there are, no conjunction of the two
    At left_nonzero = {}, right_nonzero = {};  ///< empty, or false only where the factor is 0
    At wanted = {};                            ///< empty, or which elements are read, at their index
};

/// Loops of a product.
struct ProductLoops {
    std::vector<Halide::Expr> extents;    ///< extents of the operand, outermost first
    std::vector<bool> reduced;            ///< reduced dimensions of the operand
    std::vector<bool> in_left, in_right;  ///< dimensions along which the factors vary
    std::vector<Halide::Var> kept;        ///< variables of the result, innermost first
    int lanes = 8;                        ///< float32 in a vector
    bool parallel = false;                ///< large enough for threads
    bool on_device = false;               ///< whose schedule comes later: device_schedule.hpp
    bool has_panels = false;              ///< more than 4096 terms
    bool is_in_rows = false;              ///< computed for some rows of a larger loop at a time
    Halide::Expr task_rows = {};          ///< rows that a task takes at most, if it is defined
    int tile_vectors = 2;                 ///< vectors of a row of a tile of a matrix product
    int tile_rows = 4;                    ///< rows of such a tile
    bool is_narrow = false;               ///< tiles have limits::narrow_columns columns
    bool has_few_sums = false;            ///< threads share the panels
};

/// A product that a Func reads at its own index.
struct TiledProduct {
    Halide::Expr value;  ///< at loops.kept
    /// Schedules all loops of the Func that reads it, whose variables are loops.kept with bounds from 0 on,
    /// and all that is computed for it; returns the loop inside which some rows of the reader are computed.
    std::function<Halide::LoopLevel(Halide::Func& reader)> schedule;
    LoopKinds kinds = {};
};

TiledProduct tiled_product(const ProductLoops& loops, const ProductFactors& factors);

/// Rows of the tiles of matrix products for vectors of this number of float32, unless a schedule sets them.
int rows_of_tile(int lanes);

/// A Func over `kept`, which are loops.kept, with its schedule; the caller bounds its dimensions and computes
/// it at the root.
Halide::Func stored_product(const TiledProduct& product, const std::vector<Halide::Var>& kept);

}  // namespace frisket::codegen
