// SPDX-License-Identifier: MIT
#pragma once

namespace frisket::kernel {

/// $FRISKET_NUM_THREADS, at most 256, as many as Halide's runtime has; 0 if it says nothing.
int wanted_threads();

}  // namespace frisket::kernel
