// SPDX-License-Identifier: MIT
#pragma once
#include "coordinate_set.hpp"
#include "iteration_space.hpp"
#include "residual_graph.hpp"

#include <map>
#include <optional>
#include <span>

namespace frisket {

/// What instructions that are made apart read: values at the places of an expression over lists.
class SparseOperands {
public:
    SparseOperands(const Graph& graph, std::span<const Argument> arguments, const IterationSpace& space);

    const Graph& graph() const noexcept { return graph_; }
    const IterationSpaceAnalysis& nodes() const noexcept { return nodes_; }
    const CoordinateSet& places() const noexcept { return places_; }

    /// Evaluates instructions of which nodes().lists() is true; once, before the rest.
    void prepare(std::span<const NodeId> ids, const Executor& executor);
    /// What was prepared, an element for each place.
    const AnyTensor& values(NodeId id) const { return at_places_.at(id); }

    /// Whether an instruction is a masked argument, or its mask, that is a list.
    bool is_list(NodeId id) const;
    /// That, or what was prepared: of bools where they are true, of others where they may be specified.
    SparseVector listed(NodeId id) const;
    /// Whether an instruction reads no list.
    bool reads_no_list(NodeId id) const { return !reads_list_[static_cast<std::size_t>(id)]; }
    /// Values of an instruction that reads none, and is not masked.
    AnyTensor dense(NodeId id, const Executor& executor) const;

private:
    bool read_given(NodeId id);

    const Graph& graph_;
    std::span<const Argument> arguments_;
    IterationSpaceAnalysis nodes_;
    CoordinateSet places_;
    std::vector<bool> reads_list_;  // of each instruction
    std::map<NodeId, AnyTensor> at_places_;
};

}  // namespace frisket
