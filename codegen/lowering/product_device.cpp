// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../device/device_tiles.hpp"
#include "product_terms.hpp"

/// Products on a device: a thread for each sum of a panel, whose terms it reads from the operands, or for
/// each tile of sums a block of threads, which share copies of parts of the factors (device_tiles.hpp).
namespace frisket::codegen::products {

using Halide::Expr;
using Halide::Func;
using Halide::LoopLevel;
using Halide::RDom;
using Halide::Var;

TiledProduct device_product(const SharedTerms& terms) {
    const Var panel("panel_");
    std::vector<Var> variables = terms->loops().kept;
    if (terms->has_panels()) variables.push_back(panel);
    const Exprs at = as_exprs(variables);
    Func sums("sums");
    sums(variables) = terms->zero();
    const PanelTerms over = terms->terms_of(panel);
    const IndexTuple place = terms->place(as_exprs(terms->loops().kept), over.term);
    sums(at) = terms->next(sums(at), place, over.domain);
    const Totals sum = totals(*terms, sums, terms->loops().kept);
    Func whole = sum.func;
    const auto schedule = [=](Func& /*reader*/) mutable {
        sums.compute_root();
        whole.compute_root();
        return LoopLevel::root();
    };
    return {result_of(*terms, whole(as_exprs(terms->loops().kept))), schedule};
}

namespace {

/// A product of matrices by tiles: sums over (column and row in a tile, column and row of tiles, batches).
class DeviceTiles {
public:
    DeviceTiles(const SharedTerms& terms, const MatrixDims& dims) : terms_(*terms), dims_(dims) {
        std::vector<Var> with_panel = variables({xi_, yi_, xo_, yo_}, true, true);
        if (terms_.has_panels()) with_panel.push_back(panel_);
        const Expr columns = terms_.extent(0), rows = terms_.extent(dims_.row);
        pack(columns_, xi_, xo_, columns, true);
        pack(rows_, yi_, yo_, rows, false);
        sums_(with_panel) = terms_.zero();
        const RDom over = steps();
        const Exprs at = as_exprs(with_panel);
        const Expr step = first_step() + over.y;
        const lowering::Value row{factor_at(rows_, yi_, over.x, step, yo_, false)},
            column{factor_at(columns_, xi_, over.x, step, xo_, true)};
        sums_(at) = lowering::fma(row, column, {sums_(at)}).expr;
    }

    TiledProduct made() {
        const std::vector<Var> whole = variables({xi_, yi_, xo_, yo_}, true, true);
        Func total = sums_;
        if (terms_.has_panels()) {
            total = Func(tile_total_name);
            total(whole) = Halide::Internal::make_zero(Halide::Float(64));
            const RDom panels(0, terms_.panels());
            Exprs at = as_exprs(whole);
            const Expr before = total(at);
            at.emplace_back(panels.x);
            total(whole) = before + Halide::cast<double>(sums_(at));
        }
        const Var x = terms_.loops().kept[0], y = terms_.loops().kept[static_cast<std::size_t>(dims_.row)];
        Exprs at = as_exprs(whole);
        const Exprs tile{x % device_tile, y % device_tile, x / device_tile, y / device_tile};
        std::ranges::copy(tile, at.begin());
        std::vector<Func> all{columns_, rows_, sums_, total};
        const auto schedule = [all](Func& /*reader*/) mutable {
            for (Func& one : all) one.compute_root();
            return LoopLevel::root();
        };
        return {result_of(terms_, total(at)), schedule};
    }

private:
    /// Adds the batches along which a factor varies: the factor of columns, or of rows.
    std::vector<Var> variables(std::vector<Var> first, bool of_columns, bool of_rows) const {
        for (int i = 1; i < terms_.rank(); ++i) {
            if (i == dims_.row) continue;
            const bool in_columns = dims_.columns_in_left ? terms_.in_left(i) : terms_.in_right(i);
            const bool in_rows = dims_.columns_in_left ? terms_.in_right(i) : terms_.in_left(i);
            const bool is_all = of_columns && of_rows;
            if (is_all || (of_columns && in_columns) || (of_rows && in_rows))
                first.push_back(terms_.loops().kept[static_cast<std::size_t>(i)]);
        }
        return first;
    }

    /// Copies a factor: `in` a tile, terms in a step, steps, tiles.  Elements outside are no part of a sum.
    void pack(Func& packed, const Var& in, const Var& tile, const Expr& extent, bool is_column) {
        const std::vector<Var> all = variables({in, term_, step_, tile}, is_column, !is_column);
        Exprs kept(static_cast<std::size_t>(terms_.rank()), 0);
        for (std::size_t i = 0; i < kept.size(); ++i)
            for (std::size_t k = 4; k < all.size(); ++k)
                if (terms_.loops().kept[i].same_as(all[k])) kept[i] = all[k];
        const auto inside = [](const Expr& at, const Expr& count) {
            return Halide::max(Halide::min(at, count - 1), 0);
        };
        kept[is_column ? 0 : static_cast<std::size_t>(dims_.row)] = inside(tile * device_tile + in, extent);
        const IndexTuple place = terms_.place(kept, inside(step_ * device_step + term_, terms_.count()));
        const ProductFactors& factors = terms_.factors();
        packed(all) = (is_column == dims_.columns_in_left ? factors.left : factors.right)(place).expr;
    }

    Expr factor_at(Func& packed, const Var& in, const Expr& term, const Expr& step, const Var& tile,
                   bool is_column) const {
        Exprs at = as_exprs(variables({in, term_, step_, tile}, is_column, !is_column));
        at[1] = term;
        at[2] = step;
        return packed(at);
    }

    Expr first_step() const { return terms_.has_panels() ? panel_ * (panel / device_step) : Expr(0); }

    /// Terms of a step, and the steps of a panel.
    RDom steps() const {
        const Expr count = (terms_.count() + device_step - 1) / device_step;
        RDom over(0, device_step, 0, terms_.has_panels() ? Expr(panel / device_step) : count);
        over.where((first_step() + over.y) * device_step + over.x < terms_.count());
        return over;
    }

    const Terms& terms_;
    const MatrixDims dims_;
    const Var xi_{"xi_"}, yi_{"yi_"}, xo_{"xo_"}, yo_{"yo_"}, term_{"term_"}, step_{"step_"},
        panel_{"panel_"};
    Func columns_{tile_columns_name}, rows_{tile_rows_name}, sums_{tile_sums_name};
};

}  // namespace

TiledProduct device_matrix_product(const SharedTerms& terms, const MatrixDims& dims) {
    return DeviceTiles(terms, dims).made();
}

}  // namespace frisket::codegen::products
