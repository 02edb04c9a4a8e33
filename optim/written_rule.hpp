// SPDX-License-Identifier: MIT
#pragma once
#include "../ir/graph.hpp"
#include "rule.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace frisket::optim {

/// A rule whose step is a graph that is made at run time, with the options that a copy of it has.
class WrittenRule {
public:
    /// An option, its default and its range.
    struct OptionRow {
        std::string name;
        double value = 0;
        OptionRange range = {};
    };
    /// A tensor of the state, of the parameter's shape, and the number that it begins with.
    struct StateRow {
        std::string name;
        double initial = 0;
    };

    static constexpr std::size_t most_options = 16;

    /// `step` makes the graph of the step for parameters of float32 and of float64: elementwise, no shapes,
    /// with an InOut `param` that is updated, a Masked `grad`, an InOut for each state that it updates, and
    /// Scalars that are options or `t`, the number of the step.  It is called twice, and not kept.
    /// Errors: BindingError naming the rule and the symbol that is none of these, or two of one name;
    /// ValueError for a default outside of its range.
    WrittenRule(std::string name, std::vector<OptionRow> options, std::vector<StateRow> states,
                const std::function<Graph(DType)>& step);

    /// An optimizer's rule with these options.
    operator AnyRule() const;

private:
    struct Definition;
    friend struct WrittenRuleFunctions;

    std::shared_ptr<const Definition> definition_;
    std::vector<double> values_;  // options in their order
};

}  // namespace frisket::optim
