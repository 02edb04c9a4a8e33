// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/lru_cache.hpp"

namespace frisket::codegen {

/// Place of a number in a graph: a constant, or a step of a view.
struct NumberPlace {
    NodeId node = no_node;
    int attribute = -1;  ///< attribute of the node; -1: the constant itself
    auto operator<=>(const NumberPlace&) const = default;
};

/// A number for which loops may have a formula of their own: an exponent, a divisor, the step of a view.
struct FormulaNumber {
    NumberPlace place;
    std::int64_t value = 0;  ///< its bits
};

/// A graph without the numbers that each call brings: loops are made for this.
struct Pattern {
    Graph graph;
    std::vector<NumberPlace> numbers = {};     ///< numbers that the graph no longer has
    std::vector<NodeId> not_nan = {};          ///< limits among `numbers` that are no NaN
    std::vector<FormulaNumber> formulas = {};  ///< numbers with formulas, which are in the graph

    /// True if both have equal loops.
    bool operator==(const Pattern& other) const {
        return numbers == other.numbers && not_nan == other.not_nan && graph == other.graph;
    }
    /// The graph for people: numbers of a call have names.
    Graph named() const;
    /// The computation of an expression, for people.
    std::string title() const;
};

/// Extents are whether they are 1, and constants are numbers of a call, but for truth values and formulas.
Pattern pattern_of(Graph graph);
/// The pattern of a graph without any formulas.
Pattern general_pattern_of(Graph graph);

/// Choice of the formulas that loops are made for: at each slot the formulas of the first values that come,
/// so that the number of compiled loops is bounded.
class Formulas {
public:
    /// Takes those out of a pattern for which no loops of their own are made.  Threads: any may call it.
    void limit(Pattern& pattern);

private:
    static constexpr std::size_t most_values = 16;    // in one slot
    static constexpr std::size_t most_together = 64;  // combinations of them
    static constexpr std::size_t most_patterns = 256;

    /// The formulas that came in patterns that are equal but for them.
    struct Known {
        Pattern general;
        std::map<NumberPlace, std::vector<std::int64_t>> values = {};
        std::vector<std::vector<std::pair<NumberPlace, int>>> together = {};  // number of the value at each
                                                                              // place, -1: none
    };
    std::shared_ptr<Known> known_of(const Pattern& pattern);

    runtime::Mutex mutex_;
    runtime::LruCache<Known> known_{most_patterns};
};

}  // namespace frisket::codegen
