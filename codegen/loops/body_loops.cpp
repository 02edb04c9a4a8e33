// SPDX-License-Identifier: MIT
#include "body_loops.hpp"

#include <algorithm>

#include "../../ir/passes/flatten_dims.hpp"
#include "../../ir/passes/simplify.hpp"
#include "extents.hpp"

namespace frisket::codegen {

BodyLoops loops_of_body(const Graph& graph, std::vector<LoopInput>& inputs, int lanes) {
    check_extents(graph);
    BodyLoops made;
    const std::optional<Shape> shape = ir::common_shape(graph);
    if (shape && shape->size() > 1 && std::ranges::all_of(inputs, is_contiguous_input)) {
        for (LoopInput& input : inputs) flatten(input);
        made.walked = ir::flattened(graph, *shape);
    } else if (ir::has_repeats(graph)) {
        made.walked = ir::simplified(graph, ir::SeenViews::kept);
    }
    made.form = {.parallel = is_large(graph), .lanes = lanes};
    for (const LoopInput& input : inputs) made.form.inputs.push_back(form_of(input));
    const Graph& walked = made.walked ? *made.walked : graph;
    for (NodeId id = 0; id < static_cast<NodeId>(walked.nodes.size()); ++id) {
        if (has_panels(walked, walked[id])) made.form.panels.push_back(id);
        if (is_narrow(walked[id])) made.form.narrow.push_back(id);
        if (made.form.parallel && has_few_sums(walked, walked[id])) made.form.few.push_back(id);
    }
    made.pattern = pattern_of(walked);
    return made;
}

}  // namespace frisket::codegen
