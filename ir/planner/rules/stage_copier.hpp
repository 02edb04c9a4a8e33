// SPDX-License-Identifier: MIT
// Copies nodes of a step into the graph of a stage.
#pragma once
#include "../../rewrite.hpp"
#include "stage.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace frisket::planning {

/// A stage in the making: copies of a step's nodes, over symbols of its own.
class StageCopier : public ir::Rewriter {
public:
    /// `replace` returns a node's replacement instead of its copy; null: it replaces nothing.
    explicit StageCopier(const Graph& step, Rule replace = nullptr);

    /// The symbol of the copy that represents one of the step, or a value that is computed first.
    int stage_symbol(Symbol symbol, StageArgument argument);
    int stage_symbol(int index);
    bool reads(int symbol) const;
    /// A symbol that the step writes, as it is in memory.
    NodeId read_memory(const Node& target);
    /// Copies the updates of some symbols, and the pairs of equal masks that they read.
    template <class IsCopied>
    void copy_updates(const IsCopied& is_copied) {
        for (NodeId id = 0; id < static_cast<NodeId>(step_.nodes.size()); ++id) {
            if (step_[id].kind != NodeKind::updated || !is_copied(step_[id])) continue;
            stage_symbol(step_[id].symbol);  // before the nodes from which it is computed
            copy(id);
        }
        for (const NodeId update : step_.updates)
            if (is_copied(step_[update])) graph().updates.push_back(copy(update));
        copy_equal_masks();
    }

    Stage stage() { return {finish(), std::move(arguments_)}; }

protected:
    const Graph& step() const noexcept { return step_; }

private:
    std::optional<NodeId> stand_in(NodeId id);
    void copy_equal_masks();

    const Graph& step_;
    Rule replace_;
    std::vector<StageArgument> arguments_;  // source of each symbol
};

/// The first stage of a step in the making: an expression whose results later stages read, from the tensors
/// as they are before the step.
class FirstStage : public StageCopier {
public:
    /// `prefix`: the start of the names by which later stages read its results, followed by their numbers.
    /// `replace`: as StageCopier's, for nodes that the stage does not compute itself.
    explicit FirstStage(const Graph& step, std::string prefix = "#", Rule replace = nullptr);

    /// Node by which another stage reads one that this stage computes: a tensor, with the mask of the node.
    NodeId read_value(StageCopier& reader, NodeId id);
    /// Index of the result that a node is, and true if it is a new one, which the caller adds.
    std::pair<int, bool> result_of(NodeId id);
    /// Copies all checks of the step.
    void copy_checks();

private:
    std::optional<NodeId> before_the_step(NodeId id);
    NodeId after_update(const Node& update);
    NodeId cast(NodeId value, DType dtype);

    const std::string prefix_;
    const Rule replace_;
    std::vector<NodeId> computed_;  // nodes of the step that are results
};

/// Conditions under which a step changes nothing.  Each is a stage of its own with a bool of rank 0 as its
/// result, so that lists of one are not merged with lists of another.  `replace(stage, node)` returns the
/// substitute of a node, or nothing.
std::vector<Stage>
skips_of(const Graph& step,
         const std::function<std::optional<NodeId>(FirstStage& stage, NodeId id)>& replace = nullptr);

}  // namespace frisket::planning
