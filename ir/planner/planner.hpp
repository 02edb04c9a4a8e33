// SPDX-License-Identifier: MIT
// Plans calls by the first rule that applies.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan.hpp"
#include "plan_facts.hpp"
#include "rules/partition.hpp"
#include "rules/row_blocks.hpp"

namespace frisket::planning {

/// The values that the graph of a call reads: its arguments in their order.
std::vector<ValueId> argument_values(std::size_t count);

struct PlanAnalyses;  // list_analysis.hpp

/// A graph with shapes, the facts of its arguments, and the values that its symbols read.
struct PlanRequest {
    const Graph& graph;
    const PlanFacts& facts;
    std::span<const ValueId> operands;  ///< number of each symbol's value
    ValueId value_count;                ///< number of values so far
    ValueId argument_count = no_value;  ///< number of values that are arguments of the call; no_value: all
    bool is_in_form = false;            ///< as of RestOfPlan
    const MadeLists* made = nullptr;    ///< lists that stages have made; null: none
    PlanScope scope = PlanScope::any;
    bool makes_few_whole = false;  ///< factors of products that are lists of few elements may be tensors
    bool samples_lines = false;    ///< sampled sums of products may read lines of these
    bool makes_views = false;      ///< views of dense tensors are stages of their own, whatever reads them
    bool repeats_masks = false;    ///< masks of terms that repeat lists are lists
    mutable std::shared_ptr<PlanAnalyses> analyses = {};  ///< null: none was asked for

    /// The request for another graph with the same symbols.
    PlanRequest with(const Graph& other) const {
        return {other, facts, operands,        value_count,   argument_count, false,
                made,  scope, makes_few_whole, samples_lines, makes_views,    repeats_masks};
    }
    /// True for a symbol that reads a stage's result.
    bool is_made(int symbol) const {
        const ValueId arguments = argument_count == no_value ? value_count : argument_count;
        return operands[static_cast<std::size_t>(symbol)] >= arguments;
    }
    /// True for a symbol that reads a product with a dense factor, of which some columns are listed.
    bool is_of_lines(int symbol) const {
        return made != nullptr && made->lines.contains(operands[static_cast<std::size_t>(symbol)]);
    }
    /// Number of elements that a symbol reads; for a view that repeats a tensor, the elements that it shows.
    std::int64_t stored_elements(int symbol) const;
    /// True for lists that store equal positions in one layout.  Lists of elements of which a stage has made
    /// one are compared only by the facts that plans know.
    bool have_same_places(int symbol, int other) const;
};

/// The list whose indices a list has, the first one of those that have them.
ValueId indices_of(const MadeLists& made, ValueId list);

/// Plans in the making.
class PlanBuilder {
public:
    explicit PlanBuilder(const PlanRequest& request) {
        constexpr std::size_t usual_count = 2;
        plan_.stages.reserve(usual_count);
        plan_.value_count = request.value_count;
    }

    ValueId new_value() { return plan_.value_count++; }
    /// `node`: the node that a list kernel makes, which later stages read by `name`.
    template <class Action>
    void add(const RuleInfo& rule, Action action, NodeId node = no_node, std::string name = {}) {
        plan_.stages.emplace_back(&rule, std::move(action), node, std::move(name));
    }
    Plan& plan() noexcept { return plan_; }
    Plan finish() { return std::move(plan_); }

private:
    Plan plan_;
};

/// A set of kinds of node.
class NodeKinds {
public:
    /// The kinds for which a claim about their row is true.
    static constexpr NodeKinds where(bool (*is_in)(NodeKind)) {
        NodeKinds found;
        for (std::size_t i = 0; i < std::size(node_kinds); ++i)
            if (is_in(static_cast<NodeKind>(i))) found.add(static_cast<NodeKind>(i));
        return found;
    }
    static constexpr NodeKinds all() {
        return where([](NodeKind) { return true; });
    }
    explicit NodeKinds(const Graph& graph) {
        for (const Node& node : graph.nodes) add(node.kind);
    }
    constexpr NodeKinds(std::initializer_list<NodeKind> kinds) {
        for (const NodeKind kind : kinds) add(kind);
    }
    constexpr bool have_any_of(NodeKinds others) const { return (bits_ & others.bits_) != 0; }

private:
    constexpr NodeKinds() = default;
    constexpr void add(NodeKind kind) { bits_ |= std::uint32_t{1} << static_cast<unsigned>(kind); }

    std::uint32_t bits_ = 0;
};

/// A rule that plans calls.  Each is a file in rules/calls, NAME.cpp with a function NAME_plan_rule(); the
/// build lists that folder.
/// The order of the last rule that makes lists of a graph's operands, or reads them at the positions of a
/// list; before later rules, products have their factors restricted (restricted_factors.hpp).
constexpr int last_list_rule = 5;

struct PlanRule {
    int order;  ///< the smallest one that applies plans
    std::optional<Plan> (*plan)(const PlanRequest&);
    std::vector<const RuleInfo*> rules;  ///< by which it plans
    bool on_devices = false;             ///< it reads no list: it plans calls of devices, too
    NodeKinds kinds = NodeKinds::all();  ///< it plans no graph without a node of these
};

/// All rules.
std::vector<const RuleInfo*> rule_table();

/// The rest of a plan: a graph without nodes and symbols that nothing reads.  `operands`: the values of its
/// symbols.
RestOfPlan rest_of(Graph graph, std::span<const ValueId> operands);

/// The next stages of a call by the first rule that applies.  Nothing if none does: the graph is one body
/// over whole tensors.
/// Shape: the call has been checked, also that masks which meet are equal.
/// Cost: linear in the graph and in the lists of indices that are compared.
std::optional<Plan> plan_call(const PlanRequest& request);

/// Plans of a call where facts decide that only its stages give.
enum class Branches : std::uint8_t {
    left_open,   ///< the plan names the facts it may need: plans are made when they are known
    enumerated,  ///< the plan asks the test that decides, and has a branch for each answer
};
/// The plan of a call, with the plan of the rest that each of its plans leaves: as far as facts about
/// arguments go.
std::optional<Plan> plan_whole_call(const PlanRequest& request, Branches branches = Branches::left_open);

struct StepPart;

/// The plan of a step with shapes.
struct StepPlan {
    Partition parts;                    ///< values first, then in-place passes
    std::optional<RowPlan> row_blocks;  ///< the same by blocks of listed rows, for calls that allow it
    /// First stage of a step with gradients that are lists, which makes them; the steps that read them
    /// replace both above, from which `parts` has only the skips.
    Stage gradients = {};
    std::vector<StepPart> steps = {};
};

/// A step that is part of another.
struct StepPart {
    Stage stage;
    StepPlan plan;
};

/// Shape: `step` has shapes.
StepPlan plan_step(const Graph& step);

}  // namespace frisket::planning
