// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "argument.hpp"
#include "kernel_module.hpp"

namespace frisket::kernel {

/// Kernels that put masked tensors in their places, `out = m`.
struct PutKernels {
    Device device;
    std::function<KernelModule&(DType dtype)> of;
};

/// Arguments of a device of which masked ones have layout strided, unless they are dense.  Their elements are
/// put in their places by kernels of that device.
std::vector<Argument> spread_arguments(const PutKernels& kernels, std::span<const Argument> given);

}  // namespace frisket::kernel
