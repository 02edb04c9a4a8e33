// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace listed_oracle_test {

/// Lists in shapes of which no dense tensor can be made, compared with the interpreter on the same lists in a
/// shape that fits.
using namespace frisket;
using namespace frisket::testing;

namespace {

/// Indices and values of specified elements; indices past the middle count from the end, so that they are the
/// same whatever the extent.
template <class T>
std::vector<std::string> entries_of(const MaskedTensor<T>& masked) {
    const AnyMasked list = masked.to(Layout::coo).coalesce();
    const Tensor<T> values(list.values().clone());
    std::vector<std::string> entries;
    for (std::int64_t i = 0; i < list.index()->size(); ++i) {
        std::ostringstream text;
        std::int64_t rest = (*list.index())[i];
        for (std::size_t d = list.shape().size(); d-- > 0; rest /= list.shape()[d]) {
            const std::int64_t extent = list.shape()[d], index = rest % extent;
            text << (index < extent / 2 ? index : index - extent) << ' ';
        }
        text << "is " << std::hexfloat << values.at({i});
        entries.push_back(text.str());
    }
    return entries;
}

/// Checks an expression over the list in a huge matrix.
template <class Make>
void check_in_huge(const EvalOptions& how, Make&& make) {
    const auto found = eval(make(huge_coo()), how);
    const auto wanted = oracle(make(coo_of(20, 24)));
    CHECK(entries_of(found) == entries_of(wanted));
    CHECK(found.layout() >= Layout::coo);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("functions of a list in a huge shape are the interpreter's", "[codegen]") {
    const EvalOptions how = options();
    check_in_huge(how, [](const auto& x) { return x * x - 3 / x; });
    check_in_huge(how, [](const auto& x) { return where(x > 3, x, -x); });
    check_in_huge(how, [](const auto& x) { return masked(x, x > 3); });
    check_in_huge(how, [](const auto& x) { return intersect(x * masked(x, x > 3)); });
    check_in_huge(how, [](const auto& x) { return unite(x + masked(x * 2, x > 3)); });
    check_in_huge(how, [](const auto& x) { return on(x, 2 * x) + to_dense(mean(x), 0); });
}

TEST_CASE("reductions of a list in a huge shape are the interpreter's", "[codegen]") {
    const EvalOptions how = options();
    check_in_huge(how, [](const auto& x) { return sum(x, {1}); });
    check_in_huge(how, [](const auto& x) { return sum(x * x, {0}, keepdim); });
    check_in_huge(how, [](const auto& x) { return mean(x, {1}); });
    check_in_huge(how, [](const auto& x) { return var(x, {1}, keepdim, 0); });
    check_in_huge(how, [](const auto& x) { return amax(x, {1}); });
    check_in_huge(how, [](const auto& x) { return norm(x, {1}, {}, infinity); });
    check_in_huge(how, [](const auto& x) { return any(x > 3, {0}); });
    check_in_huge(how, [](const auto& x) { return x - mean(x, {1}, keepdim); });
    check_in_huge(how, [](const auto& x) { return x / norm(x, {0}, keepdim); });
    check_in_huge(how, [](const auto& x) { return x - to_dense(mean(x, {1}, keepdim), 0); });
    const MaskedTensor<float> m = huge_coo(), fits = coo_of(20, 24);
    CHECK(eval(sum(m), how).item() == oracle(sum(fits)).item());
    CHECK(eval(mean(m), how).item() == oracle(mean(fits)).item());
    CHECK(eval(var(m), how).item() == oracle(var(fits)).item());
    CHECK(eval(count(m), how).item() == oracle(count(fits)).item());
    CHECK(eval(sum(to_dense(m, 0)), how).item() == oracle(sum(to_dense(fits, 0))).item());
}

TEST_CASE("views of a list in a huge shape are the interpreter's", "[codegen]") {
    const EvalOptions how = options();
    check_in_huge(how, [](const auto& x) { return transpose(x, 0, 1); });
    check_in_huge(how, [](const auto& x) { return flip(x, {0, 1}); });
    check_in_huge(how, [](const auto& x) { return select(x, 0, 5) * 2; });
    check_in_huge(how, [](const auto& x) { return select(x, 1, 3); });
    check_in_huge(how, [](const auto& x) { return unsqueeze(x, 1); });
    check_in_huge(how, [](const auto& x) { return sum(transpose(x, 0, 1), {0}); });
}

TEST_CASE("products of a list in a huge shape are the interpreter's", "[codegen]") {
    const EvalOptions how = options();
    check_in_huge(how, [](const auto& x) { return matmul(transpose(x, 0, 1), x); });
    check_in_huge(how, [](const auto& x) {
        const std::int64_t columns = x.shape()[1];
        return matmul(x, full<float>({columns, 2}, 0.5F));
    });
}

}  // namespace listed_oracle_test
