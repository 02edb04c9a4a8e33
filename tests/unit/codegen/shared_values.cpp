// SPDX-License-Identifier: MIT
/// Plans that store values which several results are computed from: their bits are the interpreter's, which
/// evaluates the graph as it is written.
#include "../../../codegen/explain.hpp"
#include "../../../runtime/limits.hpp"
#include "../../support/oracle.hpp"
#include "../../support/poison.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <tuple>

namespace shared_values_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Numbers with all digits, below 1/3.
template <class T = float>
Tensor<T> uneven(const Shape& shape, std::uint32_t seed) {
    const Tensor<T> made = random_tensor<T>(shape, seed);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<T>(static_cast<double>(made.data()[i]) * 0.0371);
    return made;
}

bool are_same(const AnyTensor& a, const AnyTensor& b) { return same_values(a, b); }
bool are_same(const AnyMasked& a, const AnyMasked& b) {
    return same(a.mask_tensor(), b.mask_tensor()) && same_values(a.to_dense(0), b.to_dense(0));
}

/// Compares loops, and interpreted stages, with the interpreter.
template <class... E>
void check(const E&... expressions) {
    const EvalPolicy before = eval_policy();
    constexpr EvalPolicy interpreted{.small_elements = std::int64_t{1} << 60, .few_times = 1 << 30};
    for (const EvalPolicy& policy : {EvalPolicy{.small_elements = 0, .few_times = 0}, interpreted}) {
        set_eval_policy(policy);
        const auto made = eval(expressions...);
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            const bool all[] = {are_same(std::get<i>(made), oracle(expressions))...};
            for (const bool one : all) CHECK(one);
        }(std::index_sequence_for<E...>());
    }
    set_eval_policy(before);
}

template <class E>
void check_one(const E& expression) {
    for (const Jit jit : {Jit::always, Jit::never})
        CHECK(are_same(eval(expression, {.jit = jit}), oracle(expression)));
}

/// Number of stages of an expression's plan that make a shared value or read one.
template <class E>
std::size_t stages_of(const E& expression) {
    const std::string plan = explain(expression);
    std::size_t count = 0;
    for (std::size_t at = plan.find("shared_value:"); at != std::string::npos;
         at = plan.find("shared_value:", at + 1))
        ++count;
    return count;
}

/// Attention of 2 x 96 rows whose products have more terms than limits::staged_product.
struct Attention {
    Tensor<float> q = uneven({2, 96, 64}, 1), k = uneven({2, 96, 64}, 2), v = uneven({2, 96, 64}, 3);
    Tensor<bool> mask = causal();

    /// Every seventh row sees nothing.
    static Tensor<bool> causal() {
        const Tensor<bool> made({96, 96});
        for (std::int64_t i = 0; i < 96; ++i)
            for (std::int64_t j = 0; j < 96; ++j) made.data()[i * 96 + j] = j <= i && i % 7 != 3;
        return made;
    }
    auto scores() const { return masked(bmm(q, transpose(k, 1, 2)) * 0.125F, mask); }
    auto result() const { return bmm(to_dense(softmax(scores(), 2), 0.F), v); }
    auto loss() const {
        const auto made = result();
        return sum(made * made);
    }
};

}  // namespace

TEST_CASE("gradients of attention are those of the interpreter", "[codegen]") {
    const Attention a;
    const auto loss = a.loss();
    check(gradient(loss, a.q), gradient(loss, a.k), gradient(loss, a.v));
    check(a.result(), gradient(loss, a.k));
    check(loss, gradient(loss, a.v), gradient(loss, a.q));
    for (const Tensor<float>& one : {a.q, a.k, a.v}) check_one(gradient(loss, one));
}

TEST_CASE("gradients of layers are those of the interpreter", "[codegen]") {
    const Tensor<float> x = uneven({130, 96}, 1), w1 = uneven({96, 100}, 2), w2 = uneven({100, 33}, 3),
                        b = uneven({100}, 4), t = uneven({130, 33}, 5);
    const auto hidden = relu(matmul(x, w1) + b);
    const auto loss = mean(square(matmul(hidden, w2) - t));
    check(gradient(loss, w1), gradient(loss, w2), gradient(loss, b), gradient(loss, x));
    check(loss, gradient(loss, w1));
    check(hidden, gradient(loss, w1));
    check(hidden, hidden * 2, loss);
    const auto smooth = tanh(matmul(x, w1) + b);
    const auto other = sum(log(1 + exp(matmul(smooth, w2))));
    check(gradient(other, w1), gradient(other, w2), gradient(other, b));
}

TEST_CASE("masked parameters and results are those of the interpreter", "[codegen]") {
    const Tensor<float> x = uneven({130, 96}, 1), t = uneven({130, 100}, 5);
    MaskedTensor<float> w = masked(uneven({96, 100}, 2), random_mask({96, 100}, specified(0.5), 6));
    poison(w, Poison::signalling);
    const auto product = matmul(x, w);
    const auto shown = masked(product, random_mask({130, 100}, specified(0.4), 7));
    const auto loss = sum(square(to_dense(shown, 0) - t));
    check(gradient(loss, w), gradient(loss, x));
    check(shown, shown * 2, gradient(loss, x));
    check(softmax(shown, 1), sum(exp(shown)), sum(exp(shown), {0}));
}

