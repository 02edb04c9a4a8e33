// SPDX-License-Identifier: MIT
/// Every pair of layouts, by the meaning element by element: random patterns and poisoned spare values.
#include "../../../runtime/layouts/layout.hpp"
#include "../../support/matchers.hpp"

namespace conversions_test {

using namespace frisket;
using namespace frisket::testing;

/// Checks the elements of a masked tensor by converting it to values and bytes alone.
static void check_means(const AnyMasked& m, const Tensor<float>& values, const Tensor<bool>& mask) {
    CHECK(same(m.mask_tensor(), mask));
    CHECK(same(m.to_dense(-99), AnyMasked::strided(values, mask).to_dense(-99)));
}

TEST_CASE("every pair of layouts keeps values, masks and canonical storage over random patterns") {
    constexpr Layout layouts[] = {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr,
                                  Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};
    const Shape shape = GENERATE(values<Shape>({{1, 4}, {13, 20}, {6, 36}, {70, 4}, {0, 4}}));
    const double density = GENERATE(0.02, 0.5, 1.0);
    const Poison kind = GENERATE(Poison::quiet, Poison::signalling);
    const Tensor<bool> mask = random_mask(shape, specified(density), 11);
    thin_out(mask);
    const Tensor<float> values = random_tensor(shape, 12);
    const AnyMasked plain = AnyMasked::strided(values.clone(), mask);
    for (const Layout from : layouts)
        for (const Layout to : layouts) {
            INFO(name_of(from) << " to " << name_of(to) << ", shape " << to_string(shape));
            const AnyMasked source = plain.to(from).clone();
            poison(source, kind);
            check_means(source, values, mask);
            const AnyMasked result = source.to(to);
            poison(result, kind);
            check_means(result, values, mask);
            const AnyMasked direct = plain.to(to);
            if (result.compressed_index()) CHECK(*result.compressed_index() == *direct.compressed_index());
            if (result.compressed_index()) CHECK(same(result.mask(), direct.mask()));
            if (result.index()) CHECK(result.index()->is_coalesced());
        }
}

TEST_CASE("a large matrix keeps its elements through all compressed layouts") {
    const auto m = random_masked({3001, 1204}, specified(0.01), Layout::coo, 5, Listed::with_duplicates);
    AnyMasked now = m;
    for (const Layout layout :
         {Layout::csc, Layout::bsr, Layout::csr, Layout::bsc, Layout::coo, Layout::csc}) {
        now = now.to(layout);
        CHECK(now.layout() == layout);
        CHECK(same(now, m));
    }
}

}  // namespace conversions_test
