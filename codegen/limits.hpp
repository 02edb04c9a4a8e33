// SPDX-License-Identifier: MIT
// Lists the sizes at which loops split into strips, blocks and tasks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

/// Sizes at which loops of expressions begin another strip, block or task (see runtime/limits.hpp).
namespace frisket::limits {

/// Elements of the largest tensor of an expression from which its loops are made for several threads.
inline constexpr std::int64_t least_for_threads = 131072;
/// Elements that all of its operations make together, from which they are.
inline constexpr std::int64_t least_in_all_for_threads = 4 * least_for_threads;

// Reductions.
inline constexpr int fold_chunk = 32;         ///< elements of a row that are folded side by side
inline constexpr int fold_rows = 4;           ///< that are added to a strip of the result before it is stored
inline constexpr int fold_blocks = 64;        ///< parts of a full reduction
inline constexpr int fold_task_rows = 64;     ///< rows that a thread takes at once
inline constexpr int fold_task_vectors = 32;  ///< vectors of the result that a thread takes at once, at least
inline constexpr int fold_tasks = 4;          ///< that larger results are cut into
inline constexpr int fold_task_columns =
    1024;  ///< elements of the result that a thread takes at once, at most

/// Elements of the rows that a task computes for a product at a time.
inline constexpr int cached_row_elements = 1 << 16;

/// Elements of a result's mask that a thread copies at once; a number of whole words.
inline constexpr std::int64_t mask_task = 1 << 18;

/// Tensors that are joined by a loop for each, at most.
inline constexpr std::size_t most_joined = 16;

/// Vectors of an elementwise loop that a thread takes at once.
inline constexpr int task_vectors = 2048;
/// Elements that a schedule may have a thread take at once.
inline constexpr int most_grain = 1 << 24;
/// Elements of the largest tensor that loops store: they count in 32 bits, and round up to whole tasks.
inline constexpr std::int64_t most_stored = std::numeric_limits<std::int32_t>::max() - most_grain + 1;

}  // namespace frisket::limits
