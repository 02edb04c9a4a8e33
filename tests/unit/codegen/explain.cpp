// SPDX-License-Identifier: MIT
#include "../../support/child.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace explain_test {

/// explain(…) and FRISKET_SHOW=plan: the stages of expressions and steps.
using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr auto sgd = step<"sgd">(param -= lr * grad);

MaskedTensor<float> few(Layout layout) {
    const Tensor<bool> mask({2, 4}, {true, false, false, true, false, false, false, false});
    return MaskedTensor<float>(AnyMasked::strided(full<float>({2, 4}, 3), mask).to(layout));
}

}  // namespace

TEST_CASE("explain prints the stages of an expression over a list", "[explain]") {
    const MaskedTensor<float> m = few(Layout::coo);
    CHECK(explain(m * 2, Run::yes, {.jit = Jit::never}) ==
          "plan of eval: 1 stage\n"
          "1. mul(x0, 2)\n"
          "   over   2 positions of x0\n"
          "   reads  x0 (stored values)\n"
          "   makes  float32 [1, 2], values of the same list, 10 bytes\n"
          "   rule   same_pattern: the masked arguments are lists of one layout with the same positions, and "
          "no result "
          "needs another position\n"
          "          for: stored values are read and written in their order, and the result shares the list; "
          "against: "
          "the lists are compared\n"
          "   why    2 of 8 elements are listed\n"
          "peak: at most 36 bytes at once: 16 bytes of results, 20 bytes on the way\n");
}

TEST_CASE("explain makes the plan of an expression and runs nothing", "[explain]") {
    const MaskedTensor<float> m = few(Layout::coo);
    CHECK(explain(m * 2) ==
          "plan of eval: 1 stage\n"
          "1. mul(x0, 2)\n"
          "   over   positions of x0\n"
          "   reads  x0 (stored values)\n"
          "   makes  float32 [2, 4], values of the same list\n"
          "   rule   same_pattern: the masked arguments are lists of one layout with the same positions, and "
          "no result needs another position\n"
          "          for: stored values are read and written in their order, and the result shares the list; "
          "against: the lists are compared\n");
    // More than any machine stores, and than loops count.
    const Tensor<double> one({1}, {1});
    const std::int64_t many = std::int64_t{1} << 30;
    CHECK(explain(expand(one, {many, 64}) * 2).find("all elements of [1073741824, 64]") != std::string::npos);
    // An index out of range is found by who evaluates.
    const Tensor<std::int64_t> beyond({1}, {7});
    CHECK(explain(one[beyond]).find("plan of eval: 1 stage\n") == 0);
    CHECK_THROWS_AS(explain(one[beyond], Run::yes), IndexError);
}

TEST_CASE("explain prints both ways where stages decide", "[explain]") {
    const MaskedTensor<float> m = few(Layout::coo), other = few(Layout::csr);
    const Tensor<float> u = full<float>({m.shape()[0], 3}, 1.0F), v = full<float>({m.shape()[1], 3}, 1.0F);
    const auto product = on(unite(m + other), matmul(u, transpose(v, 0, 1)));
    const std::string text = explain(product);
    INFO(text);
    const std::size_t few_of_them = text.find("   if     "), many = text.find("   if     ", few_of_them + 1);
    REQUIRE(many != std::string::npos);
    CHECK(text.find(" stores more than ") != std::string::npos);
    CHECK(text.find(" stores at most ") != std::string::npos);
    CHECK(text.find("rule   sampled_factor") != std::string::npos);
    CHECK(explain(product, Run::yes).find("   if     ") == std::string::npos);
}

TEST_CASE("explain names layouts of what list kernels make", "[explain]") {
    const MaskedTensor<float> m = few(Layout::coo);
    const Tensor<float> right = full<float>({4, 3}, 1);
    CHECK(explain(matmul(m, right)).find("float32 [2, 3], rows\n") != std::string::npos);
    CHECK(explain(matmul(m, right), Run::yes).find("float32 [2, 3], rows, 3 entries, 12 bytes\n") !=
          std::string::npos);
    CHECK(explain(transpose(m, 0, 1)).find("float32 [4, 2], coo\n") != std::string::npos);
}

TEST_CASE("explain of compiled loops names what they store in between", "[explain]") {
    const Tensor<float> a = full<float>({70, 40}, 1), b = full<float>({40, 50}, 2);
    const std::string by_rows = explain(sum(exp(matmul(a, b)), {1}), Run::yes, {.jit = Jit::always});
    CHECK(by_rows.find("1. sum(exp(contract(view(x0), view(x1))))") != std::string::npos);
    CHECK(by_rows.find("contract(view(x0), view(x1)): float32 [70, 50], never whole: some rows at a time") !=
          std::string::npos);
    const auto e = sum(exp(matmul(a, b)), {0});
    const std::string compiled = explain(e, Run::yes, {.jit = Jit::always});
    CHECK(compiled.find(
              "contract(view(x0), view(x1)): float32 [70, 50], dense, 14000 bytes, until the stage ends") !=
          std::string::npos);
    CHECK(explain(e, Run::yes, {.jit = Jit::never}).find("until the stage ends") == std::string::npos);
}

