// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <tuple>

namespace listed_scatters_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Ids = Tensor<std::int64_t>;

/// Checks a gradient by a list against the interpreter's, and that it is a list.
template <class Make>
void check_gradient(const MaskedTensor<float>& m, const EvalOptions& how, Make&& make) {
    const auto found = eval(gradient(make(m), m), how);
    CAPTURE(explain(gradient(make(m), m)));
    CHECK((found.layout() == Layout::coo || found.layout() == m.layout()));
    CHECK(same(found, oracle(gradient(make(m), m))));
}

}  // namespace

TEST_CASE("gradients through slices, moves and gathers of lists are lists", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr);
    const EvalOptions how = options();
    CAPTURE(name_of(layout));
    const MaskedTensor<float> m = random_masked({12, 8}, specified(0.4), layout, 5);
    const Ids some({5}, {7, 0, 7, 2, 1}), negative({4}, {-1, 3, -8, -1}), none({0}),
        table({2, 2}, {1, -2, 8, 1}), columns({3}, {2, 0, 2});
    check_gradient(m, how, [](const auto& x) { return sum(square(x(slice(2, 9)))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(x(slice(1, 12, 3), slice(0, 8, 2)))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(flip(x, {0}))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(roll(x, 3, 0))); });
    check_gradient(m, how, [](const auto& x) { return sum(square(transpose(x, 0, 1)(slice(1, 4)))); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[some])); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[negative])); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[table])); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(index_select(x, 1, columns))); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[some][columns])) + sum(x); });
    check_gradient(m, how, [&](const auto& x) { return sum(square(x[some])) + sum(square(x(slice(2, 9)))); });
    CHECK(eval(gradient(sum(m[none]), m), how).specified_count() == 0);
}

TEST_CASE("what gradients scatter into lists takes memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();
    const auto sliced = eval(gradient(sum(square(m(slice(5, 7)))), m), how);
    CHECK(sliced.specified_count() == 2);
    CHECK(stored_values(sliced) == std::vector<float>{8, -4});
    const Ids some({4}, {5, 7, 5, 6});
    const auto selected = eval(gradient(sum(square(m[some])), m), how);
    CHECK(stored_values(selected) == std::vector<float>{16, -8, 6});
}

TEST_CASE("results at the places of several lists are lists", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> a = random_masked({12, 8}, specified(0.4), layout, 5),
                              b = random_masked({9, 12}, specified(0.4), layout, 6);
    const auto [twice, half] = eval(a * 2, b * 0.5F, how);
    CHECK(twice.layout() == layout);
    CHECK(half.layout() == layout);
    CHECK(same(twice, oracle(a * 2)));
    CHECK(same(half, oracle(b * 0.5F)));
    const auto loss = sum(square(a)) + sum(square(b));
    const auto [value, of_a, of_b] = eval(loss, gradient(loss, a), gradient(loss, b), how);
    CHECK(value.item() == oracle(loss).item());
    CHECK(same(of_a, oracle(gradient(loss, a))));
    CHECK(same(of_b, oracle(gradient(loss, b))));
}

TEST_CASE("results at the places of several huge lists are lists", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> a = huge_coo(), b = coo_of(1 << 20, huge);
    const auto loss = sum(square(a)) * sum(square(b));
    const auto [of_a, of_b] = eval(gradient(loss, a), gradient(loss, b), how);
    CHECK(of_a.specified_count() == 4);
    CHECK(of_b.specified_count() == 4);
}

}  // namespace listed_scatters_test
