// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "jit_graph.hpp"

#include <list>

#include "../runtime/show.hpp"
#include "jit_source.hpp"

namespace frisket {

namespace {

/// Kernels of this process, the last used first: the same step for the same target is compiled once.
class Cache {
public:
    std::shared_ptr<JitSource> get(const Graph& graph, const TargetRow& target,
                                   const std::optional<Schedule>& schedule) {
        const std::size_t key = hash(graph);
        const std::lock_guard lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            const JitSource& known = *entry->source;
            if (entry->key != key || &known.target() != &target || known.schedule() != schedule ||
                !(known.graph() == graph))
                continue;
            entries_.splice(entries_.begin(), entries_, entry);
            return entry->source;
        }
        if (shows("graph")) show("graph", graph.name, to_string(graph));
        entries_.push_front({key, std::make_shared<JitSource>(graph, target, schedule)});
        if (entries_.size() > most) entries_.pop_back();
        return entries_.front().source;
    }

private:
    static constexpr std::size_t most = 256;  // a kernel takes half a megabyte a loop
    struct Entry {
        std::size_t key;
        std::shared_ptr<JitSource> source;
    };
    std::mutex mutex_;
    std::list<Entry> entries_;
};

Cache& cache() {
    // Never destroyed: kernels in static variables of the user's may outlive any order we could choose.
    static auto* cache = new Cache;
    return *cache;
}

}  // namespace

CompiledKernel jit(const Graph& graph, const TargetName& target) {
    return CompiledKernel(cache().get(graph, check_present(target), {}));
}

CompiledKernel jit(const Graph& graph, const Schedule& schedule, const TargetName& target) {
    return CompiledKernel(cache().get(graph, check_present(target), schedule));
}

}  // namespace frisket
