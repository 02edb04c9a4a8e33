// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "program.hpp"

namespace fuzz {

/// A kernel that was compiled when this program was built.
struct KernelAhead {
    std::string name;
    Graph graph;
    CompiledKernel kernel;
    /// Layouts of its masked arguments, one of which is chosen for a call, for each argument in order.
    std::vector<std::vector<Layout>> layouts;
};

/// All of them; none on processors for which the build makes none.
std::span<const KernelAhead> kernels_ahead();

/// A call of one of them, the same for the same seed.
Program generate_ahead(std::uint32_t seed);

}  // namespace fuzz
