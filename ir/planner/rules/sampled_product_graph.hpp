// SPDX-License-Identifier: MIT
// Builds the graph that evaluates reductions at listed elements only.
#pragma once
#include "../../graph.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frisket::planning {

/// Source of a symbol of a sampled graph.
struct SampleSource {
    enum class Kind : std::uint8_t {
        given,   ///< an argument
        index,   ///< for each listed position: its index along a dimension
        listed,  ///< the values of an argument at the listed positions
    };
    Kind kind = Kind::given;
    int which = 0;  ///< the symbol, or the dimension
};

/// True for a reduction that can be made for only the listed elements: one that keeps its last dimension.
bool can_be_sampled(const Graph& graph, const Node& node);

struct SampledGraph {
    Graph graph;
    std::vector<SampleSource> sources;  ///< source of each symbol
    bool spares = false;                ///< true if a reduction is made for fewer elements than it has
};

/// The results of an expression at positions of a masked symbol's shape, at which all of `same_mask` are
/// specified: their number is `coordinate_extent`.  `is_above` tells if there are more of them than a number.
/// Shape: every result has the shape of the masked symbols.
SampledGraph sampled_graph(const Graph& graph, const std::vector<int>& same_mask,
                           const std::function<bool(std::int64_t)>& is_above);

}  // namespace frisket::planning
