// SPDX-License-Identifier: MIT
// Compiles functions for processors with fused multiply-adds.
#pragma once
#include <utility>

namespace frisket::runtime {

#if defined(__x86_64__)
template <class Body>
[[gnu::target("avx2,fma"), gnu::flatten]] void with_fma(Body& body) {
    body();
}
#endif

/// Runs `body` as code for processors that have fused multiply-adds, where this one does: elsewhere std::fma
/// calls a function, which has the same bits and is slow.
template <class Body>
void fused(Body&& body) {
#if defined(__x86_64__)
    const bool has_fma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    if (has_fma) return with_fma(body);
#endif
    body();
}

}  // namespace frisket::runtime
