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

/// Loops of an expression, or of an elementwise step.
struct WantedLoop {
    Graph graph;
    codegen::Specialization form;  ///< for any target; an expression's schedule may name a vector
    bool operator==(const WantedLoop&) const = default;
};

/// Loops that a step or a function needs, each once, in the order in which plans have them.
using WantedLoops = std::vector<WantedLoop>;

/// Collects the loops that calls of given formats can need, on the processor or on a device: the loops of all
/// plans of their graphs.  Nothing is called, and no tensor has memory.
class LoopCollector {
public:
    explicit LoopCollector(bool on_device) : on_device_(on_device) {}

    /// Adds the loops of an expression, a step with shapes, or an elementwise step.  `layouts`: the layouts
    /// of its Masked symbols, in order.  `has_threads`: false adds only loops without threads, which serve
    /// all calls.
    void add(const Graph& graph, std::span<const Layout> layouts, bool has_threads = true);
    /// All loops that were added.
    WantedLoops wanted() const;

private:
    /// Patterns that differ only in numbers with formulas.
    struct SamePattern {
        codegen::Pattern general;
        codegen::Specialization form;
        std::size_t count = 0;  ///< number of sets of formulas
    };
    void add_body(const Graph& body, std::span<const planning::ValueForm> forms);
    void add_pass(const Graph& pass, std::span<const Layout> layouts);
    void add_rows(const planning::RowPlan& plan);
    /// True if the loop is new.
    bool add_loop(const Graph& graph, const codegen::Specialization& form);
    void add_step(const Graph& graph, Strategy strategy, std::vector<bool> is_single = {});

    const bool on_device_;
    bool has_threads_ = true;  // loops of the graph in progress may have threads
    std::unordered_set<std::string> keys_;
    std::map<std::string, SamePattern> same_;
    WantedLoops wanted_;
};

}  // namespace frisket::aot
