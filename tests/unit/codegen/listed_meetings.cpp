// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "compositions.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace listed_meetings_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("equal masks meet in any two layouts", "[codegen]") {
    const Layout one = GENERATE(Layout::coo, Layout::rows, Layout::csr, Layout::bsc, Layout::two_four);
    const Layout other = GENERATE(Layout::coo, Layout::rows, Layout::csc, Layout::bsr);
    const EvalOptions how = options();
    CAPTURE(name_of(one), name_of(other));
    // Whole rows, of which two of four elements at most are specified.
    const bool is_rows = one == Layout::rows || other == Layout::rows;
    if (is_rows && one == Layout::two_four) return;
    const Layout most = is_rows ? Layout::rows : Layout::two_four;
    const MaskedTensor<float> a = random_masked({8, 8}, specified(0.4), most, 5, Listed::ascending).to(one);
    const MaskedTensor<float> b = eval(a * 2 + 1, how).to(other);
    const MaskedTensor<float> found = eval(a * b + random_tensor({8}, 3), how);
    CHECK(found.layout() == (one == other ? one : Layout::coo));
    CHECK(same(found, eval(strided(a) * strided(b) + random_tensor({8}, 3), how)));
    CHECK(same(found, oracle(a * b + random_tensor({8}, 3))));
    CHECK(eval(sum(a + b), how).item() == eval(sum(strided(a) + strided(b)), how).item());
}

TEST_CASE("lists of different places meet in intersect and unite", "[codegen]") {
    const Layout one = GENERATE(Layout::coo, Layout::csr, Layout::rows, Layout::bsr);
    const Layout other = GENERATE(Layout::coo, Layout::csc, Layout::two_four);
    const EvalOptions how = options();
    CAPTURE(name_of(one), name_of(other));
    const MaskedTensor<float> a = random_masked({8, 8}, specified(0.4), one, 5);
    const MaskedTensor<float> b = random_masked({8, 8}, specified(0.5), other, 6);
    const MaskedTensor<float> both = eval(intersect(a * b), how), either = eval(unite(a + b), how);
    CHECK(both.layout() == Layout::coo);
    CHECK(either.layout() == Layout::coo);
    CHECK(same(both, eval(intersect(strided(a) * strided(b)), how)));
    CHECK(same(either, eval(unite(strided(a) + strided(b)), how)));
    CHECK(same(both, oracle(intersect(a * b))));
    CHECK(same(either, oracle(unite(a + b))));
    CHECK(same(eval(sum(unite(a + b), {1}), how), eval(sum(unite(strided(a) + strided(b)), {1}), how)));
    CHECK_THROWS_AS(eval(a + b, how), MaskMismatch);
}

TEST_CASE("masks of lists of the same places are one where they meet before a reduction", "[codegen]") {
    using Catch::Matchers::ContainsSubstring;
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> m = random_masked({8, 8}, specified(0.4), layout, 5, Listed::ascending),
                              alike = eval(m * 0.5F),
                              other = random_masked({8, 8}, specified(0.4), layout, 6, Listed::ascending);
    const auto slope = [&](const auto& upstream) { return gradient(softmax(m, 1), m, upstream); };
    const auto mean_of = [&](const auto& with) { return mean(intersect(m * with), {0}); };
    CHECK_THAT(explain(slope(alike)), !ContainsSubstring("mask_of(x1)"));
    CHECK_THAT(explain(slope(other)), ContainsSubstring("mask_of(x1)"));
    CHECK_THAT(explain(mean_of(alike)), !ContainsSubstring("intersection"));
    for (const MaskedTensor<float>& with : {alike, other}) {
        check_close(eval(slope(with), options()), oracle(slope(with)));
        check_close(eval(mean_of(with), options()), oracle(mean_of(with)));
    }
}

TEST_CASE("whole numbers of a list are bools beside a constant", "[codegen]") {
    const auto m = MaskedTensor<std::int32_t>::coo({4, 4}, {{0, 2, 3}, {1, 2, 0}}, {0, 5, -1});
    const auto check = [](const auto& made) {
        CHECK(eval(made, options()).dtype() == DType::boolean);
        CHECK(same(eval(made, options()), oracle(made)));
    };
    check(m || 0);
    check(m && 1);
    check(m || 1);
    check(m && m);
}

TEST_CASE("lists that meet take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const auto coo =
        MaskedTensor<float>::coo({huge, 2}, {{7, 7, huge - 1, huge - 1}, {0, 1, 0, 1}}, {1, 2, 3, 4});
    const auto rows = MaskedTensor<float>::rows({huge, 2}, {huge - 1, 7}, {30, 40, 10, 20});
    const auto other = MaskedTensor<float>::coo({huge, 2}, {{7, 9}, {0, 1}}, {100, 200});
    CHECK(same(eval(coo + rows, how), MaskedTensor<float>::rows({huge, 2}, {7, huge - 1}, {11, 22, 33, 44})));
    CHECK_THROWS_AS(eval(other + rows, how), MaskMismatch);
    CHECK(same(eval(intersect(other * rows), how), MaskedTensor<float>::coo({huge, 2}, {{7}, {0}}, {1000})));
    CHECK(eval(unite(other + rows), how).specified_count() == 5);
    CHECK(eval(coo * Tensor<float>({1, 2}, {1, 2}) + 1, how).values().size() == 4);
    CHECK(eval(max(coo, exp(Tensor<float>({2}, {0, 2}))), how).values().size() == 4);
}

TEST_CASE("an error in a list names its place in the whole without the whole", "[codegen]") {
    const auto a = MaskedTensor<std::int32_t>::coo({huge, 9}, {{huge - 2, 7}, {3, 5}}, {6, 8});
    const auto zeros = MaskedTensor<std::int32_t>::coo({huge, 9}, {{huge - 2, 7}, {3, 5}}, {0, 1});
    CHECK_THROWS_WITH(eval(floor_divide(a, zeros), options()),
                      Catch::Matchers::ContainsSubstring("[1099511627774, 3]"));
    const auto rows = MaskedTensor<std::int32_t>::rows({huge, 2}, {huge - 3, 1}, {0, 1, 2, 0});
    CHECK_THROWS_WITH(eval(rows % rows, options()), Catch::Matchers::ContainsSubstring("[1, 1]"));
}

}  // namespace listed_meetings_test
