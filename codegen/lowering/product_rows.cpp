// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "lanes.hpp"
#include "product_terms.hpp"

#include <algorithm>
#include <map>

/// Products whose terms, and not whose sums, are contiguous: a matrix times a vector, for one.  Each sum is a
/// chain of its own, so vectors hold sums side by side: squares of the matrix are transposed in registers.
namespace frisket::codegen::products {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;
using lowering::Value;

namespace {

constexpr int side = 8;     ///< sums in a vector, and terms that are transposed at once
constexpr int vectors = 2;  ///< of sums, so that chains of additions run side by side

/// Sums side by side: the variables of a strip of them, and how many there are in it.
struct Strip {
    int dim = 0;  ///< kept dimension that is cut into strips
    int width = 1;
    Var in{"in_"}, out{"strip_"}, panel{"panel_"};

    /// Variables of sums: in the strip, the strip, the other kept dimensions.
    std::vector<Var> variables(const Terms& terms) const {
        std::vector<Var> all{in, out};
        for (int i = 0; i < terms.rank(); ++i)
            if (i != dim) all.push_back(terms.loops().kept[i]);
        return all;
    }
    /// The index of the result where the strip's dimension is at `at`.
    Exprs kept(const Terms& terms, const Expr& at) const {
        Exprs index = as_exprs(terms.loops().kept);
        index[dim] = at;
        return index;
    }
    std::vector<Var> with_panel(const Terms& terms) const {
        std::vector<Var> all = variables(terms);
        if (terms.has_panels()) all.push_back(panel);
        return all;
    }
    /// The sum of the result's element at the variables of the result.
    Expr read(const Terms& terms, const Func& sums) const {
        Exprs at = as_exprs(variables(terms));
        const Var here = terms.loops().kept[dim];
        at[0] = here % width;
        at[1] = here / width;
        return const_cast<Func&>(sums)(at);
    }
};

/// Cuts the reader into strips, and computes the sums of a strip at a time.
Halide::LoopLevel schedule_strips(const Terms& terms, const Strip& strip, Func& reader, Func sums,
                                  Totals sum) {
    const Var x = terms.loops().kept[strip.dim], in("x_"), out("xo_");
    reader.split(x, out, in, strip.width, TailStrategy::GuardWithIf);
    std::vector<Var> outer{out};
    Expr all = (terms.extent(strip.dim) + strip.width - 1) / strip.width;
    for (int i = 0; i < terms.rank(); ++i) {
        if (i == strip.dim) continue;
        outer.push_back(terms.loops().kept[i]);
        all = all * terms.extent(i);
    }
    std::vector<Halide::VarOrRVar> order{in};
    order.insert(order.end(), outer.begin(), outer.end());
    reader.reorder(order);
    const Var at = make_tasks(reader, outer, all, terms.loops().parallel);
    reader.never_partition_all();
    if (sum.stored.defined()) {
        const Var task = sum.stored.args().back();
        sum.func.compute_root().bound(strip.in, 0, strip.width).never_partition_all();
        sum.func.update().reorder(strip.in, sum.panels->x).never_partition_all();
        sum.stored.compute_root().bound(strip.in, 0, strip.width).parallel(task).never_partition_all();
        sums.compute_at(sum.stored, strip.out);
    } else if (sum.panels) {
        sum.func.compute_at(reader, at).bound(strip.in, 0, strip.width).never_partition_all();
        sum.func.update().reorder(strip.in, sum.panels->x).never_partition_all();
        sums.compute_at(sum.func, sum.panels->x);
    } else {
        sums.compute_at(reader, at);
    }
    sums.store_in(Halide::MemoryType::Stack).bound(strip.in, 0, strip.width).never_partition_all();
    for (int i = 0; i < sums.num_update_definitions(); ++i) sums.update(i).never_partition_all();
    return Halide::LoopLevel(reader, at);
}

/// The terms of a square: each is wanted for a vector of sums, and read for vectors of terms.
class Square {
public:
    Square(const Terms& terms, const Strip& strip, const Expr& first_term)
        : terms_(terms), strip_(strip), first_(first_term), lane_(strip.in % side) {}

