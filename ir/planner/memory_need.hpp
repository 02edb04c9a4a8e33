// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "../graph.hpp"

namespace frisket::planning {

/// Bytes of a tensor, at most 2^63 - 1.
std::int64_t tensor_bytes(DType dtype, const Shape& shape);

/// Memory that part of a call takes at once, beside its arguments.
class MemoryNeed {
public:
    /// A result: its values, and its mask.
    void add_result(const Graph& graph, NodeId result);
    /// Copies and temporaries, which are held on the way.
    void add(std::int64_t bytes);
    /// A tensor of those added, stored in this dtype: messages name the largest.
    void note(const Graph& graph, NodeId node, DType dtype);

    /// Bytes that are no result's.
    std::int64_t held_bytes() const noexcept { return bytes_ - result_bytes_; }
    /// Errors: ShapeError, which names the largest tensor and its size, if there is not so much memory.
    void check(std::string_view who) const;

private:
    std::int64_t bytes_ = 0, result_bytes_ = 0, largest_bytes_ = 0;
    std::string largest_;
};

/// Refuses an expression whose dense results are too large for memory: they are made whole by any plan.
/// Errors: ShapeError.
void check_dense_results(const Graph& graph);

/// Bytes that an interpreted body holds: all values but its results, to its end.
/// Errors: ShapeError if there is not so much memory.
std::int64_t checked_interpreted_bytes(const Graph& body);

}  // namespace frisket::planning
