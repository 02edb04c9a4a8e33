// SPDX-License-Identifier: MIT
// Internal: sums of gradients of which ranks have parts.
#pragma once
#include <vector>

#include "../runtime/tensor/tensor.hpp"
#include "channel.hpp"
#include "partition.hpp"

namespace frisket::mpi {

/// The sum of parts, of one shape and dtype, at least one, in the order of PartSums.
AnyTensor sum_of_parts(const std::vector<AnyTensor>& parts);

/// The parts of all ranks, counted through: the parts of rank 0, then the parts of rank 1, and so on.
///
/// Their sum is that of two halves, and so on: [0, n) is the sum of [0, p) and [p, n), where p is the
/// greatest power of two below n; float16 and bfloat16 are added as float32.  Which rank has a part is no
/// part of that.  A rank adds what is whole within its own parts, so that it sends one sum where ranks have
/// equal numbers of parts, a power of two.
class PartSums {
public:
    /// Adds this rank's parts, and cuts the sums into the slices of ranks: elements of consecutive ranks.
    /// `counts`: how many parts each rank has; `slices`: where the elements of each rank begin, and their
    /// end.  Takes the memory that messages need; parts outlive it.
    PartSums(detail::Channel& channel, DType dtype, const std::vector<std::int64_t>& counts,
             const std::vector<std::int64_t>& slices, const std::vector<AnyTensor>& parts);
    /// Sends the slices to their owners, and receives this rank's.
    void send();
    /// Writes the sum of this rank's slice, of the dtype, to a contiguous tensor of its size.
    void sum_to(const AnyTensor& to);

private:
    /// Bytes of sums of this rank that go to another: all that it has for it, side by side.
    std::span<const std::byte> outgoing(int rank) const;

    detail::Channel* channel_;
    DType dtype_;
    std::vector<std::int64_t> first_, slices_;  // the first part of each rank, and the end
    std::vector<AnyTensor> own_;                // sums of this rank, whole
    std::vector<detail::Bytes> packed_;         // of several sums, the slices for each rank
    std::vector<detail::Bytes> incoming_;
    std::optional<detail::Messages> messages_;
};

}  // namespace frisket::mpi
