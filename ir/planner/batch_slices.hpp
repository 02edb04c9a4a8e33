// SPDX-License-Identifier: MIT
// Slices a graph along its batch dimension.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "../graph.hpp"

namespace frisket::planning {

/// A graph whose results are made separately for each index of dimension 0, the batch.
struct BatchSlices {
    std::int64_t extent = 0;       ///< indices of the batch
    std::vector<bool> is_sliced;   ///< for each symbol: its dimension 0 is the batch
    std::vector<bool> is_batched;  ///< the same for each node
};

/// Nothing if the elements of a result depend on more than their index of the batch.
/// Shape: the results have shapes.  Cost: linear in the graph.
std::optional<BatchSlices> batch_slices(const Graph& graph);

/// The graph for `items` indices of the batch.
Graph with_items(Graph graph, const BatchSlices& slices, std::int64_t items);

}  // namespace frisket::planning
