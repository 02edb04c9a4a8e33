// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "jit_graph.hpp"

#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/tensor/show.hpp"
#include "jit_module.hpp"

namespace frisket {

namespace {

/// Kernels of this process: a step is compiled once for a target and a schedule.
LruCache<JitModule>& kernels() {
    constexpr std::size_t most = 256, most_bytes = std::size_t{1} << 30;
    // Never destroyed: kernels in static variables of the user's may outlive any order we could choose.
    static auto* cache = new LruCache<JitModule>(most, most_bytes);
    return *cache;
}

std::shared_ptr<JitModule> kernel_of(const Graph& graph, const TargetRow& target,
                                     const std::optional<Schedule>& schedule) {
    const auto matches = [&](const JitModule& known) {
        return &known.target() == &target && known.schedule() == schedule && known.graph() == graph;
    };
    return kernels().get(hash(graph), matches, [&] {
        if (shows("graph")) show("graph", graph.name, to_string(graph));
        return std::make_shared<JitModule>(graph, target, schedule);
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
