// SPDX-License-Identifier: MIT
// Graphs of steps that were recorded, for libraries of kernels that have such steps.
#include "../../ir/passes/recording.hpp"
#include "../../runtime/kernel/aot_module.hpp"

namespace frisket::aot {

namespace {

Graph graph_of(const char* name, Rows<const char*> recordings, std::span<const Shape> shapes) {
    const std::vector<std::string_view> texts(recordings.begin(), recordings.end());
    return ir::recorded_graph(name, texts, shapes);
}

}  // namespace

const RecordedSteps recorded_steps{graph_of};

}  // namespace frisket::aot