TEST_CASE("what takes long is computed once for all rows that repeat it", "[explain]") {
    const Tensor<float> a = full<float>({70, 40}, 2), row = full<float>({1, 40}, 2);
    const auto is_stored = [](const auto& e) {
        return explain(e, Run::yes, {.jit = Jit::always})
                   .find("float32 [1, 40], dense, 160 bytes, until the stage ends") != std::string::npos;
    };
    CHECK(is_stored(a / sqrt(row)));
    CHECK(is_stored(a * exp(row)));
    CHECK(is_stored(a - (1 / row + 1)));
    CHECK_FALSE(is_stored(a / row));
    CHECK_FALSE(is_stored(a * (row + 1)));
    CHECK_FALSE(is_stored(narrow(a, 0, 0, 1) / sqrt(row)));
    CHECK(same(eval(a / sqrt(row), {.jit = Jit::always}), eval(a / sqrt(row), {.jit = Jit::never})));
}

TEST_CASE("explain of compiled loops names their kinds, which interpreted ones have not", "[explain]") {
    const Tensor<float> a = full<float>({70, 40}, 1), b = full<float>({40, 50}, 2);
    const auto kinds_of = [](const auto& e) {
        const std::string text = explain(e, Run::yes, {.jit = Jit::always});
        const std::size_t begin = text.find("   loops  ");
        return begin == std::string::npos ? "" : text.substr(begin + 10, text.find('\n', begin) - begin - 10);
    };
    CHECK(kinds_of(a + 1) == "elements");
    CHECK(kinds_of(matmul(a, b)) == "tiles of the result, product by tiles, threads");
    CHECK(kinds_of(cumsum(a, 1)) == "rows, rows scanned by blocks");
    CHECK(kinds_of(a + transpose(full<float>({40, 70}, 1), 0, 1)) == "transposed tiles");
    CHECK(explain(a + 1, Run::yes, {.jit = Jit::never}).find("loops  ") == std::string::npos);
}

TEST_CASE("explain of a step writes nothing, and names the strategy that its call takes", "[explain]") {
    const Tensor<float> p = full<float>({2, 4}, 1);
    const auto text = [&](Layout layout) { return explain(sgd, param = p, grad = few(layout), lr = 0.1); };
    CHECK(explain(sgd, param = p, grad = MaskedTensor<float>(AnyMasked::dense(p.clone())), lr = 0.1)
              .find("over   dense: all elements") != std::string::npos);
    CHECK(text(Layout::coo).find("over   gather: the specified elements of grad") != std::string::npos);
    CHECK(text(Layout::strided).find("1. param takes sub(param, mul(lr, grad))") != std::string::npos);
    CHECK(same(p, full<float>({2, 4}, 1)));
    CHECK_THROWS_AS(explain(sgd, param = Tensor<float>({3}), grad = few(Layout::coo), lr = 0.1), ShapeError);
}

TEST_CASE("explain of a step with an operand that is repeated names the loop that walks it", "[explain]") {
    constexpr In<"scale"> scale;
    constexpr auto scaled = step<"scaled">(param -= scale * grad);
    const Tensor<float> p = full<float>({2, 4}, 1);
    const auto text = [&](const Tensor<float>& by, Layout layout) {
        return explain(scaled, param = p, scale = by, grad = few(layout));
    };
    const Tensor<float> column = full<float>({2, 1}, 2), transposed = full<float>({4, 2}, 2).transpose(0, 1);
    for (const Layout layout : {Layout::strided, Layout::coo}) {
        CHECK(text(column, layout).find("of at most 16384 elements the mask is not looked at") !=
              std::string::npos);
        CHECK(text(transposed, layout).find("over   strided: all elements, in four dimensions") !=
              std::string::npos);
    }
    CHECK(text(transposed, Layout::coo).find("an argument has gaps between its elements, or is repeated") !=
          std::string::npos);
}

TEST_CASE("explain counts the blocks that large results took", "[explain]") {
    const Tensor<float> large = full<float>({256, 256}, 1), small = full<float>({4, 4}, 1);
    const EvalOptions compiled{.jit = Jit::always};
    CHECK(explain(small + 1, Run::yes, compiled).find("memory: ") == std::string::npos);
    trim_result_pool();
    CHECK(explain(large + 1, Run::yes, compiled).find("memory: 1 block of the result pool, 0 of them kept") !=
          std::string::npos);
    CHECK(explain(large + 1, Run::yes, compiled).find("memory: 1 block of the result pool, 1 of them kept") !=
          std::string::npos);
}

TEST_CASE("child: an expression over a list", "[.child]") { static_cast<void>(eval(few(Layout::csr) + 1)); }

TEST_CASE("FRISKET_SHOW=plan prints the plan of every expression that is evaluated", "[explain]") {
    const ChildResult child = run_child("child: an expression over a list", "FRISKET_SHOW=plan");
    INFO(child.output);
    CHECK(child.output.find(
              "--- plan: eval\nplan of eval: 1 stage\n1. add(x0, 1)\n   over   2 positions of x0\n") !=
          std::string::npos);
}

}  // namespace explain_test
