// SPDX-License-Identifier: MIT
#include "product_dims.hpp"

#include "../at.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

constexpr std::uint64_t bit(std::size_t dim) { return std::uint64_t{1} << dim; }

void add_parts(ir::Rewriter& to, RepeatedDims& repeated, NodeId mask, bool through_views,
               std::vector<NodeId>& parts) {
    const bool is_seen = through_views && to[mask].kind == NodeKind::view;
    const Node both = to[is_seen ? to[mask].operands[0] : mask];
    const auto has_dims = [&](NodeId one) {
        const Node& part = to[one];
        return !part.is_host_scalar && part.shape.size() == both.shape.size() &&
               (!is_seen || part.shape == both.shape);
    };
    const bool is_and = both.kind == NodeKind::op && both.op == op_id<op::LogicalAnd> &&
                        !both.is_host_scalar && std::ranges::all_of(both.operands, has_dims);
    if (!is_and) {
        if (std::ranges::find(parts, mask) == parts.end()) parts.push_back(mask);
        return;
    }
    const Node view = to[mask];
    for (const NodeId one : both.operands) {
        Node part = view;
        part.operands = {one};
        add_parts(to, repeated, is_seen ? repeated.view(std::move(part)) : one, through_views, parts);
    }
}

/// Gives each part of a mask of terms to the factor that it restricts.
class SharedParts {
public:
    SharedParts(const ir::Rewriter& to, RepeatedDims& repeated, const std::vector<NodeId>& parts,
                std::size_t rank)
        : repeated_(repeated), parts_(parts) {
        for (const NodeId part : parts) dims_.push_back(dims_of_terms(to, repeated, part, rank));
    }

    /// False if a part restricts no factor.
    bool share(ProductDims& found) const {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::uint64_t own = dims_[i];
            if ((own & found.reduced) == 0) continue;
            if ((own & ~found.reduced) == 0) {
                found.of_lines.push_back(parts_[i]);
                continue;
            }
            const auto factor = std::ranges::find_if(
                found.factors, [&](const FactorDims& one) { return (own & ~one.dims) == 0; });
            if (factor == found.factors.end()) return false;
            factor->parts.push_back(parts_[i]);
        }
        const auto listed =
            std::ranges::find_if(found.factors, [](const FactorDims& one) { return !one.parts.empty(); });
        if (listed == found.factors.end()) return found.of_lines.empty();
        listed->parts.insert(listed->parts.end(), found.of_lines.begin(), found.of_lines.end());
        return true;
    }

    NodeId of_result(std::uint64_t reduced) const {
        NodeId found = no_node;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if ((dims_[i] & reduced) == 0) found = repeated_.both(found, parts_[i]);
        return found;
    }

    /// The dimensions in which a factor's parts differ.
    std::uint64_t dims_of(const FactorDims& factor) const {
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (std::ranges::find(factor.parts, parts_[i]) != factor.parts.end()) found |= dims_[i];
        return found;
    }

private:
    RepeatedDims& repeated_;
    const std::vector<NodeId>& parts_;
    std::vector<std::uint64_t> dims_;  // in which each part differs
};

/// Puts the dimensions in order: batches first.
void set_order(ProductDims& found, std::size_t rank, std::size_t row, std::size_t column,
               const std::array<std::uint64_t, 2>& used) {
    std::vector<std::size_t> batches, terms;
    std::uint64_t of_batches = 0;
    for (std::size_t d = 0; d < rank; ++d) {
        if (d == row || d == column) continue;
        (found.is_reduced(d) ? terms : batches).push_back(d);
        if (!found.is_reduced(d)) of_batches |= bit(d);
    }
    found.result = batches;
    found.result.insert(found.result.end(), {row, column});
    for (std::size_t i = 0; i < 2; ++i) {
        FactorDims& factor = found.factors[i];
        factor.is_batched = (used[i] & of_batches) != 0;
        factor.batches = batches;
        factor.matrix = terms;
        factor.matrix.insert(factor.is_left ? factor.matrix.begin() : factor.matrix.end(),
                             factor.is_left ? row : column);
    }
    // One of the factors has the batches, along which nothing may differ.
    if (!found.factors[0].is_batched && !found.factors[1].is_batched)
        found.factors[found.factors[0].parts.empty() ? 0 : 1].is_batched = true;
}

}  // namespace

std::vector<NodeId> parts_of(ir::Rewriter& to, RepeatedDims& repeated, NodeId mask, bool through_views) {
    std::vector<NodeId> parts;
    add_parts(to, repeated, mask, through_views, parts);
    return parts;
}

std::uint64_t dims_of_terms(const ir::Rewriter& to, RepeatedDims& repeated, NodeId id, std::size_t rank) {
    std::uint64_t found = 0;
    const std::size_t own = to[id].shape.size();
    for (std::size_t d = 0; d < own; ++d)
        if (repeated.varies(id, d)) found |= bit(d + rank - own);
    return found;
}

std::optional<ProductDims> product_dims(const ir::Rewriter& to, RepeatedDims& repeated, const Node& reduction,
                                        std::size_t rank, const std::vector<NodeId>& parts,
                                        std::array<std::uint64_t, 2> used) {
    const SharedParts shared(to, repeated, parts, rank);
    const std::uint64_t all = bit(rank) - 1;
    ProductDims empty;
    for (const std::int64_t dim : reduction.attributes) empty.reduced |= bit(at(dim));
    std::vector<std::size_t> kept;  // in descending order
    for (std::size_t d = rank; d-- > 0;)
        if (!empty.is_reduced(d)) kept.push_back(d);
    if (kept.size() == 1) kept.insert(kept.begin(), rank);
    for (std::size_t i = 0; i < kept.size(); ++i)
        for (std::size_t j = i + 1; j < kept.size(); ++j)
            for (const std::size_t left : {0, 1}) {
                const std::size_t row = kept[j], column = kept[i], right = 1 - left;
                if ((used[left] & bit(column)) != 0 || (used[right] & bit(row)) != 0) continue;
                ProductDims found = empty;
                found.factors[left] = {.is_left = true, .dims = all & ~bit(column)};
                found.factors[right] = {.is_left = false, .dims = all & ~bit(row)};
                if (!shared.share(found)) continue;
                found.of_result = shared.of_result(found.reduced);
                for (std::size_t k = 0; k < 2; ++k) used[k] |= shared.dims_of(found.factors[k]);
                set_order(found, rank, row, column, used);
                return found;
            }
    return {};
}

}  // namespace frisket::planning
