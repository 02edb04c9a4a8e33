// SPDX-License-Identifier: MIT
#include "body_loops.hpp"

#include <algorithm>

#include "../../ir/passes/flatten_dims.hpp"
#include "extents.hpp"

namespace frisket::codegen {

BodyLoops loops_of_body(const Graph& graph, std::vector<LoopInput>& inputs, int lanes) {
    check_extents(graph);
    BodyLoops made;
    const std::optional<Shape> shape = ir::common_shape(graph);
    if (shape && shape->size() > 1 && std::ranges::all_of(inputs, is_contiguous_input)) {
        for (LoopInput& input : inputs) flatten(input);
        made.flat = ir::flattened(graph, *shape);
    }
    made.form = {.parallel = is_large(graph), .lanes = lanes};
    for (const LoopInput& input : inputs) made.form.inputs.push_back(form_of(input));
    const Graph& walked = made.flat ? *made.flat : graph;
    for (NodeId id = 0; id < static_cast<NodeId>(walked.nodes.size()); ++id)
        if (has_panels(walked, walked[id])) made.form.panels.push_back(id);
    made.pattern = pattern_of(walked);
    return made;
}

}  // namespace frisket::codegen
