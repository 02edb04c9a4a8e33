// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/layouts/layout.hpp"
#include "interpret.hpp"

#include <deque>
#include <optional>
#include <span>
#include <vector>

/// Products of which few elements are wanted: `on(m, matmul(a, b))` for the specified elements of m alone.
namespace frisket {

/// An expression whose results are specified nowhere but where one of its masked arguments is, as an
/// expression over the list of these places: reductions that keep their last dimension, as products do, are
/// made for what is on the list, each in the order in which it would be made among all.
class Sampled {
public:
    /// Nothing if no reduction would be spared.
    /// Cost: linear in what the masked argument stores; in the graph.
    static std::optional<Sampled> of(const Graph& graph, std::span<const Argument> arguments);

    /// Shape: results have one dimension, the list's.
    const Graph& graph() const noexcept { return graph_; }
    std::span<const Argument> arguments() const noexcept { return arguments_; }
    /// Results over the list, put where they belong, in the layout of the masked argument.
    std::vector<Result> placed(std::vector<Result> listed) const;

private:
    explicit Sampled(const AnyMasked& domain);
    Result placed(const Result& listed) const;

    AnyMasked domain_, list_;  // as it is given, and as something with a list of positions
    Coordinates places_;
    Graph graph_;
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> kept_;  // that arguments refer to
};

}  // namespace frisket