TEST_CASE("results that are one value have memory of their own", "[codegen]") {
    const Tensor<float> x = uneven({128, 128}, 1), y = uneven({128, 128}, 2);
    const auto slope = gradient(sum(square(matmul(x, y))), x);
    const auto list = MaskedTensor<float>::coo({4, 4}, {{0, 1}, {2, 3}}, {1, 2});
    const EvalPolicy before = eval_policy();
    for (const std::int64_t small : {std::int64_t{0}, std::int64_t{1} << 60}) {
        set_eval_policy({.small_elements = small, .few_times = small == 0 ? 0 : 1 << 30});
        const auto [first, second] = eval(slope, slope);
        CHECK(are_same(first, oracle(slope)));
        CHECK(are_same(first, second));
        CHECK(first.values().data() != second.values().data());
        const auto [one, other] = eval(list * list, list * list);
        CHECK(are_same(one, oracle(list * list)));
        CHECK(are_same(one, other));
        CHECK(one.values().data() != other.values().data());
    }
    set_eval_policy(before);
}

TEST_CASE("results without elements run no loops", "[codegen]") {
    const Tensor<float> none(Shape{0, 0}, std::vector<float>{});
    CHECK(eval(cumsum(count(none, 0, keepdim), 1), {.jit = Jit::always}).shape() == Shape{1, 0});
}

TEST_CASE("values without elements are written nowhere", "[codegen]") {
    for (const std::int64_t rows : {0, 3}) {
        const Shape shape{rows, 0};
        const MaskedTensor<float> none =
            masked(Tensor<float>(shape, std::vector<float>{}), Tensor<bool>(shape, std::vector<bool>{}));
        const auto totals = sum(none, 0, keepdim);
        check(sum(cumsum(totals, 1), 1), sum(cumsum(argmax(none, 0, keepdim), 1), 1));
        check_one(sum(cumsum(totals, 1), 1));
        check_one(sum(cumsum(argmax(none, 0, keepdim), 1), 1));
        check_one(sum(roll(totals, 1, 1), 1));
        check_one(sum(roll(cumsum(totals, 1), 1, 1), 1));
    }
}

TEST_CASE("dtypes that a shared value is not stored in stay as they are", "[codegen]") {
    const Tensor<double> x = uneven<double>({130, 96}, 1), w = uneven<double>({96, 100}, 2);
    const auto loss = sum(square(relu(matmul(x, w))));
    check(gradient(loss, w), gradient(loss, x));
    const Tensor<bfloat16> a = uneven<bfloat16>({130, 96}, 1), c = uneven<bfloat16>({96, 100}, 2);
    const auto small = sum(square(relu(matmul(a, c))));
    check(gradient(small, a), gradient(small, c));
    const auto product = matmul(a, c);
    check(product, exp(product), sum(product, {0}));
}

TEST_CASE("plans store what loops over rows cannot make for themselves", "[codegen]") {
    const Attention a;
    CHECK(stages_of(a.result()) == 0);
    CHECK(stages_of(gradient(a.loss(), a.v)) > 1);
    const Tensor<float> x = uneven({128, 128}, 1), y = uneven({128, 128}, 2);
    const auto product = matmul(x, y);
    CHECK(stages_of(product + 1) == 0);
    CHECK(stages_of(matmul(relu(product), x)) == 0);  // by rows
    CHECK(stages_of(matmul(x, exp(product))) == 2);
    CHECK(stages_of(matmul(transpose(exp(product), 0, 1), x)) == 2);
    check_one(matmul(x, exp(product)));
    check_one(matmul(transpose(exp(product), 0, 1), x));
    check_one(matmul(reshape(exp(product), {64, 256}), uneven({256, 70}, 4)));
}

TEST_CASE("products of fewer terms than a stage is worth stay in one", "[codegen]") {
    static_assert(limits::staged_product == std::int64_t{1} << 20);
    for (const std::int64_t rows : {255, 256, 257, 513}) {
        const Tensor<float> x = uneven({rows, 64}, 1), w = uneven({64, 64}, 2);
        const auto product = matmul(x, w);
        CHECK(stages_of(matmul(transpose(exp(product), 0, 1), x)) == (rows < 256 ? 0U : 2U));
        check(exp(product), sum(exp(product), {0}), matmul(transpose(exp(product), 0, 1), x));
    }
}

TEST_CASE("indices are checked before products, whose stages have no checks", "[codegen]") {
    const Tensor<float> table = uneven({300, 64}, 1), first = uneven({64, 96}, 2),
                        second = uneven({96, 5}, 3);
    const auto at = [](std::int64_t last) {
        Tensor<std::int64_t> ids({256});
        for (std::int64_t i = 0; i < ids.size(); ++i) ids.data()[i] = i * 7 % 300 - 150;
        ids.data()[200] = last;
        return ids;
    };
    const auto loss_of = [&](const Tensor<std::int64_t>& ids) {
        return mean(square(matmul(relu(matmul(table[ids], first)), second)));
    };
    const auto loss = loss_of(at(299));
    check(loss, gradient(loss, table), gradient(loss, first), gradient(loss, second));
    const std::string plan = explain(gradient(loss, first), Run::yes, {.jit = Jit::always});
    CHECK(plan.find("checks_first") != std::string::npos);
    CHECK(plan.find("shared_value") != std::string::npos);
    for (const std::int64_t wrong : {300, -301}) {
        const auto refused = loss_of(at(wrong));
        CHECK_THROWS_AS(eval(refused, gradient(refused, first), gradient(refused, table)), IndexError);
        CHECK_THROWS_AS(eval(gradient(refused, second), {.jit = Jit::never}), IndexError);
    }
}

TEST_CASE("a view of one element without dimensions keeps no rows", "[codegen]") {
    const Tensor<float> a = uneven({300, 64}, 1), b = uneven({64, 96}, 2);
    const auto product = matmul(a, b);
    const auto total = unsqueeze(sum(product), 0);
    check(product * total, exp(total));
}

}  // namespace shared_values_test
