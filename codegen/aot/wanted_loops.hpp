// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "../../ir/planner/enumerate.hpp"
#include "../loops/specialization.hpp"

namespace frisket::aot {

/// Number of float32 in a vector, in forms: loops of a processor are compiled for the target's.
inline constexpr int any_lanes = 8;

/// Loops of an expression.
struct WantedExpression {
    Graph graph;
    codegen::Specialization form;  ///< its lanes are the target's, unless its schedule names a vector
};

/// Loops of an elementwise step.
struct WantedStep {
    Graph graph;
    Schedule schedule;
    std::vector<bool> is_single = {};
};

/// Loops that a step or a function needs, each once, in the order in which plans have them.
struct WantedLoops {
    std::vector<WantedExpression> expressions = {};
    std::vector<WantedStep> steps = {};
};

/// Collects the loops that calls of given formats can need, on the processor or on a device: the loops of all
/// plans of their graphs.  Nothing is called, and no tensor has memory.
class LoopCollector {
public:
    explicit LoopCollector(bool on_device) : on_device_(on_device) {}

    /// Adds the loops of an expression, a step with shapes, or an elementwise step.  `layouts`: of its Masked
    /// symbols, in order.  `has_threads`: false adds loops without threads alone, which serve all calls.
    void add(const Graph& graph, std::span<const Layout> layouts, bool has_threads = true);
    /// All loops that were added.
    WantedLoops wanted() const;

private:
    /// Patterns that differ in numbers with formulas alone.
    struct SamePattern {
        codegen::Pattern general;
        codegen::Specialization form;
        std::size_t count = 0;  ///< number of sets of formulas
    };
    void add_body(const Graph& body, std::span<const planning::ValueForm> forms);
    void add_pass(const Graph& pass, std::span<const Layout> layouts);
    void add_rows(const planning::RowPlan& plan);
    bool add_expression(const Graph& graph, const codegen::Specialization& form);
    void add_step(const Graph& graph, Strategy strategy, std::vector<bool> is_single = {});
    bool is_new(std::string key) { return keys_.insert(std::move(key)).second; }

    const bool on_device_;
    bool has_threads_ = true;  // loops of the graph in progress may have threads
    std::unordered_set<std::string> keys_;
    std::map<std::string, SamePattern> same_;
    WantedLoops wanted_;
};

}  // namespace frisket::aot
