// SPDX-License-Identifier: MIT
// Estimates the memory of a call, and compares it with free memory.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/tensor/free_memory.hpp"
#include "../graph.hpp"
#include "plan_facts.hpp"

namespace frisket::planning {

/// Bytes of a tensor, at most 2^63 - 1.
std::int64_t tensor_bytes(DType dtype, const Shape& shape);

/// Fewer bytes are taken without a look at the system.
inline constexpr std::int64_t least_checked_bytes = std::int64_t{64} << 20;

/// The first masked value of a body over whole tensors that no rule computes from the lists that it reads:
/// "cumsum(x0)"; empty: none is found.
/// Cost: a plan for each value.
std::string dense_cause(const Graph& body, std::span<const Format> formats);

/// Memory that part of a call takes at once, in addition to its arguments.
class MemoryNeed {
public:
    /// A result: its values, and its mask.
    void add_result(const Graph& graph, NodeId result);
    /// Copies and temporaries, which are held on the way.
    void add(std::int64_t bytes);
    /// A dense copy of a symbol's list.
    void add_dense_copy(const Symbol& symbol, std::int64_t bytes);
    /// A tensor of those added, stored in this dtype: messages name the largest.
    void note(const Graph& graph, NodeId node, DType dtype);

    /// Bytes that are no result's.
    std::int64_t held_bytes() const noexcept { return bytes_ - result_bytes_; }
    /// The largest tensor and its size, and how to need less; empty if there is so much memory.
    /// `cause`: called where there is not: the value for which lists are made dense.
    std::string misfit(const std::function<std::string()>& cause = {}) const;
    /// Errors: ShapeError that describes the misfit.
    void check(std::string_view who, const std::function<std::string()>& cause = {}) const;

private:
    std::string misfit(const runtime::FreeMemory& free, const std::function<std::string()>& cause) const;
    std::string advice(const std::function<std::string()>& cause) const;

    std::int64_t bytes_ = 0, result_bytes_ = 0, largest_bytes_ = 0;
    std::string largest_;
    std::vector<std::string> copied_;  ///< names of lists of which dense copies are made
    bool has_masked_result_ = false;
};

/// Refuses an expression whose dense results are too large for memory: they are made whole by any plan.
/// Errors: ShapeError.
void check_dense_results(const Graph& graph);

/// Bytes that an interpreted body holds: all values but its results, to its end.
/// Errors: ShapeError if there is not so much memory.
std::int64_t checked_interpreted_bytes(const Graph& body, std::span<const Argument> arguments);

}  // namespace frisket::planning
