// says: frisket: a step of whole tensors is made for given shapes: write describe(step, shapes)
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr auto rowwise = step<"rowwise">(param -= grad / to_dense(norm(grad), 1));
const Graph wrong = describe(rowwise);
