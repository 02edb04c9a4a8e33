// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "product_blocks.hpp"

#include <utility>

namespace frisket::codegen::products {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;

namespace {

Expr byte(const Expr& condition) {
    return Halide::select(condition, Halide::cast<std::uint8_t>(1), Halide::cast<std::uint8_t>(0));
}

}  // namespace

BlockMask::BlockMask(const At& at, const BlockExtents& extents, std::vector<Halide::Var> batches)
    : batches_(std::move(batches)), width_(extents.width), columns_("marked_columns"), any_("marked") {
    Exprs block{across_, down_};
    block.insert(block.end(), batches_.begin(), batches_.end());
    Exprs column{in_};
    column.insert(column.end(), block.begin(), block.end());
    std::vector<Halide::Var> variables{in_, across_, down_};
    variables.insert(variables.end(), batches_.begin(), batches_.end());
    columns_(variables) = Halide::cast<std::uint8_t>(0);
    // Blocks whose columns all exist are read in vectors.
    const Expr begin = across_ * extents.width, end = begin + extents.width;
    for (const bool is_whole : {true, false}) {
        RDom rows(0, extents.height);
        rows.where(is_whole ? end <= extents.across : end > extents.across);
        const Expr x = is_whole ? Halide::unsafe_promise_clamped(begin + in_, 0, extents.across - 1)
                                : Halide::min(begin + in_, extents.across - 1);
        const Expr y = Halide::min(down_ * extents.height + rows, extents.down - 1);
        columns_(column) = columns_(column) | byte(at(x, y).expr);
    }
    variables.erase(variables.begin());
    const RDom all(0, extents.width);
    any_(variables) = Halide::cast<std::uint8_t>(0);
    column[0] = all;
    any_(block) = any_(block) | columns_(column);
}

Expr BlockMask::any(const Expr& across, const Expr& down) const {
    Exprs at{across, down};
    at.insert(at.end(), batches_.begin(), batches_.end());
    return const_cast<Func&>(any_)(at) != Halide::cast<std::uint8_t>(0);
}

void BlockMask::compute_at(const Halide::LoopLevel& level) {
    columns_.compute_at(level).bound(in_, 0, width_).vectorize(in_).never_partition_all();
    for (const int i : {0, 1}) columns_.update(i).vectorize(in_).never_partition_all();
    any_.compute_at(level).never_partition_all();
    any_.update().never_partition_all();
}

}  // namespace frisket::codegen::products
