// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../lowering/kernel_builder.hpp"

namespace frisket::codegen {

BuiltLoops make_dense(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_blend(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_skip(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_predicate(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_bytes(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_gather(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_lines(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_segments(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_rows(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_strided(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_strided_bits(const LoopRequest& request, const Halide::Target& machine);
BuiltLoops make_strided_lists(const LoopRequest& request, const Halide::Target& machine);

inline Halide::TailStrategy halide_tail(Tail tail) {
    return tail == Tail::guard ? Halide::TailStrategy::GuardWithIf : Halide::TailStrategy::Predicate;
}

/// The loops of a request, for a machine.
BuiltLoops lower(const LoopRequest& request, const Halide::Target& machine);
/// Loops as Halide's statements.
std::string statements_of(BuiltLoops& loops, const std::string& name, const Halide::Target& machine);

}  // namespace frisket::codegen
