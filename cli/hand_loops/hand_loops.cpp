// SPDX-License-Identifier: MIT
#include "hand_loops.hpp"

namespace frisket::hand {

extern const Loops loops_plain;
#if defined(__x86_64__)
extern const Loops loops_avx2, loops_avx512;
#endif

const Loops& loops() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return loops_avx512;
    if (__builtin_cpu_supports("avx2")) return loops_avx2;
#endif
    return loops_plain;
}

}  // namespace frisket::hand
