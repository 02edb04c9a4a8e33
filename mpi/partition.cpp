// SPDX-License-Identifier: MIT
#include "partition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "../ir/ops/philox.hpp"
#include "../runtime/tensor/error.hpp"
#include "row_set.hpp"

namespace frisket::mpi {

namespace {

/// Rows of a block.
std::int64_t block_of(const PartitionSize& size) {
    const std::int64_t each = (size.rows + size.ranks - 1) / size.ranks;
    return std::max((each + size.multiple - 1) / size.multiple * size.multiple, size.multiple);
}

/// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t z) {
    z += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}

}  // namespace

PartitionSize PartitionSize::of(const Shape& shape, DType dtype, int ranks) {
    PartitionSize size{shape[0], ranks};
    const std::int64_t row = element_count(Shape(shape.begin() + 1, shape.end()));
    if (bytes_of(dtype) == 2 && row > 0)
        size.multiple = philox::tile / std::gcd(std::int64_t{philox::tile}, row);
    return size;
}

Partition Partition::blocks() { return {Kind::blocks, "blocks", {}}; }
Partition Partition::round_robin() { return {Kind::round_robin, "round_robin", {}}; }
Partition Partition::hash() { return {Kind::hash, "hash", {}}; }
Partition Partition::of(std::string name, Function owner) {
    if (!owner) throw ValueError("partition " + name + ": the function is empty");
    return {Kind::function, std::move(name), std::move(owner)};
}

int Partition::owner(std::int64_t row, const PartitionSize& size) const {
    switch (kind_) {
        case Kind::blocks: return static_cast<int>(row / block_of(size));
        case Kind::round_robin: return static_cast<int>(row % size.ranks);
        case Kind::hash:
            return static_cast<int>(mixed(static_cast<std::uint64_t>(row)) %
                                    static_cast<std::uint64_t>(size.ranks));
        case Kind::function: break;
    }
    const int rank = function_(row, size);
    if (rank < 0 || rank >= size.ranks)
        throw ValueError("partition " + name_ + " gives row " + std::to_string(row) + " to rank " +
                         std::to_string(rank) + ", wanted 0 to " + std::to_string(size.ranks - 1));
    return rank;
}

Placement::Placement(Partition partition, const PartitionSize& size, int rank)
    : partition_(std::move(partition)), size_(size), rank_(rank), block_(block_of(size)) {
    switch (partition_.kind_) {
        case Partition::Kind::blocks: {
            count_ = std::min(block_, size.rows - std::min(block_ * rank, size.rows));
            return;
        }
        case Partition::Kind::round_robin: count_ = (size.rows + size.ranks - 1 - rank) / size.ranks; return;
        default: break;
    }
    const auto rows = std::make_shared<RowSet>(size.rows);
    for (std::int64_t row = 0; row < size.rows; ++row)
        if (partition_.owner(row, size) == rank) rows->add(row);
    rows->finish();
    count_ = rows->count();
    rows_ = rows;
}

bool Placement::is_block() const noexcept { return partition_.kind_ == Partition::Kind::blocks; }

int Placement::owner(std::int64_t row) const {
    return is_block() ? static_cast<int>(row / block_) : partition_.owner(row, size_);
}

std::int64_t Placement::row(std::int64_t local) const {
    switch (partition_.kind_) {
        case Partition::Kind::blocks: return block_ * rank_ + local;
        case Partition::Kind::round_robin: return local * size_.ranks + rank_;
        default: return rows_->row(local);
    }
}

std::int64_t Placement::local(std::int64_t row) const {
    switch (partition_.kind_) {
        case Partition::Kind::blocks: return row - block_ * rank_;
        case Partition::Kind::round_robin: return row / size_.ranks;
        default: return rows_->local(row);
    }
}

}  // namespace frisket::mpi
