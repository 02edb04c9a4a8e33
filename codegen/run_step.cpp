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
#include "row_step.hpp"

namespace frisket {

namespace {

/// How a step is run: over rows alone if that can be, and in any case by phases.
struct Plans {
    Plans(const Graph& step, const TargetName& target) : phases(split(step)) {
        if (find_target(target).gpu) return;
        if (auto plan = plan_rows(step)) rows.emplace(std::move(*plan), target);
    }
    Phases phases;
    std::optional<RowStep> rows;
};

/// Plans of steps of this process, the last used first.
class Cache {
public:
    std::shared_ptr<const Plans> get(const Graph& step, const TargetName& target) {
        const TargetRow* const row = &find_target(target);
        const std::size_t key = hash(step);
        const std::lock_guard lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            if (entry->key != key || entry->target != row || !(entry->step == step)) continue;
            entries_.splice(entries_.begin(), entries_, entry);
            return entry->plans;
        }
        entries_.push_front({key, row, step, std::make_shared<const Plans>(step, target)});
        if (entries_.size() > most) entries_.pop_back();
        return entries_.front().plans;
    }

private:
    static constexpr std::size_t most = 64;
    struct Entry {
        std::size_t key;
        const TargetRow* target;
        Graph step;
        std::shared_ptr<const Plans> plans;
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
    const std::shared_ptr<const Plans> plans = cache().get(step, target);
    if (plans->rows && plans->rows->run(arguments)) return;
    const Phases* const phases = &plans->phases;
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
