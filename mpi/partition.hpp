// SPDX-License-Identifier: MIT
// Assigns the rows of a table to ranks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "../runtime/tensor/dtype.hpp"
#include "../runtime/tensor/shape.hpp"

namespace frisket::mpi {

/// Rows of a table, and ranks.
struct PartitionSize {
    std::int64_t rows = 0;
    int ranks = 1;
    /// Blocks have a multiple of this number of rows, except the last: random bits of rounding come for 64
    /// elements.
    std::int64_t multiple = 1;

    /// The rows of a tensor.
    static PartitionSize of(const Shape& shape, DType dtype, int ranks);
};

/// A function from rows to ranks, the same on all of them.
class Partition {
public:
    /// The rank that owns a row, in [0, ranks).
    using Function = std::function<int(std::int64_t row, const PartitionSize& size)>;

    /// Consecutive rows: an equal number for each rank, maybe fewer for the last ranks.
    static Partition blocks();
    /// Row i belongs to rank i modulo the number of ranks.
    static Partition round_robin();
    /// Row i belongs to rank h(i) modulo the number of ranks: even where ids have a pattern.
    /// Source of h: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    static Partition hash();
    /// A function of the user's under a name, by which ranks and checkpoints compare it.
    static Partition of(std::string name, Function owner);

    /// "blocks", "round_robin", "hash" or the name that was given.
    const std::string& name() const noexcept { return name_; }
    /// The rank that owns a row.  Errors: ValueError if a function of the user's returns none of them.
    int owner(std::int64_t row, const PartitionSize& size) const;

private:
    enum class Kind : std::uint8_t { blocks, round_robin, hash, function };
    friend class Placement;
    Partition(Kind kind, std::string name, Function function)
        : kind_(kind), name_(std::move(name)), function_(std::move(function)) {}
    Kind kind_;
    std::string name_;
    Function function_;
};

class RowSet;

/// Rows of a table on one of its ranks, in ascending order: those of blocks and round robin are counted, of
/// those of other functions there is a bit for each row of the table.
class Placement {
public:
    /// Cost: a call of the function for each row of the table, where rows are not counted.
    /// Errors: as Partition::owner.
    Placement(Partition partition, const PartitionSize& size, int rank);

    const Partition& partition() const noexcept { return partition_; }  ///< the function
    std::int64_t rows() const noexcept { return size_.rows; }           ///< rows of the table
    std::int64_t count() const noexcept { return count_; }              ///< rows of this rank
    /// The rank that owns a row of the table.
    int owner(std::int64_t row) const;
    /// The row of the table that is a row of this rank.
    std::int64_t row(std::int64_t local) const;
    /// True if rows are consecutive, from a multiple of PartitionSize::multiple on.
    bool is_block() const noexcept;
    /// The index among the rows of this rank of a row of the table that it owns.
    std::int64_t local(std::int64_t row) const;

private:
    Partition partition_;
    PartitionSize size_;
    int rank_;
    std::int64_t block_;  // rows of a block
    std::int64_t count_ = 0;
    std::shared_ptr<const RowSet> rows_;  // if they are not counted
};

}  // namespace frisket::mpi
