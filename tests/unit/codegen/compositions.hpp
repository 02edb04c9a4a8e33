// SPDX-License-Identifier: MIT
#pragma once
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

/// Helpers for tests of compositions of lists.
namespace frisket::testing {

using Ids = Tensor<std::int64_t>;

/// Tensors of which no pair has a dense product that fits into memory.
struct Wide {
    static constexpr std::int64_t extent = 1 << 20;
    MaskedTensor<float> a = coo_of(extent, extent);
    Tensor<float> h = full<float>({extent, 2}, 0.5F), w = full<float>({extent, 2}, 0.25F);
};

/// Checks make(list, features, weights, ids) with a list of each layout: its result is the interpreter's.
/// `extent`: the extent of rows and columns.
template <class Make>
void check_small(Make&& make, const Ids& ids, const EvalOptions& how, std::int64_t extent = 12) {
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc}) {
        const MaskedTensor<float> a =
            random_masked({extent, extent}, specified(3.6 / static_cast<double>(extent)), layout, 5);
        const Tensor<float> h = random_tensor<float>({extent, 2}, 6),
                            w = random_tensor<float>({extent, 2}, 7);
        check_close(eval(make(a, h, w, ids), how), oracle(make(a, h, w, ids)));
    }
}

/// Checks such an expression with small lists, and that it can be evaluated with a huge one.
template <class Make>
void check_composition(Make&& make, const EvalOptions& how = options()) {
    const Ids ids({3}, {7, 5, 7});
    const Wide wide;
    CHECK_NOTHROW(eval(make(wide.a, wide.h, wide.w, ids), how));
    check_small(make, ids, how);
}

}  // namespace frisket::testing
