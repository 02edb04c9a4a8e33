// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "../loops/loop_kinds.hpp"
#include "../scalar/value.hpp"

namespace frisket::codegen {

/// Place at which a node is read: an index for each of its dimensions, outermost first.
using Index = std::vector<Halide::Expr>;
using IndexTuple = std::shared_ptr<const Index>;

/// Operation by which the elements of a slice become one.
struct Accumulation {
    DType carried = DType::float64;  ///< dtype of the value that folding keeps
    lowering::Value identity;
    std::function<lowering::Value(const lowering::Value& total, const lowering::Value& term)> combine;
    std::function<lowering::Value(const IndexTuple& place)> value;      ///< operand at an index, in `carried`
    std::function<lowering::Value(const IndexTuple& place)> specified;  ///< true if the element counts;
                                                                        ///< empty: all count
    /// Sums: the operand where it counts, else 0, which changes no total that began at 0; in `carried`.
    std::function<lowering::Value(const IndexTuple& place)> addend = {};

    /// The value, or the identity if it is missing.
    lowering::Value term(const IndexTuple& place) const {
        return specified ? lowering::select(specified(place), value(place), identity) : value(place);
    }
    /// `total` and the value, where there is one.
    lowering::Value add(const lowering::Value& total, const IndexTuple& place) const {
        if (addend) return combine(total, addend(place));
        const lowering::Value next = combine(total, value(place));
        return specified ? lowering::select(specified(place), next, total) : next;
    }
};

/// The loops of folds over the same slices.
struct ReductionLoops {
    std::vector<Halide::Expr> extents = {};  ///< extents of the operand, outermost first
    std::vector<bool> reduced = {};          ///< reduced dimensions of the operand
    std::vector<Halide::Var> kept;           ///< variables of the result, innermost first
    int lanes = 8;                           ///< float32 in a vector
    bool parallel = false;                   ///< large enough for threads
    bool on_device = false;                  ///< whose schedule comes later: device_schedule.hpp
};

/// Kind of the loops that fold() makes.
LoopKind kind_of(const ReductionLoops& loops);

/// One Func with a component for each fold: all of them in one pass.  Its order of additions does not depend
/// on the number of threads.
Halide::Func fold(const ReductionLoops& loops, const std::vector<Accumulation>& folds);

/// `term` as an update of a Func at `at` may take it: Halide makes an update that mentions no variable of its
/// domain once, however large the domain.
lowering::Value in_all_of(const Halide::RDom& over, const std::vector<Halide::Expr>& at,
                          const lowering::Value& term, const lowering::Value& identity);

/// A component of a Func at an index, innermost first.
Halide::Expr component(const Halide::Func& func, const std::vector<Halide::Expr>& at, int i);

}  // namespace frisket::codegen
