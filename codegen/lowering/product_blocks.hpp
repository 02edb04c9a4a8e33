// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <vector>

#include "product_terms.hpp"

namespace frisket::codegen::products {

/// Extents of blocks of a matrix, and of the matrix.
struct BlockExtents {
    int width, height;
    Halide::Expr across, down;
};

/// Says for each block of a matrix of bools if one in it is true.
class BlockMask {
public:
    using At = std::function<lowering::Value(const Halide::Expr& x, const Halide::Expr& y)>;
    BlockMask() = default;
    /// `at` is read only at indices of the matrix, for each of the batches.
    BlockMask(const At& at, const BlockExtents& extents, std::vector<Halide::Var> batches);

    bool is_defined() const { return any_.defined(); }
    /// True if an element of the block is.
    Halide::Expr any(const Halide::Expr& across, const Halide::Expr& down) const;
    void compute_at(const Halide::LoopLevel& level);

private:
    std::vector<Halide::Var> batches_;
    Halide::Var in_{"in_"}, across_{"across_"}, down_{"down_"};
    int width_ = 1;
    Halide::Func columns_, any_;  ///< a bool for each column of a block, and for each block
};

}  // namespace frisket::codegen::products
