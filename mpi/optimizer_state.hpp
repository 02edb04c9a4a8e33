// SPDX-License-Identifier: MIT
// Internal: what an optimizer of many ranks keeps.
#pragma once
#include <optional>

#include "channel.hpp"
#include "entries.hpp"
#include "optimizer.hpp"

namespace frisket::mpi {

/// A parameter on this rank.
struct Optimizer::Slot {
    std::string name;
    TableShape whole;
    std::optional<ShardedTable> table;   // if it is one
    std::optional<Placement> placement;  // rows of this rank; none: it has all, as every other rank
    AnyTensor tensor;                    // all of a dense parameter
    AnyTensor local;                     // what this rank updates
    std::vector<std::int64_t> slices;    // first element of each rank, and the end, of a dense parameter

    bool is_table() const { return table.has_value(); }
    bool is_sharded() const { return placement.has_value(); }
    /// Finds the slices of a dense parameter.
    void cut(int ranks);
};

struct Optimizer::Implementation {
    Implementation(const Communicator& ranks, const Settings& given) : communicator(ranks), settings(given) {}

    Communicator communicator;
    Settings settings;
    std::vector<Slot> slots;  // in the order in which parameters were added
    std::optional<optim::Optimizer> steps;
    std::vector<std::int64_t> said, heard;  // numbers that ranks tell each other at a step

    detail::Channel& channel() const { return communicator.channel(); }
    Slot slot_of(const Parameter& parameter) const;
    /// Errors: ValueError.
    void check_rows(const optim::AnyRule& rule, const Slot& slot) const;
    void add(const optim::AnyRule& rule, const std::vector<Parameter>& parameters);
    /// Facts that must be the same on all ranks.
    std::vector<detail::Fact> facts(const optim::AnyRule& rule, const std::vector<Slot>& added) const;
    std::vector<detail::Fact> option_facts() const;
    /// Numbers of a step's options and of all rules', `added` being one more.
    std::vector<double> options(const optim::GradientOptions& options,
                                const optim::AnyRule* added = nullptr) const;
};

/// True if the graph of a step computes every row of its tensors of itself.
/// Shape: the first dimension of the parameter has `rows`.
bool is_by_row(const Graph& graph, std::int64_t rows);

}  // namespace frisket::mpi
