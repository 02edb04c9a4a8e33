// SPDX-License-Identifier: MIT
#include "shaped_graph.hpp"

#include <utility>

#include "../../runtime/tensor/show.hpp"
#include "../graph_text.hpp"

namespace frisket::planning {

std::shared_ptr<const PreparedGraph> ShapedGraph::for_shapes(const std::vector<Shape>& shapes) {
    const std::lock_guard lock(mutex_);
    if (!graph_ || shapes != shapes_) {
        std::vector<Shape> described = shapes;
        auto made = std::make_shared<const PreparedGraph>(describe_(shapes));
        if (runtime::shows("graph")) runtime::show("graph", made->graph.name, to_string(made->graph));
        graph_ = std::move(made);
        shapes_ = std::move(described);  // with its graph, or neither
    }
    return graph_;
}

}  // namespace frisket::planning
