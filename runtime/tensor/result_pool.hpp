// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace frisket {

/// Memory of large results, which is kept for the next results when the last handle to it goes: new memory
/// costs a page fault every 4,096 bytes, more than most loops that fill it.
struct ResultPoolUse {
    std::int64_t limit = 0;          ///< bytes that are kept at most
    std::int64_t bytes_kept = 0;     ///< bytes that no tensor holds
    std::int64_t bytes_in_use = 0;   ///< bytes that tensors hold
    std::int64_t blocks_made = 0;    ///< blocks that came from the system
    std::int64_t blocks_reused = 0;  ///< blocks that had been kept
};

/// The present use of the pool.
/// Threads: this and what follows may be called at any time from any thread.
ResultPoolUse result_pool_use();

/// Keeps at most so many bytes that no tensor holds, and gives back at once what is more; 0 keeps nothing.
/// The limit is the smaller of 1 GB and a quarter of the machine's memory unless it is set.
/// Errors: ValueError if it is negative.
void set_result_pool_limit(std::int64_t bytes);

/// Gives all memory that no tensor holds back to the system.
void trim_result_pool();

}  // namespace frisket
