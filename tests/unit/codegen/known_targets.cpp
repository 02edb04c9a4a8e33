// SPDX-License-Identifier: MIT
// Calls of eval_into, and of eval with lists of expressions, that were made before run without a graph.
#include "../../../codegen/loops/known_calls.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace known_targets_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr EvalOptions compiled{.jit = Jit::always}, interpreted{.jit = Jit::never};

std::size_t found() { return codegen::known_calls_found(); }

Tensor<float> poisoned(const Shape& shape) {
    return full<float>(shape, std::numeric_limits<float>::quiet_NaN());
}

/// True if the third of three calls that write to new targets was a known one, and all wrote the value.
template <class E, class Make>
bool is_known(const E& expression, const Make& make) {
    const auto wanted = eval(expression, interpreted);
    std::size_t before = 0;
    bool are_right = true;
    for (int i = 0; i < 3; ++i) {
        const auto target = make();
        before = found();
        eval_into(target, expression, compiled);
        are_right &= same(target, wanted);
    }
    CHECK(are_right);
    return found() == before + 1;
}

}  // namespace

TEST_CASE("calls that write to tensors of the user's are known") {
    const Shape shape{3, 6};
    const auto x = random_tensor(shape, 1), y = random_tensor(shape, 2);
    const auto whole = [&] { return poisoned(shape); };
    CHECK(is_known(x * y + 1, whole));
    CHECK(is_known(softmax(x, 1), whole));
    CHECK(is_known(sum(x * y, {1}), [] { return poisoned({3}); }));
    CHECK(is_known(x.slice(0, 1, 1) * 2, [] { return poisoned({0, 6}); }));
    CHECK(is_known(x - y, [] { return Tensor<float>(poisoned({6, 3}).transpose(0, 1)); }));
    CHECK(is_known(x - y, [] { return Tensor<float>(poisoned({3, 12}).slice(1, 1, 12, 2)); }));
    const auto list = random_masked(shape, specified(0.4), Layout::coo, 3);
    CHECK(is_known(to_dense(list * x, 2), whole));
    const MaskedTensor<float> bytes = random_masked(shape, specified(0.5), Layout::strided, 4);
    const auto with_mask = [&] { return masked(poisoned(shape), full<bool>(shape, true)); };
    CHECK(is_known(bytes * x, with_mask));
    CHECK(is_known(where(x > 0, bytes, -bytes), with_mask));
}

TEST_CASE("a known call writes what it reads after it has read it") {
    const Tensor<float> memory = random_tensor({40}, 1), before = memory.clone();
    const auto part = [](const Tensor<float>& of, std::int64_t first) {
        return Tensor<float>(of.slice(0, first, first + 8).reshape({2, 4}));
    };
    const auto check = [&](std::int64_t target, std::int64_t first, std::int64_t second) {
        copy(before, memory);
        eval_into(part(memory, target), part(memory, first) * 3 + flip(part(memory, second), {0}), compiled);
        const Tensor<float> wanted = before.clone();
        copy(eval(part(before, first) * 3 + flip(part(before, second), {0}), interpreted),
             part(wanted, target));
        CHECK(same(memory, wanted));
    };
    // Apart, then one with an operand, then shifted by less than a tensor: in turn, as each is known.
    for (int i = 0; i < 4; ++i)
        for (const std::int64_t target : {16, 0, 8, 1, 3, 7, 9, 15, 24}) check(target, 0, 8);
    for (int i = 0; i < 3; ++i) {
        copy(before, memory);
        const Tensor<float> x = part(memory, 0);
        eval_into(x, x, compiled);
        eval_into(x, flip(x, {1}), compiled);
        CHECK(same(x, eval(flip(part(before, 0), {1}), interpreted)));
    }
}

TEST_CASE("targets of known calls are checked as others are") {
    const auto x = random_tensor({2, 4}, 1);
    const Tensor<float> target = poisoned({2, 4});
    for (int i = 0; i < 3; ++i) eval_into(target, x * 17, compiled);
    const std::size_t before = found();
    eval_into(target, x * 17, compiled);
    REQUIRE(found() == before + 1);
    CHECK_THROWS_AS(eval_into(poisoned({4, 2}), x * 17, compiled), ShapeError);
    CHECK_THROWS_AS(eval_into(poisoned({4}), x * 17, compiled), ShapeError);
    CHECK_THROWS_AS(eval_into(Tensor<float>(poisoned({4}).broadcast_to({2, 4})), x * 17, compiled),
                    ValueError);
    CHECK_THROWS_AS(eval_into(target, x * 17, layout(Layout::rows)), LayoutError);
    Tensor<float> gone = poisoned({2, 4});
    const auto there = std::move(gone);
    CHECK_THROWS_AS(eval_into(gone, x * 17, compiled), ValueError);
    const Tensor<std::int32_t> a({2}, {7, 8}), b({2}, {2, 3}), quotient({2}, {0, 0});
    for (int i = 0; i < 3; ++i) eval_into(quotient, floor_divide(a, b), compiled);
    b.at({1}) = 0;
    quotient.at({0}) = 100;
    CHECK_THROWS_AS(eval_into(quotient, floor_divide(a, b), compiled), ValueError);
    CHECK(quotient.at({0}) == 100);
}

TEST_CASE("lists of expressions are known, each of its length") {
    const auto x = random_tensor({2, 4}, 1), y = random_tensor({2, 4}, 2);
    using Double = decltype(x * 2.0F);
    for (const std::size_t count : {1, 2, 3, 20}) {
        std::vector<Double> list;
        for (std::size_t i = 0; i < count; ++i)
            list.push_back((i % 2 == 0 ? x : y) * (2.0F + static_cast<float>(i)));
        std::size_t before = 0;
        for (int i = 0; i < 3; ++i) {
            before = found();
            const auto made = eval(list, compiled);
            REQUIRE(made.size() == count);
            for (std::size_t j = 0; j < count; ++j) CHECK(same(made[j], eval(list[j], interpreted)));
        }
        CHECK(found() == before + 1);
        for (int i = 0; i < 3; ++i) {
            const auto [alone, parts] = eval(x * 5, list, compiled);
            CHECK(same(alone, eval(x * 5, interpreted)));
            REQUIRE(parts.size() == count);
            CHECK(same(parts.back(), eval(list.back(), interpreted)));
        }
    }
}

}  // namespace known_targets_test
