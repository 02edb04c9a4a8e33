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
    const Expr begin = across_ * extents.width, is_whole = begin + extents.width <= extents.across;
    for (const bool whole : {true, false}) {
        RDom in(0, extents.width, 0, extents.height);
        in.where(whole ? is_whole : !is_whole);
        if (!whole) in.where(begin + in.x < extents.across);
        const Expr x = Halide::unsafe_promise_clamped(begin + in.x, 0, extents.across - 1);
        const Expr y = Halide::min(down_ * extents.height + in.y, extents.down - 1);
        column[0] = in.x;
        columns_(column) = columns_(column) | byte(at(x, y).expr);
        columns_.update(whole ? 0 : 1).vectorize(in.x);
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
    for (const int i : {0, 1}) columns_.update(i).never_partition_all();
    any_.compute_at(level).never_partition_all();
    any_.update().never_partition_all();
}

}  // namespace frisket::codegen::products
