// SPDX-License-Identifier: MIT
// Merges two stages of a step into one.
#pragma once
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "stage.hpp"

namespace frisket::planning {

/// True if both refer to one tensor, or one value.
bool is_same_source(const StageArgument& a, const StageArgument& b);

/// Two stages of a step on their way to one.  Its loops compute the values that the first one stores from the
/// former values of its targets, which the values bring along: so every element of a row of the second one's
/// targets can compute the number of its row, and all store the same.
class StageMerge {
public:
    /// Value of a target of the first stage before it: a result of the values, of this shape there.
    struct Before {
        Shape shape;
        SymbolKind kind = SymbolKind::in;
        Shape repeated = {};     ///< the shape that its argument repeats
        bool is_beside = false;  ///< loops must be told that it has the extents of other results
    };
    using ToBefore = std::function<Before(const StageArgument& target)>;
    /// Called when the first or the second stage's symbol has become the last symbol of the result, or the
    /// symbol of a target's former value (null).
    using NoteSymbol = std::function<void(const Stage* from, std::size_t symbol)>;

    /// Refers to the stages.
    StageMerge(Stage& values, const Stage& first, const Stage& second, ToBefore before,
               NoteSymbol note_symbol)
        : to_before_(std::move(before)),
          note_symbol_(std::move(note_symbol)),
          values_(values),
          first_(first),
          second_(second) {}

    /// Both as one.  `targets`: symbols that the first one writes.
    Stage merged(std::span<const int> targets);
    /// The masks of the former values, where they are masked.
    std::span<const NodeId> masks_before() const { return masks_before_; }

private:
    using Numbers = std::vector<int>;
    Numbers add_symbols(const Stage& stage, std::span<const int> written);
    void add_before(const Symbol& target, const StageArgument& source, int number);
    NodeId beside_others(NodeId read);
    void add_first(const Numbers& numbers);
    void add_second(const Numbers& numbers);
    NodeId add(Node node);
    void copy_nodes(const Graph& from, const Numbers& numbers, const auto& replaced,
                    const std::vector<NodeId>& in_place);

    ToBefore to_before_;
    NoteSymbol note_symbol_;
    Stage& values_;
    const Stage &first_, &second_;
    Stage made_;
    // Targets of the first stage, and the symbols of their former values.
    std::vector<std::pair<int, int>> before_;
    std::vector<NodeId> masks_before_;
    std::vector<std::pair<int, NodeId>> last_;  // targets, and their new values
};

}  // namespace frisket::planning
