// SPDX-License-Identifier: MIT
#include "shaped_graph.hpp"

#include <utility>

namespace frisket::plan {

std::shared_ptr<const Graph> ShapedGraph::for_shapes(const std::vector<Shape>& shapes) {
    const std::lock_guard lock(mutex_);
    if (!graph_ || shapes != shapes_) {
        std::vector<Shape> described = shapes;
        graph_ = std::make_shared<const Graph>(describe_(shapes));
        shapes_ = std::move(described);  // with its graph, or neither
    }
    return graph_;
}

}  // namespace frisket::plan
