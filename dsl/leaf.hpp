// SPDX-License-Identifier: MIT
#pragma once
#include "concepts.hpp"
#include "judgement.hpp"

#include <type_traits>

namespace frisket {

class StepJudge;

/// An actual tensor in an expression: a handle, which shares its memory.  Elements for storage are read as
/// what they are widened to.
template <class Handle>
struct Leaf {
    static constexpr int leaves = 1;
    static constexpr Judgement judgement = [] {
        Judgement found{.standing = DenseTensor<Handle> ? Standing::dense : Standing::masked,
                        .type = {.dtype = compute_dtype(dtype_of<typename Handle::Element>)}};
        found.has_tensors = true;
        return found;
    }();
    static constexpr Judgement judge(StepJudge& /*step*/) { return judgement; }
    Handle tensor;
};

}  // namespace frisket
