// SPDX-License-Identifier: MIT
#pragma once
#include "../rewrite.hpp"
#include "rules/coiterate.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace frisket {

/// Elements of a tensor by their places: ascending row-major positions, and a value for each.
struct SparseVector {
    std::shared_ptr<const IndexList> list;
    AnyTensor values;
};

/// An expression some of whose instructions are made already: they are read as symbols.  Instructions are
/// given one after the other, in their order.
class ResidualGraph {
public:
    ResidualGraph(const Graph& graph, std::span<const Argument> arguments);

    /// The next instruction as it is.
    void keep();
    /// The next instruction, of which values are made: without a mask it is 0, or false, elsewhere.
    void take(const SparseVector& made);
    /// The next instruction, which is dense.
    void take(const AnyTensor& made);
    /// The next instruction, which is the mask of a tensor that is made; the tensor follows later.
    void take_mask_of(const AnyMasked& made);
    /// The next instruction, whose mask was taken with it.
    void take_values();

    /// The symbol by which the rest reads what was taken last.
    const std::string& last_name() const { return rest_.graph().symbols.back().name; }
    /// What was taken for an instruction, if its values are listed.
    const SparseVector* made(NodeId id) const;
    /// Results of what is left.
    std::vector<Result> run(const Executor& executor);

private:
    std::optional<std::vector<Result>> given() const;
    int add_symbol(SymbolKind kind, DType dtype, const Shape& shape, Argument argument);
    int add_masked(const AnyMasked& made);
    std::string new_name() const;
    NodeId read(NodeKind kind, int symbol, NodeId mask);
    void replace_next(NodeId made) { rest_.replace(next_++, made); }

    const Graph& from_;
    Rewriter rest_;
    NodeId next_ = 0;
    std::vector<Argument> arguments_;
    std::deque<AnyMasked> kept_;        // that arguments refer to
    std::deque<AnyTensor> kept_dense_;  // the same
    std::map<NodeId, SparseVector> made_;
};

}  // namespace frisket
