// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/limits.hpp"
#include "../loops/built_loops.hpp"
#include "product.hpp"

/// Parts of which the loops of products are made.
namespace frisket::codegen::products {

using Exprs = std::vector<Halide::Expr>;

/// Terms between two additions to the float64 total.
inline constexpr int panel = static_cast<int>(limits::product_panel);

/// Terms of a panel: `term` is the row-major position in the reduced dimensions.
struct PanelTerms {
    Halide::RDom domain;
    Halide::Expr term;
};

/// The terms of a product, and where they are read.
class Terms {
public:
    Terms(const ProductLoops& loops, const ProductFactors& factors);

    const ProductLoops& loops() const { return loops_; }
    const ProductFactors& factors() const { return factors_; }
    Halide::Type type() const { return lowering::expr_type(factors_.dtype); }
    /// Number of elements in a vector.
    int lanes() const { return type().bits() == 64 ? std::max(loops_.lanes / 2, 1) : loops_.lanes; }
    const Halide::Expr& count() const { return count_; }
    Halide::Expr panels() const { return (count_ + panel - 1) / panel; }
    bool has_panels() const { return loops_.has_panels; }
    /// True if the sums of all panels are stored, each panel by a task.
    bool stores_panels() const {
        return has_panels() && loops_.has_few_sums && loops_.parallel && !loops_.is_in_rows &&
               !loops_.task_rows.defined();
    }

    /// Number of kept dimensions, and the facts about one, innermost first.
    int rank() const { return static_cast<int>(loops_.kept.size()); }
    Halide::Expr extent(int kept) const { return loops_.extents[dims_[kept]]; }
    bool is_single(int kept) const { return Halide::Internal::is_const_one(extent(kept)); }
    bool in_left(int kept) const { return !is_single(kept) && loops_.in_left[dims_[kept]]; }
    bool in_right(int kept) const { return !is_single(kept) && loops_.in_right[dims_[kept]]; }
    /// True if only one reduced dimension is longer than 1.
    bool is_reduced_once() const;

    /// The index of the operand for an index of the result, innermost first, and a term.
    IndexTuple place(const Exprs& kept, const Halide::Expr& term) const;
    /// True if `term` moves along the memory of a factor's loads; if not, `kept` does or nothing does.
    bool runs_along_terms(const ProductFactors::At& factor) const;
    bool runs_along(const ProductFactors::At& factor, int kept) const;

    /// All terms, or the terms of a panel, that come before `end`, which mentions no variable of theirs.
    PanelTerms terms_of(const Halide::Expr& panel_number, const Halide::Expr& end = {}) const;
    /// The accumulator after a term at an index, if it is specified.
    Halide::Expr next(const Halide::Expr& total, const IndexTuple& place, const Halide::RDom& over) const;
    /// Reads a factor or a mask, which varies along dimensions of the left factor, of the right one, or both.
    using Read = std::function<lowering::Value(const ProductFactors::At& at, bool in_left, bool in_right)>;
    /// The accumulator after a term that is read so.
    Halide::Expr next(const Halide::Expr& total, const Halide::RDom& over, const Read& read) const;
    Halide::Expr zero() const { return Halide::Internal::make_zero(type()); }

private:
    const ProductLoops loops_;
    const ProductFactors factors_;
    std::vector<std::size_t> dims_;  ///< dimensions of the operand, for each that is kept
    Halide::Expr count_;
};

using SharedTerms = std::shared_ptr<const Terms>;

/// Sums of the panels: a Func whose variables are the variables of `sums` without the last, which is the
/// panel.
struct Totals {
    Halide::Func func;
    std::optional<Halide::RDom> panels;
    Halide::Func stored = {};  ///< the sums of all panels, if they are stored
};
Totals totals(const Terms& terms, const Halide::Func& sums, const std::vector<Halide::Var>& variables);

/// The number that a sum is: never -0.
Halide::Expr result_of(const Terms& terms, const Halide::Expr& sum);

/// Makes tasks of all the loops of `reader`, innermost first, and returns the variable of their innermost
/// loop.
Halide::Var make_tasks(Halide::Func& reader, const std::vector<Halide::Var>& loops, const Halide::Expr& all,
                       bool parallel);

Exprs as_exprs(const std::vector<Halide::Var>& variables);

/// The loops of matrix products, and their dimensions, where these exist.
struct MatrixDims {
    int row;               ///< kept dimension along which only one factor varies; columns are dimension 0
    bool columns_in_left;  ///< the left factor varies along the columns
};
std::optional<MatrixDims> matrix_dims(const Terms& terms);
TiledProduct matrix_product(const SharedTerms& terms, const MatrixDims& dims);

/// A sum for each element of the result, side by side with all other sums: threads of a device.
TiledProduct device_product(const SharedTerms& terms);
/// Tiles of sums, each by a block of a device's threads.
/// Shape: the terms have no masks.
TiledProduct device_matrix_product(const SharedTerms& terms, const MatrixDims& dims);

/// Sums along kept dimension `dim`, each over contiguous terms.
TiledProduct row_product(const SharedTerms& terms, int dim);

}  // namespace frisket::codegen::products
