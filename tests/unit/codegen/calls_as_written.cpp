// SPDX-License-Identifier: MIT
#include "../../support/child.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sstream>

namespace calls_as_written_test {

using namespace frisket;
using namespace frisket::testing;
using Integers = std::vector<std::int64_t>;

TEST_CASE("<< and >> of tensors move bits, and print where a stream stands first", "[codegen]") {
    const Tensor<std::int64_t> a({3}, {1, 2, -8}), b({3}, {1, 3, 1});
    CHECK(eval(a << b).to_vector() == Integers{2, 16, -16});
    CHECK(eval(a >> b).to_vector() == Integers{0, 0, -4});
    CHECK(eval(a << 2).to_vector() == Integers{4, 8, -32});
    CHECK(eval(1 << b).to_vector() == Integers{2, 8, 2});
    const MaskedTensor<std::int64_t> masked(AnyMasked::strided(a, Tensor<bool>({3}, {true, false, true})));
    CHECK(eval(to_dense(masked << b, 0)).to_vector() == Integers{2, 0, -16});
    std::ostringstream text;
    text << a << masked;
    CHECK(text.str() == to_string(a) + to_string(masked));
}

TEST_CASE("a Jit stands for options of eval and explain", "[codegen]") {
    const Tensor<float> x({2}, {1, 2});
    CHECK(eval(x + 1, Jit::never).to_vector() == std::vector<float>{2, 3});
    const auto [sum, product] = eval(x + 1, x * 2, Jit::never);
    CHECK(sum.to_vector() == std::vector<float>{2, 3});
    CHECK(product.to_vector() == std::vector<float>{2, 4});
    CHECK(explain(x + 1, Jit::never) == explain(x + 1, EvalOptions{.jit = Jit::never}));
    CHECK(explain(x + 1, Run::yes, Jit::never) == explain(x + 1, Run::yes, {.jit = Jit::never}));
}

TEST_CASE("explain shows the plan of several expressions", "[codegen]") {
    const Tensor<float> x({2}, {1, 2});
    for (const std::string& text :
         {explain(x + 1, x * 2), explain(x + 1, x * 2, Jit::never), explain(x + 1, x * 2, Run::yes),
          explain(x + 1, x * 2, Run::yes, Jit::never)}) {
        INFO(text);
        CHECK(count_of(text, "add") + count_of(text, "+") > 0);
        CHECK(count_of(text, "mul") + count_of(text, "*") > 0);
    }
}

TEST_CASE("compressed layouts take pointers and indices in tensors", "[codegen]") {
    const Tensor<std::int32_t> narrow({3}, {0, 1, 2});
    const Tensor<std::int64_t> pointers({3}, {0, 1, 2}), columns({2}, {0, 2});
    const Tensor<float> values({2}, {1, 2});
    using Masked = MaskedTensor<float>;
    const Masked wanted = Masked::csr({2, 3}, {0, 1, 2}, {0, 2}, {1, 2});
    CHECK(same(Masked::csr({2, 3}, pointers, columns, values), wanted));
    CHECK(same(Masked::csr({2, 3}, narrow, columns, values), wanted));
    CHECK(
        same(Masked::csc({3, 2}, pointers, columns, values), Masked::csc({3, 2}, {0, 1, 2}, {0, 2}, {1, 2})));
    CHECK(same(Masked::bsr({2, 3}, {1, 1}, pointers, columns, values), wanted));
    CHECK(same(Masked::bsc({3, 2}, {1, 1}, pointers, columns, values),
               Masked::csc({3, 2}, {0, 1, 2}, {0, 2}, {1, 2})));
    CHECK_THROWS_MATCHES(Masked::csr({2, 3}, values, columns, values), DTypeError,
                         Says("csr: pointers and indices are float32, wanted int32 or int64: write "
                              ".to<std::int64_t>()"));
    CHECK_THROWS_MATCHES(Masked::csr({2, 3}, pointers.reshape({3, 1}), columns, values), ShapeError,
                         Says("csr: pointers and indices have shape [3, 1], wanted one dimension"));
}

}  // namespace calls_as_written_test
