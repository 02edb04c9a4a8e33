// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "jit.hpp"

#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/show.hpp"
#include "jit_module.hpp"

namespace frisket {

namespace {

/// Kernels of this process: a step is compiled once for a target and a schedule.
runtime::LruCache<codegen::JitModule>& kernels() {
    constexpr std::size_t most = 256, most_bytes = std::size_t{1} << 30;
    return runtime::made_once([] { return runtime::LruCache<codegen::JitModule>(most, most_bytes); });
}

std::shared_ptr<codegen::JitModule> kernel_of(const Graph& graph, const TargetRow& target,
                                              const std::optional<Schedule>& schedule) {
    const auto matches = [&](const codegen::JitModule& known) {
        return &known.target() == &target && known.schedule() == schedule && known.graph() == graph;
    };
    return kernels().get(hash(graph), matches, [&] {
        if (runtime::shows("graph")) runtime::show("graph", graph.name, to_string(graph));
        return std::make_shared<codegen::JitModule>(graph, target, schedule);
    });
}

}  // namespace

CompiledKernel jit(const Graph& graph, const TargetName& target) {
    return CompiledKernel(kernel_of(graph, check_present(target), {}));
}

CompiledKernel jit(const Graph& graph, const Schedule& schedule, const TargetName& target) {
    return CompiledKernel(kernel_of(graph, check_present(target), schedule));
}

}  // namespace frisket
