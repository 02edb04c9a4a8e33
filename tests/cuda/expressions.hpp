// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "../../codegen/aot/recorded_loops.hpp"

namespace cuda_loops {

/// The loops that a named expression, or a step with operations on whole tensors, asks a device for.
struct DeviceLoopsOf {
    std::string name;
    frisket::aot::WantedLoops wanted;
};

/// Sixty expressions: elements, choices, moves, reductions of elements and of rows, scans, lists, products,
/// losses, and gradients.
std::vector<DeviceLoopsOf> expressions();
/// The loops of a step for tensors of 64 x 64.
DeviceLoopsOf loops_of(const std::string& name, const frisket::Graph& step);

}  // namespace cuda_loops
