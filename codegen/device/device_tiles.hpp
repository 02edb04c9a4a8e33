// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once

/// Products of matrices by a device: a block of threads computes a tile of sums, several by each thread, in
/// registers.  Step after step it copies the parts of both factors that the terms of a step read to memory
/// that its threads share.
namespace frisket::codegen {

inline constexpr int device_tile = 64;     ///< rows and columns of a tile
inline constexpr int device_step = 16;     ///< terms of a step
inline constexpr int device_threads = 16;  ///< threads along each dimension of a tile

/// Names of the Funcs of such a product.  The first dimensions of sums and totals are column and row in a
/// tile, then the tile's; the first dimensions of copies are index in a tile, term in a step, step, tile.
inline constexpr const char* tile_columns_name = "tile_columns";
inline constexpr const char* tile_rows_name = "tile_rows";
inline constexpr const char* tile_sums_name = "tile_sums";
inline constexpr const char* tile_total_name = "tile_total";

/// The Funcs of a product; `total` is undefined, or adds the sums of panels.
struct DeviceTile {
    Halide::Func columns, rows, sums, total;
    bool has_total = false;
};

/// Makes a kernel of a Func that reads such a product at its own index: the elements of its tiles.
/// Shape: the Func has no updates and no schedule; `row` is the dimension of it along which rows run, columns
/// run along the first.
void schedule_tiles(Halide::Func kernel, int row, DeviceTile tile);

/// Has each thread keep its own sums of a tile, where Halide assigns it all sums.
void keep_own_sums(Halide::Pipeline& pipeline);

}  // namespace frisket::codegen