    /// Reads a factor or a mask at term `i` of the square, for a vector of sums.
    Value term(const ProductFactors::At& at, int i, bool varies) const {
        if (!varies) return at(terms_.place(strip_.kept(terms_, 0), first_ + i));
        std::map<int, Expr> lines;
        for (int sum = 0; sum < side; ++sum) lines[sum] = read(at, sum).expr;
        const bool is_condition = lines[0].type().is_bool();
        if (is_condition)
            for (auto& [sum, read] : lines) read = Halide::select(read, word(1), word(0));
        for (int bit = 1; bit < side; bit *= 2) exchange(lines, bit, i);
        return {is_condition ? lines[i] != word(0) : lines[i]};
    }

private:
    /// A line: neighbouring terms of one sum.
    Value read(const ProductFactors::At& at, int sum) const {
        const Expr row = strip_.out * strip_.width + strip_.in / side * side + sum;
        const Expr there = Halide::min(row, terms_.extent(strip_.dim) - 1);
        return at(terms_.place(strip_.kept(terms_, there), first_ + lane_));
    }
    /// Exchanges a bit of the number of the lane for the bit of the number of the line, in the lines on the
    /// way to line `to`.
    void exchange(std::map<int, Expr>& lines, int bit, int to) const {
        std::map<int, Expr> made;
        for (const auto& [sum, read] : lines) {
            if ((sum & (2 * bit - 1)) != (to & (2 * bit - 1))) continue;
            const Expr& other = lines.at(sum ^ bit);
            made[sum] = (sum & bit) == 0 ? exchanged_lower(read, other, lane_, bit)
                                         : exchanged_upper(other, read, lane_, bit);
        }
        lines = std::move(made);
    }
    Expr word(int value) const { return Halide::cast(Halide::Int(terms_.type().bits()), value); }

    const Terms& terms_;
    const Strip& strip_;
    Expr first_, lane_;
};

/// Adds terms to sums: by squares, then the rest.
void add_squares(const Terms& terms, Func& sums, const Strip& strip, const Expr& row) {
    const Expr whole = terms.count() / side;
    const Expr first = terms.has_panels() ? strip.panel * (panel / side) : Expr(0);
    const auto at = as_exprs(strip.with_panel(terms));
    RDom most(0, terms.has_panels() ? Expr(panel / side) : whole), rest(0, side);
    if (terms.has_panels()) most.where(first + most.x < whole);
    const Square square(terms, strip, (first + most.x) * side);
    Expr total = sums(at);
    for (int i = 0; i < side; ++i)
        total = terms.next(total, most, [&](const ProductFactors::At& factor, bool in_left, bool in_right) {
            const bool varies =
                (in_left && terms.in_left(strip.dim)) || (in_right && terms.in_right(strip.dim));
            return square.term(factor, i, varies);
        });
    sums(at) = total;
    const Expr term = whole * side + rest.x;
    rest.where(term < terms.count());
    if (terms.has_panels()) rest.where(strip.panel == terms.count() / panel);
    sums(at) = terms.next(sums(at), terms.place(strip.kept(terms, row), term), rest);
    sums.update(0).vectorize(strip.in, side).reorder(strip.in, most.x).unroll(strip.in);
    sums.update(1).vectorize(strip.in, side).reorder(strip.in, rest.x).unroll(strip.in);
}

}  // namespace

TiledProduct row_product(const SharedTerms& terms, int dim) {
    Strip strip{.dim = dim, .width = vectors * side};
    Func sums("sums");
    sums(strip.with_panel(*terms)) = terms->zero();
    sums.vectorize(strip.in, side);
    const Expr row = Halide::min(strip.out * strip.width + strip.in, terms->extent(dim) - 1);
    add_squares(*terms, sums, strip, row);
    const Totals sum = totals(*terms, sums, strip.variables(*terms));
    return {result_of(*terms, strip.read(*terms, sum.func)),
            [=](Func& reader) { return schedule_strips(*terms, strip, reader, sums, sum); }};
}

}  // namespace frisket::codegen::products
