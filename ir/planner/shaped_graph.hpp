// SPDX-License-Identifier: MIT
// Builds a graph for the shapes of a call, and caches the last graph.
#pragma once
#include "../../runtime/support/fork.hpp"
#include "../graph.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace frisket::planning {

/// A graph with the facts that each call of it asks for: found once.
struct PreparedGraph {
    explicit PreparedGraph(Graph made)
        : graph(std::move(made)), signature(signature_of(graph)), number(hash(graph)) {}
    Graph graph;
    Signature signature;
    std::size_t number;  ///< its hash
};

/// A graph that is made for the shapes of a call, and reused by the next call with the same shapes.
/// FRISKET_SHOW=graph shows each one.
/// Threads: any number may ask for it.
class ShapedGraph {
public:
    using Describe = std::function<Graph(std::span<const Shape>)>;
    explicit ShapedGraph(Describe describe) : describe_(std::move(describe)) {}
    /// Errors: the errors of `describe`.
    std::shared_ptr<const PreparedGraph> for_shapes(const std::vector<Shape>& shapes);

private:
    Describe describe_;
    runtime::Mutex mutex_;
    std::vector<Shape> shapes_;  // shapes of the last call
    std::shared_ptr<const PreparedGraph> graph_;
};

}  // namespace frisket::planning
