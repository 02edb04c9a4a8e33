// SPDX-License-Identifier: MIT
#pragma once
#include "concepts.hpp"
#include "expr_type.hpp"

#include <type_traits>

namespace frisket {

class StepChecker;

/// An actual tensor in an expression: a handle, which shares its memory.  Elements for storage are read as
/// what they are widened to.
template <class Handle>
struct Leaf {
    static constexpr int leaves = 1;
    static constexpr ExprType expr_type = [] {
        ExprType found{.category = DenseTensor<Handle> ? ExprCategory::dense : ExprCategory::masked,
                       .type = {.dtype = compute_dtype(dtype_of<typename Handle::Element>)}};
        found.has_tensors = true;
        return found;
    }();
    static constexpr ExprType check(StepChecker& /*step*/) { return expr_type; }
    Handle tensor;
};

}  // namespace frisket
