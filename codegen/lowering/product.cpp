// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "product_terms.hpp"

#include <algorithm>

namespace frisket::codegen {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;
using lowering::Value;

namespace products {

Terms::Terms(const ProductLoops& loops, const ProductFactors& factors) : loops_(loops), factors_(factors) {
    count_ = 1;
    for (std::size_t d = loops_.reduced.size(); d-- > 0;) {
        if (loops_.reduced[d])
            count_ = Halide::Internal::is_const_one(count_) ? loops_.extents[d] : count_ * loops_.extents[d];
        else
            dims_.push_back(d);
    }
}

bool Terms::is_reduced_once() const {
    int longer = 0;
    for (std::size_t d = 0; d < loops_.reduced.size(); ++d)
        if (loops_.reduced[d] && !Halide::Internal::is_const_one(loops_.extents[d])) ++longer;
    return longer <= 1;
}

IndexTuple Terms::place(const Exprs& kept, const Expr& term) const {
    Index index(loops_.extents.size());
    for (std::size_t i = 0; i < dims_.size(); ++i) index[dims_[i]] = kept[i];
    Expr rest = term;
    bool is_whole = is_reduced_once();
    for (std::size_t d = loops_.reduced.size(); d-- > 0;) {
        if (!loops_.reduced[d]) continue;
        if (Halide::Internal::is_const_one(loops_.extents[d])) {
            index[d] = 0;
        } else if (is_whole) {
            index[d] = rest;
        } else {
            const Expr extent = Halide::max(loops_.extents[d], 1);
            index[d] = rest % extent;
            rest = rest / extent;
        }
    }
    return std::make_shared<const Index>(std::move(index));
}

namespace {

/// Finds loads in which a variable moves along memory.
class LoadsAlong final : public Halide::Internal::IRGraphVisitor {
public:
    explicit LoadsAlong(const std::string& variable) : variable_(variable) {}
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Halide::Internal::Call* call) override {
        IRGraphVisitor::visit(call);
        const bool is_load = call->call_type == Halide::Internal::Call::Image ||
                             call->call_type == Halide::Internal::Call::Halide;
        if (is_load && !call->args.empty() && Halide::Internal::expr_uses_var(call->args[0], variable_))
            found = true;
    }
    const std::string& variable_;
};

bool loads_along(const Terms& terms, const ProductFactors::At& factor, const Exprs& kept, const Var& term,
                 const std::string& variable) {
    LoadsAlong loads(variable);
    factor(terms.place(kept, term)).expr.accept(&loads);
    return loads.found;
}

}  // namespace

Exprs as_exprs(const std::vector<Var>& variables) { return {variables.begin(), variables.end()}; }

bool Terms::runs_along_terms(const ProductFactors::At& factor) const {
    const Var term("term_");
    return loads_along(*this, factor, as_exprs(loops_.kept), term, term.name());
}

bool Terms::runs_along(const ProductFactors::At& factor, int kept) const {
    return loads_along(*this, factor, as_exprs(loops_.kept), Var("term_"), loops_.kept[kept].name());
}

PanelTerms Terms::terms_of(const Expr& panel_number, const Expr& end) const {
    RDom domain(0, has_panels() ? Expr(panel) : count_);
    const Expr term = has_panels() ? panel_number * panel + domain.x : Expr(domain.x);
    // A loop ends at such a bound; other conditions would be asked for each term.
    if (has_panels() || end.defined()) domain.where(term < (end.defined() ? end : count_));
    return {domain, term};
}

Expr Terms::next(const Expr& total, const IndexTuple& place, const RDom& over) const {
    return next(total, over, [&](const ProductFactors::At& at, bool, bool) { return at(place); });
}

Expr Terms::next(const Expr& total, const RDom& over, const Read& read) const {
    Value left = read(factors_.left, true, false), right = read(factors_.right, false, true);
    std::optional<Value> counts;
    const auto add = [&](const ProductFactors::At& mask, bool in_left, bool in_right) {
        if (!mask) return;
        const Value is_counted = read(mask, in_left, in_right);
        counts = counts ? *counts && is_counted : is_counted;
    };
    add(factors_.left_mask, true, false);
    add(factors_.right_mask, false, true);
    add(factors_.specified, true, true);
    if (counts) {
        left = lowering::select(*counts, left, {zero()});
        right = lowering::select(*counts, right, {zero()});
    }
    return in_all_of(over, {}, lowering::fma(left, right, {total}), {total}).expr;
}

Totals totals(const Terms& terms, const Func& sums, const std::vector<Var>& variables) {
    if (!terms.has_panels()) return {sums, {}};
    Func total("total"), source = sums;
    const RDom panels(0, terms.panels());
    if (terms.stores_panels()) {
        const Var panel("panel_");
        std::vector<Var> all = variables;
        all.push_back(panel);
        source = Func("panels");
        source(all) = const_cast<Func&>(sums)(as_exprs(all));
    }
    total(variables) = Halide::Internal::make_zero(Halide::Float(64));
    Exprs at = as_exprs(variables);
    const Expr before = total(at);
    at.emplace_back(panels.x);
    total(variables) = before + Halide::cast<double>(source(at));
    return {total, panels, terms.stores_panels() ? source : Func()};
}

Expr result_of(const Terms& terms, const Expr& sum) {
    return terms.has_panels() ? Halide::cast(terms.type(), sum) : sum + terms.zero();
}

Var make_tasks(Func& reader, const std::vector<Var>& loops, const Expr& all, bool parallel) {
    constexpr int tasks = 32;
    const Var last = fuse_loops(reader, loops, "tiles_");
    if (!parallel) return last;
    const Var task("task_"), tile("tile_");
    reader.split(last, task, tile, Halide::max(all / tasks, 1), TailStrategy::GuardWithIf).parallel(task);
    return tile;
}

namespace {

/// Adds terms to a strip of sums, which stays in a cache: several at once, then the rest of a panel.
void add_rows(const Terms& terms, Func& sums, const Exprs& at, const Expr& panel_number) {
    constexpr int at_once = 4;
    const Expr whole = terms.count() / at_once;
    const Expr first = terms.has_panels() ? panel_number * (panel / at_once) : Expr(0);
    RDom most(0, terms.has_panels() ? Expr(panel / at_once) : whole), rest(0, at_once);
    if (terms.has_panels()) most.where(first + most.x < whole);
    Expr total = sums(at);
    for (int k = 0; k < at_once; ++k) {
        const Expr term = (first + most.x) * at_once + k;
        total = terms.next(total, terms.place(as_exprs(terms.loops().kept), term), most);
    }
    sums(at) = total;
    const Expr term = whole * at_once + rest.x;
    rest.where(term < terms.count());
    if (terms.has_panels()) rest.where(panel_number == terms.count() / panel);
    sums(at) = terms.next(sums(at), terms.place(as_exprs(terms.loops().kept), term), rest);
    for (const int i : {0, 1})
        sums.update(i)
            .reorder(terms.loops().kept[0], i == 0 ? most.x : rest.x)
            .vectorize(terms.loops().kept[0], terms.lanes(), TailStrategy::GuardWithIf);
}

/// Vectors along the innermost dimension of the result.
TiledProduct columns(const SharedTerms& terms) {
    constexpr int strip_bytes = 4096;
    const int width = strip_bytes / terms->type().bytes(), lanes = terms->lanes();
    std::vector<Var> kept = terms->loops().kept, with_panel = kept;
    const Var x = kept[0], panel("panel_"), in("x_"), out("xo_");
    if (terms->has_panels()) with_panel.push_back(panel);
    Func sums("sums");
    sums(with_panel) = terms->zero();
    add_rows(*terms, sums, as_exprs(with_panel), panel);
    const Totals sum = totals(*terms, sums, kept);
    const auto schedule = [=](Func& reader) mutable {
        const auto guard = TailStrategy::GuardWithIf;
        std::vector<Var> outer = kept;
        outer[0] = out;
        Expr all = (terms->extent(0) + width - 1) / width;
        for (int i = 1; i < terms->rank(); ++i) all = all * terms->extent(i);
        std::vector<Halide::VarOrRVar> order{in};
        order.insert(order.end(), outer.begin(), outer.end());
        reader.split(x, out, in, width, guard).reorder(order).vectorize(in, lanes, guard);
        const Var at = make_tasks(reader, outer, all, terms->loops().parallel);
        reader.never_partition_all();
        if (sum.stored.defined()) {
            Func total = sum.func, stored = sum.stored;
            total.compute_root().vectorize(x, lanes, guard).never_partition_all();
            total.update().reorder(x, sum.panels->x).vectorize(x, lanes, guard).never_partition_all();
            const Var task = stored.args().back();
            stored.compute_root().vectorize(x, lanes, guard).parallel(task).never_partition_all();
            sums.compute_at(stored, task);
        } else if (sum.panels) {
            Func total = sum.func;
            total.compute_at(reader, at).vectorize(x, lanes, guard).never_partition_all();
            total.update().reorder(x, sum.panels->x).vectorize(x, lanes, guard).never_partition_all();
            sums.compute_at(total, sum.panels->x);
        } else {
            sums.compute_at(reader, at);
        }
        if (!sum.stored.defined()) sums.store_in(Halide::MemoryType::Stack);
        sums.vectorize(x, lanes, guard).never_partition_all();
        for (const int i : {0, 1}) sums.update(i).never_partition_all();
        return Halide::LoopLevel(reader, at);
    };
    return {result_of(*terms, const_cast<Func&>(sum.func)(as_exprs(kept))), schedule};
}

/// Adds to the panels of a group: all of them, which are whole, or one after another.
void add_panels(const Terms& terms, Func& sums, const Var& in, const Var& group, int width) {
    const Expr whole = terms.count() / (panel * width);
    const Exprs none(terms.rank(), 0);
    constexpr int line = 16;
    RDom most(0, line, 0, panel / line);
    most.where(group < whole);
    Expr term = (group * width + in) * panel + most.y * line + most.x;
    sums(in, group) = terms.next(sums(in, group), terms.place(none, term), most);
    sums.update(0).reorder(most.x, in, most.y).unroll(most.x).unroll(in);
    RDom rest(0, panel, 0, width);
    term = (group * width + rest.y) * panel + rest.x;
    rest.where(group >= whole);
    rest.where(term < terms.count());
    sums(rest.y, group) = terms.next(sums(rest.y, group), terms.place(none, term), rest);
}

/// One sum: panels side by side, then their total.
TiledProduct dot(const SharedTerms& terms) {
    constexpr int at_once = 8;
    Func sums("sums");
    const Exprs none(terms->rank(), 0);
    if (!terms->has_panels()) {
        const PanelTerms over = terms->terms_of(0);
        sums() = terms->zero();
        sums() = terms->next(sums(), terms->place(none, over.term), over.domain);
        return {result_of(*terms, sums()), [=](Func& reader) mutable {
                    sums.compute_at(reader, Var::outermost());
                    return Halide::LoopLevel(reader, Var::outermost());
                }};
    }
    const Var in("in_"), group("group_");
    sums(in, group) = terms->zero();
    add_panels(*terms, sums, in, group, at_once);
    Func total("total");
    const RDom panels(0, terms->panels());
    total() = Halide::Internal::make_zero(Halide::Float(64));
    total() += Halide::cast<double>(sums(panels.x % at_once, panels.x / at_once));
    return {result_of(*terms, total()), [=](Func& reader) mutable {
                const Halide::LoopLevel level(reader, Var::outermost());
                total.compute_at(level);
                sums.compute_at(level).bound(in, 0, at_once).unroll(in);
                if (!terms->loops().parallel) return level;
                sums.parallel(group);
                for (int i : {0, 1}) sums.update(i).parallel(group);
                return level;
            }};
}

/// The innermost kept dimension that is longer than 1, or -1.
int innermost(const Terms& terms) {
    for (int i = 0; i < terms.rank(); ++i)
        if (!terms.is_single(i)) return i;
    return -1;
}

/// True if the terms, and not the elements of the result along `dim`, are neighbours in memory.
bool are_terms_neighbours(const Terms& terms, int dim) {
    const ProductFactors& factors = terms.factors();
    bool terms_are = false;
    for (const auto& [factor, varies] :
         {std::pair(&factors.left, terms.in_left(dim)), std::pair(&factors.right, terms.in_right(dim))}) {
        if (!varies) continue;
        if (terms.runs_along(*factor, dim)) return false;
        terms_are = terms_are || terms.runs_along_terms(*factor);
    }
    return terms_are;
}

}  // namespace

}  // namespace products

