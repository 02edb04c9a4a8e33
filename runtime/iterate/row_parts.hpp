// SPDX-License-Identifier: MIT
// Splits lists of rows into parts.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../kernel/parts.hpp"
#include "../tensor/index_list.hpp"
#include "../tensor/tensor.hpp"

namespace frisket::kernel_calls {

/// The values of an operand of layout rows: `length` elements each entry of the list, without gaps.
struct ListedRows {
    const void* data = nullptr;
    DType dtype = DType::float32;
    std::int64_t length = 0;
};

/// Rows of a tensor that a walk touches: fetched ahead.
struct TouchedRows {
    const void* data = nullptr;
    std::int64_t row_bytes = 0;  ///< from a row to the next
    std::int64_t used_bytes = 0;
};

/// Ascending rows, each once, with their stored elements: few enough to stay in cache while several
/// loops walk it.
struct RowPart {
    std::int64_t first = 0;                    ///< origin of `rows`: a row number that is a multiple of 64
    std::span<const std::int32_t> rows;        ///< row numbers, counted from `first`
    std::span<const std::byte* const> values;  ///< values of each operand: [rows, length]
};

/// Input of a walk: the list of rows, and the operands that it reads or touches.
struct RowWalk {
    const IndexList* index = nullptr;
    std::span<const ListedRows> listed;
    std::span<const TouchedRows> touched;
    bool in_one_part = false;
    std::int64_t most_rows = 0;  ///< rows that a part may span, counted from its `first`; a multiple of 64
};

/// Rows that a part may span if rows are at most `widest` elements apart, so that offsets in loops fit 32
/// bits: a multiple of 64, since bits of other masks are addressed by word; 0 if no part fits.
std::int64_t most_rows_of(std::int64_t widest, std::int64_t rows);

/// Runs task(i) for i in [0, tasks), on several threads or one.
using RunTasks = std::function<void(int tasks, const std::function<void(int)>& task)>;

/// Memory of the thread or, on threads that have none, memory that was made before.
enum class PartMemory : std::uint8_t { of_thread, spare };

/// A runner of parts.
struct PartLoops {
    /// Makes the memory for parts of at most the given number of rows.
    std::function<void(PartMemory memory, std::int64_t rows)> reserve;
    /// Runs a part in it.  Errors: std::bad_alloc before anything is written, and only of memory of_thread.
    std::function<void(const RowPart& part, PartMemory memory)> run;
};

/// A walk over all rows of a list, part after part, side by side where there is enough to do; duplicates are
/// summed on the way, in the order in which they were given.  What a part is, and so every result, does not
/// depend on the number of threads.
/// Shape: the index has keys, or is coalesced.
class RowParts {
public:
    /// Makes the memory without which no part is begun.
    RowParts(const RowWalk& walk, PartLoops loops);
    RowParts(const RowParts&) = delete;
    RowParts& operator=(const RowParts&) = delete;
    ~RowParts();
    /// The first exception of the loops is thrown on.
    void run(const RunTasks& run_tasks);

private:
    class Walker;
    std::int64_t cut(std::int64_t entry) const;

    RowWalk walk_;
    const PartLoops loops_;
    std::span<const IndexList::Key> keys_;
    std::int64_t each_ = 1;           // entries of a task
    std::vector<std::int64_t> next_;  // for each task: its current entry
    std::optional<Parts> parts_;
    std::unique_ptr<Walker> spare_;
};

/// A tensor seen as rows without gaps over the space: the stride between rows, 0 if one row is repeated,
/// or nothing.
std::optional<std::int64_t> row_stride(const AnyTensor& tensor, const Shape& space);

}  // namespace frisket::kernel_calls
