// SPDX-License-Identifier: MIT
#pragma once
#include "../../../runtime/layouts/layout.hpp"
#include "../executor.hpp"

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
class SampledProduct {
public:
    /// Nothing if no reduction would be spared, or if the expression can be run as it is.
    /// Cost: linear in what the masked argument stores, and where that is a tenth of a product in the size of
    /// that; in the graph.
    static std::optional<SampledProduct> of(const Graph& graph, std::span<const Argument> arguments);

    /// The results, in the layout of the masked argument.
    std::vector<Result> run(const Executor& executor) const;

private:
    explicit SampledProduct(const AnyMasked& domain);
    void be_whole(const Graph& graph, std::span<const Argument> arguments, int domain);
    bool is_whole() const noexcept { return !strided_.empty(); }
    Executor::Within stage() const;
    /// Results over the list put where they belong.
    std::vector<Result> placed(std::vector<Result> made) const;
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

/// The results of an expression that such a product evaluates, or nothing.
std::optional<std::vector<Result>>
run_sampled_product(const Graph& graph, std::span<const Argument> arguments, const Executor& executor);

}  // namespace frisket