TiledProduct tiled_product(const ProductLoops& loops, const ProductFactors& factors) {
    using namespace products;
    const auto terms = std::make_shared<const Terms>(loops, factors);
    const int dim = innermost(*terms);
    const auto of_kind = [&](TiledProduct made, LoopKind kind) {
        made.kinds.add(kind);
        if (terms->has_panels()) made.kinds.add(LoopKind::panels);
        return made;
    };
    if (loops.on_device) {
        const bool has_masks = factors.left_mask || factors.right_mask;
        const auto dims = loops.parallel && dim >= 0 && !has_masks ? matrix_dims(*terms) : std::nullopt;
        if (dims) return of_kind(device_matrix_product(terms, *dims), LoopKind::product_tiles);
        return of_kind(device_product(terms), dim < 0 ? LoopKind::dot : LoopKind::product_columns);
    }
    if (dim < 0) return of_kind(dot(terms), LoopKind::dot);
    if (const auto dims = matrix_dims(*terms))
        return of_kind(matrix_product(terms, *dims), LoopKind::product_tiles);
    if (dim > 0 || are_terms_neighbours(*terms, dim))
        return of_kind(row_product(terms, dim), LoopKind::product_rows);
    return of_kind(columns(terms), LoopKind::product_columns);
}

Func stored_product(const TiledProduct& product, const std::vector<Var>& kept) {
    Func func("product");
    func(kept) = product.value;
    product.schedule(func);
    return func;
}

}  // namespace frisket::codegen
