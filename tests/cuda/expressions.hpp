// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "../../codegen/aot/wanted_loops.hpp"

namespace cuda_loops {

/// The loops of a named expression, or of a step with operations on whole tensors, on a device.
struct DeviceLoopsOf {
    std::string name;
    frisket::aot::WantedLoops wanted;
};

/// Sixty expressions: elements, choices, moves, reductions of elements and of rows, scans, lists, products,
/// losses, and gradients.
std::vector<DeviceLoopsOf> expressions();
/// The loops of a graph whose Masked symbols have a layout.
DeviceLoopsOf loops_of(const std::string& name, const frisket::Graph& graph, frisket::Layout layout);

}  // namespace cuda_loops
