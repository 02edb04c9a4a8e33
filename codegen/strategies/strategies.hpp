// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../lowering/kernel_builder.hpp"

namespace frisket::codegen {

LoopNest make_dense(const KernelRequest& task);
LoopNest make_blend(const KernelRequest& task);
LoopNest make_skip(const KernelRequest& task);
LoopNest make_predicate(const KernelRequest& task);
LoopNest make_bytes(const KernelRequest& task);
LoopNest make_gather(const KernelRequest& task);
LoopNest make_lines(const KernelRequest& task);
LoopNest make_segments(const KernelRequest& task);
LoopNest make_rows(const KernelRequest& task);
LoopNest make_strided(const KernelRequest& task);
LoopNest make_strided_bits(const KernelRequest& task);
LoopNest make_strided_lists(const KernelRequest& task);

inline Halide::TailStrategy halide_tail(Tail tail) {
    return tail == Tail::guard ? Halide::TailStrategy::GuardWithIf : Halide::TailStrategy::Predicate;
}

/// Makers of each strategy's loop, in the order of the enumeration.
inline constexpr LoopNest (*makers[])(const KernelRequest&) = {
    make_dense, make_blend,    make_skip, make_predicate, make_bytes,        make_gather,
    make_lines, make_segments, make_rows, make_strided,   make_strided_bits, make_strided_lists};
static_assert(std::size(makers) == strategy_count);

/// The loop nest of a strategy.
inline LoopNest make_loop(const KernelRequest& task, Strategy strategy) {
    return makers[static_cast<std::size_t>(info_of(strategy).strategy)](task);
}

}  // namespace frisket::codegen
