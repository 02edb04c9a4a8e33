// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "product_matrix.hpp"

#include <algorithm>
#include <limits>

/// Products of matrices: tiles of sums in registers, over copies of the factors in the order of the loops.
namespace frisket::codegen::products {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Var;
using lowering::Value;

std::optional<MatrixDims> matrix_dims(const Terms& terms) {
    if (terms.factors().specified || terms.is_single(0)) return {};
    const bool in_left = terms.in_left(0);
    if (in_left == terms.in_right(0)) return {};
    for (int i = 1; i < terms.rank(); ++i) {
        const bool in_rows = in_left ? terms.in_right(i) : terms.in_left(i);
        const bool in_columns = in_left ? terms.in_left(i) : terms.in_right(i);
        if (in_rows && !in_columns) return MatrixDims{i, in_left};
    }
    return {};
}

namespace {

constexpr int narrow_columns = static_cast<int>(limits::narrow_columns), narrow_rows = 8;

/// True if tiles have a vector in each row, and rows of their own number.
bool has_narrow_rows(const Terms& terms) {
    return terms.loops().is_narrow && !terms.loops().is_in_rows && terms.lanes() >= narrow_columns;
}

}  // namespace

MatrixProduct::MatrixProduct(const std::shared_ptr<const Terms>& terms, const MatrixDims& dims)
    : terms_(terms),
      dims_(dims),
      lanes_(terms->loops().is_narrow ? std::min(terms->lanes(), narrow_columns) : terms->lanes()),
      width_(terms->loops().is_narrow ? narrow_columns : terms->loops().tile_vectors * lanes_),
      height_(has_narrow_rows(*terms) ? narrow_rows : terms->loops().tile_rows),
      columns_(terms->extent(0)),
      rows_(terms->extent(dims.row)),
      column_(terms->factors().left, terms->factors().left_mask, terms->factors().left_nonzero, true),
      row_(terms->factors().right, terms->factors().right_mask, terms->factors().right_nonzero, false) {
    if (!dims.columns_in_left) std::swap(column_, row_);
    for (int i = 1; i < terms->rank(); ++i) {
        if (i == dims.row) continue;
        const Var batch = terms->loops().kept[i];
        batches_.push_back(batch);
        if (terms->in_left(i)) (column_.is_left ? column_ : row_).batches.push_back(batch);
        if (terms->in_right(i)) (column_.is_left ? row_ : column_).batches.push_back(batch);
    }
    row_.along_terms = terms->is_reduced_once() && terms->runs_along_terms(row_.value);
    column_.packed = pack_tiles(column_, {xi_, xo_, width_, columns_, true});
    row_.packed = row_.along_terms ? pack_chunks() : pack_tiles(row_, {yi_, yo_, height_, rows_, false});
    find_blocks();
    if (row_.mask || used_.is_defined()) find_largest(column_, xi_, xo_, width_);
    if (column_.mask) find_largest(row_, yi_, yo_, height_);
    sum();
    total_ = totals(*terms_, sums_, sum_variables());
}

std::vector<Var> MatrixProduct::sum_variables() const {
    std::vector<Var> all{xi_, yi_, xo_, yo_};
    all.insert(all.end(), batches_.begin(), batches_.end());
    return all;
}

/// The index of the result at a column, a row and some of the batches, 0 along the rest.
Exprs MatrixProduct::kept_at(const Expr& x, const Expr& y, const std::vector<Var>& batches) const {
    Exprs index;
    for (const Var& variable : terms_->loops().kept)
        index.push_back(contains(batches, variable) ? Expr(variable) : Expr(0));
    index[0] = x;
    index[dims_.row] = y;
    return index;
}

/// The copy of an element of a factor: 0 where it has no value.
Value MatrixProduct::packed_at(const Factor& factor, const IndexTuple& place) const {
    const Value value = factor.value(place);
    return factor.mask ? lowering::select(factor.mask(place), value, {terms_->zero()}) : value;
}

/// Fills a copy along its first variable in vectors: pieces that end before the end, and the last piece, in
/// which 0 follows the end if that is read.
void MatrixProduct::fill(Func& packed, const std::vector<Var>& variables, const Piece& piece,
                         const std::function<Expr(const Expr& place)>& copy) {
    packed(variables) = Halide::undef(terms_->type());
    const Expr is_whole = piece.begin + piece.width <= piece.end;
    const auto update = [&](const Expr& condition, const auto& value, bool is_guarded) {
        RDom in(0, piece.width);
        in.where(condition);
        if (is_guarded) in.where(piece.begin + in < piece.end);
        Exprs at = as_exprs(variables);
        at[0] = in;
        packed(at) = value(in);
        auto stage = packed.update(packed.num_update_definitions() - 1);
        stage.never_partition_all();
        if (piece.lanes > 1) stage.vectorize(in, piece.lanes);
    };
    const auto safe = [&](const RDom& in) {
        return copy(Halide::unsafe_promise_clamped(piece.begin + in, 0, piece.end - 1));
    };
    update(is_whole, safe, false);
    if (piece.is_end_read) update(!is_whole, [&](const RDom&) { return terms_->zero(); }, false);
    update(!is_whole, safe, true);
}

/// The copy of a factor in tiles of columns or rows.
Func MatrixProduct::pack_tiles(const Factor& factor, const Tiles& tiles) {
    Func packed(tiles.is_columns ? "columns" : "rows");
    std::vector<Var> variables{tiles.in, k_, tiles.tile};
    variables.insert(variables.end(), factor.batches.begin(), factor.batches.end());
    const bool runs_along = tiles.is_columns || terms_->runs_along(factor.value, dims_.row);
    fill(
        packed, variables,
        {tiles.tile * tiles.width, tiles.width, tiles.extent, runs_along ? std::min(lanes_, tiles.width) : 1},
        [&](const Expr& at) {
            const Expr x = tiles.is_columns ? at : 0, y = tiles.is_columns ? 0 : at;
            return packed_at(factor, terms_->place(kept_at(x, y, factor.batches), k_)).expr;
        });
    return packed;
}

/// The copy of the rows in chunks of terms; the last row is repeated.
Func MatrixProduct::pack_chunks() {
    Func packed("rows");
    std::vector<Var> variables{ki_, yi_, ko_, yo_};
    variables.insert(variables.end(), row_.batches.begin(), row_.batches.end());
    const Expr y = Halide::min(yo_ * height_ + yi_, rows_ - 1);
    fill(packed, variables,
         {ko_ * chunk_, chunk_, terms_->count(), std::min(lanes_, chunk_), column_.mask != nullptr},
         [&](const Expr& term) {
             return packed_at(row_, terms_->place(kept_at(0, y, row_.batches), term)).expr;
         });
    return packed;
}

Expr MatrixProduct::column_at(const Expr& term) const {
    Exprs at{xi_, term, xo_};
    at.insert(at.end(), column_.batches.begin(), column_.batches.end());
    return const_cast<Func&>(column_.packed)(at);
}

Expr MatrixProduct::row_at(const Expr& term) const {
    Exprs at = row_.along_terms ? Exprs{term % chunk_, yi_, term / chunk_, yo_} : Exprs{yi_, term, yo_};
    at.insert(at.end(), row_.batches.begin(), row_.batches.end());
    return const_cast<Func&>(row_.packed)(at);
}

/// Largest bits but the sign, among the columns or rows of a tile and the terms of a panel: an infinity's
/// bits at least if any element is not finite.
void MatrixProduct::find_largest(Factor& factor, const Var& in, const Var& tile, int width) {
    const Halide::Type bits = terms_->type().with_code(Halide::Type::UInt);
    const Expr zero = Halide::Internal::make_zero(bits);
    std::vector<Var> variables{tile};
    variables.insert(variables.end(), factor.batches.begin(), factor.batches.end());
    if (terms_->has_panels()) variables.push_back(panel_);
    std::vector<Var> each = variables;
    each.insert(each.begin(), factor.along_terms ? ki_ : in);
    Func magnitudes("magnitudes"), largest("largest");
    magnitudes(each) = zero;
    const auto add = [&](const Value& here) {
        magnitudes(each) =
            Halide::max(magnitudes(as_exprs(each)), lowering::to_bits(lowering::abs(here)).expr);
    };
    if (factor.along_terms) {
        const Expr chunks = (terms_->count() + chunk_ - 1) / chunk_;
        RDom over(0, width, 0, terms_->has_panels() ? Expr(panel / chunk_) : chunks);
        const Expr chunk = terms_->has_panels() ? panel_ * (panel / chunk_) + over.y : Expr(over.y);
        if (terms_->has_panels()) over.where(chunk < chunks);
        Exprs at{ki_, over.x, chunk, tile};
        at.insert(at.end(), factor.batches.begin(), factor.batches.end());
        add({factor.packed(at)});
        magnitudes.update().reorder(ki_, over.x, over.y);
    } else {
        const PanelTerms over = terms_->terms_of(panel_);
        add({factor.is_left == column_.is_left ? column_at(over.term) : row_at(over.term)});
        magnitudes.update().reorder(in, over.domain.x);
    }
    largest(variables) = zero;
    const RDom all(0, factor.along_terms ? chunk_ : width);
    Exprs at = as_exprs(each);
    at[0] = all;
    largest(variables) = Halide::max(largest(as_exprs(variables)), magnitudes(at));
    factor.magnitudes = magnitudes;
    factor.largest = largest;
}

Expr MatrixProduct::is_infinite(const Factor& factor, const Var& tile) const {
    Exprs at{tile};
    at.insert(at.end(), factor.batches.begin(), factor.batches.end());
    if (terms_->has_panels()) at.emplace_back(panel_);
    const Value infinity = lowering::like({terms_->zero()}, std::numeric_limits<double>::infinity());
    return const_cast<Func&>(factor.largest)(at) >= lowering::to_bits(infinity).expr;
}

namespace {

constexpr int block_terms = 32;  // terms of a block of a factor of which some blocks are skipped

}  // namespace

/// Finds the blocks of terms, and the tiles of the result, that nothing needs.
void MatrixProduct::find_blocks() {
    const ProductFactors::At used = row_.mask ? row_.mask : row_.nonzero;
    if (used)
        used_ = BlockMask(
            [this, used](const Expr& x, const Expr& y) {
                return used(terms_->place(kept_at(0, y, row_.batches), x));
            },
            {block_terms, height_, terms_->count(), rows_}, row_.batches);
    if (const ProductFactors::At wanted = terms_->factors().wanted)
        wanted_ = BlockMask(
            [this, wanted](const Expr& x, const Expr& y) {
                const Exprs at = kept_at(x, y, batches_);
                return wanted(std::make_shared<const Index>(at.rbegin(), at.rend()));
            },
            {width_, height_, columns_, rows_}, batches_);
}

/// The terms of a panel in blocks that are used, or in all if `all_count`, that come before `end`.
PanelTerms MatrixProduct::terms_of_used(const Expr& all_count, const Expr& end) const {
    const int blocks = panel / block_terms;
    const Expr all = terms_->has_panels() ? Expr(blocks) : (terms_->count() + block_terms - 1) / block_terms;
    RDom domain(Halide::Region{{0, block_terms}, {0, all}});
    const Expr block = terms_->has_panels() ? panel_ * blocks + domain.y : Expr(domain.y);
    const Expr term = block * block_terms + domain.x;
    const Expr last = Halide::max(terms_->count() - 1, 0) / block_terms;
    domain.where(term < end);
    domain.where(used_.any(Halide::min(block, last), yo_) || all_count);
    return {domain, term};
}

void MatrixProduct::sum() {
    std::vector<Var> variables = sum_variables();
    if (terms_->has_panels()) variables.push_back(panel_);
    sums_(variables) = terms_->zero();
    const bool selects = row_.mask || column_.mask;
    Expr is_infinite = Halide::Internal::const_false();
    for (const auto& [factor, tile] : {std::pair(&column_, xo_), std::pair(&row_, yo_)})
        if (factor->largest.defined()) is_infinite = is_infinite || this->is_infinite(*factor, tile);
    Expr end = terms_->count();
    if (wanted_.is_defined()) end = Halide::select(wanted_.any(xo_, yo_), end, 0);
    const Expr finite_end = selects ? Halide::select(is_infinite, 0, end) : end;
    // Where the other factor is not finite, a term of 0 counts.
    const Expr all_count = selects ? Halide::Internal::const_false() : is_infinite;
    const PanelTerms over =
        used_.is_defined()
            ? terms_of_used(all_count, finite_end)
            : terms_->terms_of(panel_, finite_end.same_as(terms_->count()) ? Expr() : finite_end);
    const Value total{sums_(as_exprs(variables))};
    sums_(variables) = lowering::fma({row_at(over.term)}, {column_at(over.term)}, total).expr;
    std::vector<Halide::VarOrRVar> order{xi_, yi_};
    for (int i = 0; i < over.domain.dimensions(); ++i) order.emplace_back(over.domain[i]);
    sums_.update().reorder(order).vectorize(xi_, lanes_).unroll(xi_).unroll(yi_);
    if (selects) add_selected(Halide::select(is_infinite, end, 0));
}

/// Adds selected terms: a 0 in place of a value that is not there would make a NaN of an infinity.
void MatrixProduct::add_selected(const Expr& end) {
    const PanelTerms selected = terms_->terms_of(panel_, end);
    const Expr x = Halide::min(xo_ * width_ + xi_, columns_ - 1);
    const Expr y = Halide::min(yo_ * height_ + yi_, rows_ - 1);
    const IndexTuple place = terms_->place(kept_at(x, y, batches_), selected.term);
    std::optional<Value> counts;
    for (const Factor* factor : {&column_, &row_})
        if (factor->mask) counts = counts ? *counts && factor->mask(place) : factor->mask(place);
    std::vector<Var> variables = sum_variables();
    if (terms_->has_panels()) variables.push_back(panel_);
    const Value total{sums_(as_exprs(variables))};
    const Value next = lowering::fma({row_at(selected.term)}, {column_at(selected.term)}, total);
    sums_(variables) = lowering::select(*counts, next, total).expr;
    sums_.update(1).reorder(xi_, selected.domain.x, yi_).vectorize(xi_, lanes_);
}

Expr MatrixProduct::value() const {
    const Var x = terms_->loops().kept[0], y = terms_->loops().kept[dims_.row];
    Exprs at{x % width_, y % height_, x / width_, y / height_};
    at.insert(at.end(), batches_.begin(), batches_.end());
    return result_of(*terms_, const_cast<Func&>(total_.func)(at));
}

LoopKinds MatrixProduct::kinds() const {
    LoopKinds made;
    if (row_.mask || column_.mask) made.add(LoopKind::selected_terms);
    if (used_.is_defined()) made.add(LoopKind::skipped_blocks);
    if (wanted_.is_defined()) made.add(LoopKind::wanted_tiles);
    return made;
}

TiledProduct matrix_product(const std::shared_ptr<const Terms>& terms, const MatrixDims& dims) {
    const auto loops = std::make_shared<MatrixProduct>(terms, dims);
    return {loops->value(), [loops](Func& reader) { return loops->schedule(reader); }, loops->kinds()};
}

}  // namespace frisket::codegen::products

// Tiles of 12 rows, and 6 without AVX-512, have room, but LLVM keeps too much of a row with them.
int frisket::codegen::rows_of_tile(int lanes) { return lanes == 16 ? 8 : 4; }
