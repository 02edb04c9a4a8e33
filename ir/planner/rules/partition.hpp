// SPDX-License-Identifier: MIT
#pragma once
#include "../../interpreter/interpret.hpp"

#include <deque>
#include <span>
#include <vector>

/// A step with reductions, views and the like, taken apart into what loops can do: values that are computed
/// first, and then elementwise steps.
namespace frisket::plan {

/// Source of an argument of a phase.
struct PhaseArgument {
    bool is_value = false;  ///< a result of the first phase, else an argument of the step
    int index = 0;
    int over = -1;  ///< masked result: the Masked argument whose mask it has
    bool operator==(const PhaseArgument&) const = default;
};

struct Stage {
    Graph graph;
    std::vector<PhaseArgument> arguments;  ///< source of each symbol of the graph
};

/// Parts of a step's call, in the order in which they run.
struct Partition {
    /// An expression: what the steps need that is no elementwise function of their arguments, from the
    /// tensors as they are before the step, and all checks of values.
    Stage values;
    /// Steps without shapes: one for each shape of targets, in the order of their first updates.
    std::vector<Stage> steps;
};

/// Shape: `step` has shapes.  The steps keep the names and the order of the updates.
Partition partition(const Graph& step);

/// The arguments of a phase, given those of the step and the results of the first phase, which they refer to.
/// Numbers that every phase updates are kept by the last alone.
class PhaseArguments {
public:
    PhaseArguments(const Stage& phase, std::span<const Argument> given, std::span<const Result> values,
                   bool is_last);
    operator std::span<const Argument>() const { return arguments_; }

private:
    void add(const Result& value, const Argument& over);

    std::vector<Argument> arguments_;
    std::deque<double> states_;
    std::deque<AnyMasked> masked_;
    std::deque<AnyTensor> dense_;
};

}  // namespace frisket::plan
