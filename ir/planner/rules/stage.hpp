// SPDX-License-Identifier: MIT
// Defines stages of a step: graphs and the sources of their arguments.
#pragma once
#include "../../interpreter/interpret.hpp"

#include <deque>
#include <span>
#include <vector>

/// Parts of a step's call: graphs with symbols of their own, and their arguments.
namespace frisket::planning {

/// Source of an argument of a stage.
struct StageArgument {
    bool is_value = false;  ///< a result of the first stage, else an argument of the step
    int index = 0;
    int over = -1;           ///< masked result: the Masked argument whose mask it has
    bool is_masked = false;  ///< masked result: it keeps its mask, or its list
    /// The shape over which each of its elements is repeated along a row: it is read, or written, as a view
    /// of this shape.  Empty: as it is.
    Shape repeated = {};
    bool operator==(const StageArgument&) const = default;
};

struct Stage {
    Graph graph;
    std::vector<StageArgument> arguments;  ///< source of each symbol of the graph

    /// True if an argument's elements are repeated along rows.
    bool repeats() const;
    /// True if it reads results of the first stage.
    bool reads_values() const;
};

/// The arguments of a stage, given the arguments of the step and the results of the first stage, which they
/// refer to.  Only the last stage stores numbers that every stage updates.
class StageArguments {
public:
    StageArguments(const Stage& stage, std::span<const Argument> given, std::span<const Result> values,
                   bool is_last);
    operator std::span<const Argument>() const { return arguments_; }

private:
    void add(const Result& value, const Argument& over, bool is_masked);
    void repeat(const Shape& shape);

    std::vector<Argument> arguments_;
    std::deque<double> states_;
    std::deque<AnyMasked> masked_;
    std::deque<AnyTensor> dense_;
};

}  // namespace frisket::planning
