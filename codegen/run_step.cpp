// SPDX-License-Identifier: MIT
#include "run_step.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "../dsl/phases.hpp"
#include "../runtime/call/check.hpp"
#include "evaluate.hpp"
#include "jit_graph.hpp"

namespace frisket {

namespace {

/// Phases of steps of this process, the last used first.
class Cache {
public:
    std::shared_ptr<const Phases> get(const Graph& step) {
        const std::size_t key = hash(step);
        const std::lock_guard lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            if (entry->key != key || !(entry->step == step)) continue;
            entries_.splice(entries_.begin(), entries_, entry);
            return entry->phases;
        }
        entries_.push_front({key, step, std::make_shared<const Phases>(split(step))});
        if (entries_.size() > most) entries_.pop_back();
        return entries_.front().phases;
    }

private:
    static constexpr std::size_t most = 64;
    struct Entry {
        std::size_t key;
        Graph step;
        std::shared_ptr<const Phases> phases;
    };
    std::mutex mutex_;
    std::list<Entry> entries_;
};

Cache& cache() {
    static auto* cache = new Cache;  // never destroyed, as static variables of the user's may outlive it
    return *cache;
}

}  // namespace

void run_step(const Graph& step, std::span<const Argument> arguments, const TargetName& target) {
    check_call(signature_of(step), arguments);
    const std::shared_ptr<const Phases> phases = cache().get(step);
    const TargetName host = find_target(target).gpu ? TargetName{"cpu"} : target;
    std::vector<Result> values;
    if (const Graph& graph = phases->values.graph; !graph.results.empty() || !graph.checks.empty())
        values = jit_evaluate(graph, PhaseArguments(phases->values, arguments, {}, false), host);
    for (const Phase& phase : phases->steps) {
        const bool is_last = &phase == &phases->steps.back();
        jit(phase.graph, target).call(PhaseArguments(phase, arguments, values, is_last));
    }
}

}  // namespace frisket
