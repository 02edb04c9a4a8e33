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

/// What an element of a product costs on a list, in elements of the whole product: 5 to 15 were measured.
inline constexpr std::int64_t list_cost = 10;

/// An expression whose results are specified nowhere but where one of its masked arguments is, as an
/// expression over the list of these places: reductions that keep their last dimension, as products do, are
/// made for what is on the list, each in the order in which it would be made among all.  Where so much is
/// specified that the whole takes less time, as the same expression, with the same bits.
class Sampled {
public:
    /// Nothing if no reduction would be spared, or if the expression can be run as it is.
    /// Cost: linear in what the masked argument stores, and where that is a tenth of a product in the size of
    /// that; in the graph.
    static std::optional<Sampled> of(const Graph& graph, std::span<const Argument> arguments);

    /// Shape: results have one dimension, the list's, or are as they were.
    const Graph& graph() const noexcept { return graph_; }
    std::span<const Argument> arguments() const noexcept { return arguments_; }
    /// Results of that, put where they belong, in the layout of the masked argument.
    std::vector<Result> placed(std::vector<Result> made) const;

private:
    explicit Sampled(const AnyMasked& domain);
    void be_whole(const Graph& graph, std::span<const Argument> arguments, int domain);
    bool is_whole() const noexcept { return !strided_.empty(); }
    Result placed(const Result& result, bool has_own_mask) const;
    Result in_its_layout(const AnyMasked& made, bool has_own_mask) const;

    AnyMasked domain_, list_;  // as it is given, and as something with a list of positions
    Coordinates places_;
    Graph graph_;
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> kept_;      // that arguments refer to
    std::deque<AnyMasked> strided_;   // the domain of the whole
    std::vector<bool> has_own_mask_;  // of each result
};

}  // namespace frisket
