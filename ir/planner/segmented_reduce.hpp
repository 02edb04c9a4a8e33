// SPDX-License-Identifier: MIT
#pragma once
#include "sparse_operands.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace frisket {

/// What is listed, put together in slices.
struct ListSlices {
    Shape shape;                            ///< of the dimensions that stay
    std::shared_ptr<const IndexList> list;  ///< row-major positions of the slices
    CoalescePlan entries;                   ///< of each slice
    std::vector<std::int64_t> positions;    ///< of each entry: row-major within the dimensions that go
};

/// Reductions of what is listed along some dimensions: for the slices in which something is listed, each in
/// row-major order.
class ListReductions {
public:
    explicit ListReductions(const SparseOperands& operands) : operands_(operands) {}

    /// Of an instruction of which nodes().reduces() is true, whose operands are prepared: as its mask says,
    /// if that is among the instructions that are made.
    /// Cost: linear in what is listed.
    SparseVector made(NodeId id, const ResidualGraph& rest);

private:
    const ListSlices& slices(NodeId id);

    const SparseOperands& operands_;
    std::map<std::pair<Shape, std::vector<std::int64_t>>, ListSlices> slices_;
};

}  // namespace frisket
