// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <tuple>

namespace listed_scans_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("running sums and products of lists are lists, with the bits of dense lines", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc);
    // Lines of floats are added in blocks of 16.
    const std::int64_t columns = GENERATE(16, 32, 48, 64);
    const EvalOptions how = options();
    CAPTURE(name_of(layout), columns);
    for (const double density : {0.05, 0.4, 1.0}) {
        const MaskedTensor<float> m = random_masked({8, columns}, specified(density), layout, 7);
        check_as_strided(m, how, [](const auto& x) { return cumsum(x * 0.1F, 1); });
        check_as_strided(m, how, [](const auto& x) { return cumsum(x, 0); });
        check_as_strided(m, how, [](const auto& x) { return cumprod(x * 0.5F, 1); });
        check_as_strided(m, how, [](const auto& x) { return cumprod(x, 0); });
    }
}

TEST_CASE("running sums cross each block of a line as dense lines do", "[codegen]") {
    const EvalOptions how = options();
    for (const std::int64_t columns : {1, 15, 16, 17, 31, 33, 47}) {
        CAPTURE(columns);
        const MaskedTensor<float> m = random_masked({5, columns}, specified(0.5), Layout::coo, 3);
        const auto found = eval(cumsum(m * 0.1F, 1), how);
        CHECK(same(found, oracle(cumsum(m * 0.1F, 1))));
        CHECK(same(found, eval(cumsum(strided(m) * 0.1F, 1), how)));
    }
}

TEST_CASE("running sums of lists are followed by what reads lists", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> m = random_masked({12, 8}, specified(0.4), layout, 5);
    check_as_strided(m, how, [](const auto& x) { return cumsum(x, 1) * 2 + x; });
    check_as_strided(m, how, [](const auto& x) { return transpose(cumsum(x, 0), 0, 1); });
    check_as_strided(m, how, [](const auto& x) { return amax(cat(std::tuple(cumsum(x, 0), x), 0), {1}); });
    check_as_strided(m, how, [](const auto& x) { return cumsum(cumsum(x, 0), 1); });
}

TEST_CASE("gradients of running sums of lists are lists", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::strided);
    for (const int dim : {0, 1}) {
        const MaskedTensor<float> m = random_masked({12, 18}, specified(0.4), layout, 5);
        const auto loss = [&](const auto& x) { return sum(square(cumsum(x, dim))); };
        const auto found = eval(gradient(loss(m), m), how);
        CHECK((found.layout() == Layout::coo || found.layout() == layout));
        CHECK(same(found, oracle(gradient(loss(m), m))));
    }
}

TEST_CASE("running sums take time and memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();
    const auto along = eval(cumsum(m, 1), how);
    CHECK(along.specified_count() == 4);
    CHECK(stored_values(along) == std::vector<float>{4, 2, 3, 12});
    CHECK(stored_values(eval(cumsum(m, 0), how)) == std::vector<float>{4, -2, 3, 12});
    CHECK(stored_values(eval(gradient(sum(cumsum(m, 1)), m), how)) == std::vector<float>{2, 1, 1, 1});
}

}  // namespace listed_scans_test
