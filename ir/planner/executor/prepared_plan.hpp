// SPDX-License-Identifier: MIT
// Caches plans and their compiled bodies between calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../../runtime/support/fork.hpp"
#include "../body_stage.hpp"
#include "../planner.hpp"
#include "backend.hpp"

namespace frisket::planning {

/// A body as it is stored between calls of a plan.
struct KeptBody {
    std::int64_t count = 0;                   ///< number of coordinates
    std::shared_ptr<const Graph> graph = {};  ///< with that number as extent; null: it has no such extent
    KeptCall call = nullptr;                  ///< as the backend keeps it
};

/// The slot of a stored body in a plan.  Threads: any number.
class KeptBodySlot {
public:
    KeptBody load() const {
        const std::lock_guard lock(mutex_);
        return body_;
    }
    void store(KeptBody body) {
        const std::lock_guard lock(mutex_);
        std::swap(body_, body);
    }
    bool is_empty() const { return load().call == nullptr; }

private:
    mutable runtime::Mutex mutex_;
    KeptBody body_;
};

/// A body in a call of a plan: as its slot keeps it, if it was called with this number of coordinates last.
class CallBody {
public:
    /// Over whole tensors.  `slot`: null if nothing is stored.
    CallBody(KeptBodySlot* slot, const Graph& whole) : slot_(slot), graph_(&whole) {
        if (slot_ != nullptr) body_ = slot_->load();
    }
    /// Over coordinates, whose extent is `coordinate_extent` in the graph that `take` returns.
    template <class Take>
    CallBody(KeptBodySlot* slot, std::int64_t count, const Take& take) : slot_(slot) {
        if (slot_ != nullptr) body_ = slot_->load();
        if (body_.graph == nullptr || body_.count != count)
            body_ = {count, std::make_shared<const Graph>(with_extent(take(), count))};
        graph_ = body_.graph.get();
    }
    const Graph& graph() const noexcept { return *graph_; }
    /// Errors: the errors of the graph's checks.
    std::vector<Result> evaluate(const Backend& backend, std::span<const Argument> arguments,
                                 RunEvents* events, std::span<const ResultMemory> memory);

private:
    KeptBodySlot* slot_;
    KeptBody body_;
    const Graph* graph_ = nullptr;
};

class KeptPlan;

/// A plan as the executor runs it: its graph, the plan of its rest, and the bodies that repeated calls reuse.
class PreparedPlan {
public:
    /// `plan`: the request's; nothing: the graph is one body over whole tensors.  Refers to the graph and the
    /// operands of the request.  `arguments`: number of the call's.  `is_kept`: for several calls, which keep
    /// bodies.
    PreparedPlan(const PlanRequest& request, std::optional<Plan> plan, ValueId arguments, bool is_kept);
    PreparedPlan(const PreparedPlan&) = delete;
    PreparedPlan& operator=(const PreparedPlan&) = delete;

    const Graph& graph() const noexcept { return graph_; }
    /// The graph that was planned, of which the nodes of stages are.
    const Graph& form() const noexcept { return plan_ && plan_->form ? *plan_->form : graph_; }
    const std::optional<Plan>& plan() const noexcept { return plan_; }
    std::span<const ValueId> operands() const noexcept { return operands_; }
    /// Number of values before the plan's values.
    ValueId value_count() const noexcept { return value_count_; }
    /// Values that nothing reads after a stage.
    std::span<const ValueId> given_up_after(std::size_t stage) const noexcept { return given_up_[stage]; }
    ValueId argument_count() const noexcept { return argument_count_; }
    bool is_kept() const noexcept { return !slots_.empty(); }
    /// The graph of a stage's body, or of the rest, moved out of a plan that is not stored.
    Graph take_body(std::size_t stage);
    Graph take_rest();
    /// The slot of a stage's body, of the graph's for whole_graph(); null in a plan that is not stored.
    KeptBodySlot* slot(std::size_t stage) noexcept { return slots_.empty() ? nullptr : &slots_[stage]; }
    std::size_t whole_graph() const noexcept { return plan_ ? plan_->stages.size() : 0; }
    /// The plan of the rest; null without a rest, or if results of stages decide it.
    PreparedPlan* rest() noexcept { return rest_.get(); }
    /// The rest as the results of stages decide it: `arguments` of its symbols, and the number of sampled
    /// positions, if it is over these.  Planned, unless it was the same in the last call.
    std::shared_ptr<KeptPlan> late_rest(std::span<const Argument> arguments, std::int64_t positions,
                                        PlanScope scope);

private:
    const Graph& graph_;
    const std::span<const ValueId> operands_;
    const ValueId value_count_, argument_count_;
    std::optional<Plan> plan_;
    std::vector<std::vector<ValueId>> given_up_;
    std::vector<KeptBodySlot> slots_;
    std::unique_ptr<PreparedPlan> rest_;
    runtime::Mutex mutex_;
    std::shared_ptr<KeptPlan> late_;  // the rest of the last call, and its positions
    std::int64_t late_positions_ = 0;
};

/// A graph with its plan and the facts for which that was made.
class KeptPlan {
public:
    /// Parameters: as for PlanRequest and PreparedPlan.
    struct Call {
        std::vector<ValueId> operands;
        ValueId value_count;
        ValueId argument_count;
        bool is_in_form = false;
        MadeLists made = {};
        PlanScope scope = PlanScope::any;
        bool is_kept = true;
    };
    KeptPlan(Graph graph, Call call, std::span<const Argument> arguments);
    /// Plans the call of a whole graph.
    KeptPlan(Graph graph, std::span<const Argument> arguments, PlanScope scope);

    const Graph& graph() const noexcept { return graph_; }
    PreparedPlan& plan() noexcept { return *plan_; }
    /// True if the plan depends on the specified elements of masked arguments.
    bool reads_masks() const noexcept { return !facts_.empty(); }
    /// True if the plan is for these arguments.
    bool is_for(std::span<const Argument> arguments) const;

private:
    const Graph graph_;
    const std::vector<ValueId> operands_;
    std::vector<Format> formats_;
    std::vector<KnownFact> facts_;
    std::optional<PreparedPlan> plan_;
};

/// The plans of a step's stages in its last call.  Threads: any number.
class KeptStages {
public:
    /// The plan of a stage, made unless the last call had it.
    std::shared_ptr<KeptPlan> plan_of(const Stage& stage, std::span<const Argument> arguments,
                                      PlanScope scope);

private:
    runtime::Mutex mutex_;
    std::map<const Stage*, std::shared_ptr<KeptPlan>> plans_;
};

}  // namespace frisket::planning
