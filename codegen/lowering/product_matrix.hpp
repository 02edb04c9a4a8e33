// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "product_blocks.hpp"
#include "product_terms.hpp"

namespace frisket::codegen::products {

inline bool contains(const std::vector<Halide::Var>& variables, const Halide::Var& variable) {
    return std::ranges::any_of(variables, [&](const Halide::Var& other) { return other.same_as(variable); });
}

/// Loops of a matrix product, and the Funcs they compute.
class MatrixProduct {
    using Expr = Halide::Expr;
    using Func = Halide::Func;
    using Var = Halide::Var;

public:
    MatrixProduct(const std::shared_ptr<const Terms>& terms, const MatrixDims& dims);
    Expr value() const;
    Halide::LoopLevel schedule(Func& reader);
    LoopKinds kinds() const;

private:
    static constexpr int chunk_ = 16;  // terms of a row that are contiguous in its copy

    struct Factor {
        Factor(const ProductFactors::At& value, const ProductFactors::At& mask,
               const ProductFactors::At& nonzero, bool is_left)
            : value(value), mask(mask), nonzero(nonzero), is_left(is_left) {}
        ProductFactors::At value, mask, nonzero;
        bool is_left = false;
        std::vector<Var> batches;  ///< along which it varies
        Func packed;
        Func magnitudes, largest;  ///< the largest bits of its copy but the sign
        bool along_terms = false;  ///< the copy has terms side by side
    };

    lowering::Value packed_at(const Factor& factor, const IndexTuple& place) const;
    Exprs kept_at(const Expr& x, const Expr& y, const std::vector<Var>& batches) const;
    /// Tiles of a dimension of the result, and their variables.
    struct Tiles {
        Var in, tile;
        int width;
        Expr extent;
        bool is_columns;
    };
    /// The place of a copy's piece along a dimension of `end` elements, and lanes of vectors that fill it.
    struct Piece {
        Expr begin;
        int width;
        Expr end;
        int lanes;
        bool is_end_read = true;
    };
    void fill(Func& packed, const std::vector<Var>& variables, const Piece& piece,
              const std::function<Expr(const Expr& place)>& copy);
    Func pack_tiles(const Factor& factor, const Tiles& tiles);
    Func pack_chunks();
    Expr column_at(const Expr& term) const;
    Expr row_at(const Expr& term) const;
    void find_largest(Factor& factor, const Var& in, const Var& tile, int width);
    Expr is_infinite(const Factor& factor, const Var& tile) const;
    void find_blocks();
    PanelTerms terms_of_used(const Expr& all_count, const Expr& end) const;
    void sum();
    void add_selected(const Expr& end);
    std::vector<Var> sum_variables() const;
    struct Tasks;
    Tasks tasks() const;
    std::pair<Var, Var> cut(Func& reader);
    Var cut_totals(Func& reader, const Var& outer_task);
    Var cut_stored_panels();
    void cut_totals_in_rows(Func& reader, const Var& task);
    void place_largest(Factor& factor, const Halide::LoopLevel& level, const Var& in, int width);
    void schedule_columns(const Halide::LoopLevel& level);
    void schedule_rows(const Halide::LoopLevel& level);

    std::shared_ptr<const Terms> terms_;
    MatrixDims dims_;
    int lanes_, width_, height_;
    Var xi_{"xi_"}, yi_{"yi_"}, xo_{"xo_"}, yo_{"yo_"}, k_{"k_"}, ki_{"ki_"}, ko_{"ko_"}, panel_{"panel_"};
    std::vector<Var> batches_;
    Expr columns_, rows_;
    Factor column_, row_;
    Func sums_{"sums"};
    Totals total_;
    BlockMask used_;    ///< blocks of rows and terms in which the rows' factor is not 0
    BlockMask wanted_;  ///< tiles of which an element is read
};

}  // namespace frisket::codegen::products
