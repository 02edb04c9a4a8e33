// SPDX-License-Identifier: MIT
// Layouts that eval is asked for.
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

namespace result_layouts_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A matrix of which three columns are specified.
MaskedTensor<float> three_columns() {
    Tensor<bool> mask({8, 12});
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = i % 12 < 3;
    return masked(random_tensor<float>({8, 12}, 1), mask);
}

}  // namespace

TEST_CASE("eval gives a masked result in the layout that is asked for", "[codegen][result_layouts]") {
    const Layout from = GENERATE(Layout::strided, Layout::coo, Layout::csr, Layout::bsc, Layout::bitmask);
    const Layout wanted = GENERATE(Layout::strided, Layout::bitmask, Layout::coo, Layout::csr, Layout::csc,
                                   Layout::bsr, Layout::bsc);
    const Jit jit = GENERATE(Jit::always, Jit::never);
    CAPTURE(name_of(from), name_of(wanted));
    const auto m = MaskedTensor<float>(three_columns().to(from));
    const MaskedTensor<float> plain = eval(m * 2, {.jit = jit});
    const MaskedTensor<float> found = eval(m * 2, {.jit = jit, .layout = wanted});
    CHECK(found.layout() == wanted);
    CHECK(same(found, MaskedTensor<float>(plain.to(wanted))));
}

TEST_CASE("the gradient of a table has the layout that is asked for", "[codegen][result_layouts]") {
    const Tensor<float> table = random_tensor<float>({30, 4}, 2);
    const Tensor<std::int64_t> ids = Tensor<std::int64_t>({4}, {7, 2, 7, 21});
    const auto loss = sum(square(table[ids]));
    const auto of_all = loss + sum(table);
    CHECK(eval(gradient(loss, table)).layout() == Layout::rows);
    for (int call = 0; call < 6; ++call) {  // interpreted, compiled, known
        const MaskedTensor<float> found = eval(gradient(of_all, table), layout(Layout::rows));
        CHECK(found.layout() == Layout::rows);
        CHECK(found.specified_count() == 120);
        CHECK(same(found, MaskedTensor<float>(eval(gradient(of_all, table)).to(Layout::rows))));
        const auto [value, of_table, all] =
            eval(loss, gradient(loss, table), std::vector{gradient(loss, table)}, layout(Layout::coo));
        CHECK(value.item() == eval(loss).item());
        CHECK(of_table.layout() == Layout::coo);
        CHECK(all[0].layout() == Layout::coo);
        CHECK(of_table.specified_count() == 12);
    }
}

TEST_CASE("a layout that no result can have is refused", "[codegen][result_layouts]") {
    const Tensor<float> x = random_tensor<float>({4, 5}, 3);
    const MaskedTensor<float> m = three_columns();
    const auto names = [](const std::string& part) {
        return Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(part));
    };
    CHECK_THROWS_MATCHES(
        eval(x * 2, layout(Layout::coo)), LayoutError,
        Says("eval: options ask for a layout, and no result has a mask: leave layout(...) out"));
    CHECK_THROWS_AS(eval(x * 2, sum(x), layout(Layout::coo)), LayoutError);
    CHECK_THROWS_AS(eval(split(x, 2, 0), layout(Layout::coo)), LayoutError);
    const MaskedTensor<float> target = masked(Tensor<float>({8, 12}), Tensor<bool>({8, 12}));
    CHECK_THROWS_MATCHES(
        eval_into(target, m * 2, layout(Layout::coo)), LayoutError,
        Says("eval_into: options ask for a layout, and the target has one: leave layout(...) out"));
    CHECK_THROWS_MATCHES(eval(m * 2, layout(Layout::rows)), LayoutError, names("row 0 is specified in part"));
    CHECK_THROWS_MATCHES(eval(m * 2, layout(Layout::two_four)), LayoutError,
                         names("layout two_four holds two of four"));
    CHECK_THROWS_MATCHES(eval(sum(m, {1}), layout(Layout::csr)), LayoutError,
                         names("layout csr holds matrices"));
}

}  // namespace result_layouts_test
