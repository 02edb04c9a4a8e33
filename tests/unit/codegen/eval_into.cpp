// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "../../support/poison.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <cstring>
#include <limits>
#include <vector>

namespace eval_into_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

Tensor<float> numbers(Shape shape, float first = 1) {
    Tensor<float> made = zeros<float>(std::move(shape));
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = first + static_cast<float>(i % 97) / 8;
    return made;
}

Tensor<float> poisoned(Shape shape) {
    return full<float>(std::move(shape), std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

TEST_CASE("eval_into writes where one says", "[eval]") {
    const EvalOptions how = options();
    const Tensor<float> a = numbers({7, 33}), b = numbers({33}, -2);
    const Tensor<float> target = poisoned({7, 33});
    const void* const data = target.data();
    eval_into(target, a * b + 1, how);
    CHECK(target.data() == data);
    CHECK(same(target, eval(a * b + 1, how)));
    eval_into(target, a, how);
    CHECK(same(target, a));
    const Tensor<double> sum_of = zeros<double>({7});
    eval_into(sum_of, sum(cast<double>(a), {1}), how);
    CHECK(same(sum_of, eval(sum(cast<double>(a), {1}), how)));
    const Tensor<float> nothing = zeros<float>({0, 3});
    eval_into(nothing, nothing * 2, how);
}

TEST_CASE("eval_into writes a view and nothing beside it", "[eval]") {
    const EvalOptions how = options();
    const Tensor<float> whole = numbers({12, 10}), wanted = whole.clone(), a = numbers({4, 5}, 100);
    const auto part = [](const Tensor<float>& x) {
        return Tensor<float>(x.slice(0, 2, 10, 2).slice(1, 0, 10, 2));
    };
    eval_into(part(whole), a * a, how);
    copy(eval(a * a, how), part(wanted));
    CHECK(same(whole, wanted));
}

TEST_CASE("eval_into reads an operand that is the target, or a part of it, as it was", "[eval]") {
    const EvalOptions how = options();
    const Tensor<float> x = numbers({16, 16}), before = x.clone();
    eval_into(x, x * 2 + 1, how);
    CHECK(same(x, eval(before * 2 + 1, how)));
    copy(before, x);
    eval_into(x, transpose(x, 0, 1), how);
    CHECK(same(x, eval(transpose(before, 0, 1), how)));
    copy(before, x);
    eval_into(x, x - mean(x, {0}), how);
    CHECK(same(x, eval(before - mean(before, {0}), how)));
    copy(before, x);
    eval_into(Tensor<float>(x.slice(0, 1, 16)), x(slice(0, 15)) * 3, how);
    CHECK(same(Tensor<float>(x.slice(0, 1, 16)), eval(before(slice(0, 15)) * 3, how)));
    CHECK(same(Tensor<float>(x.slice(0, 0, 1)), Tensor<float>(before.slice(0, 0, 1))));
}

TEST_CASE("eval_into writes values and mask of a masked expression", "[eval]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = strided(random_masked({9, 14}, specified(0.4), Layout::coo, 3));
    const auto target = [] { return masked(poisoned({9, 14}), full<bool>({9, 14}, true)); };
    const auto check = [&](const MaskedTensor<float>& written, const MaskedTensor<float>& wanted) {
        CHECK(written.layout() == Layout::strided);
        CHECK(same(written.mask_tensor(), wanted.mask_tensor()));
        CHECK(same(written, strided(wanted)));
    };
    const MaskedTensor<float> list = random_masked({9, 14}, specified(0.7), Layout::coo, 4);
    const MaskedTensor<float> first = target(), second = target(), third = target();
    eval_into(first, m * 2, how);
    check(first, eval(m * 2, how));
    eval_into(second, intersect(m + list) + 1, how);
    check(second, eval(intersect(m + list) + 1, how));
    eval_into(third, list * 3, how);
    check(third, eval(list * 3, how));
    const MaskedTensor<float> own =
        masked(Tensor<float>(m.values().clone()), Tensor<bool>(m.mask_tensor().clone()));
    eval_into(own, flip(own, {0, 1}), how);
    check(own, eval(flip(m, {0, 1}), how));
    // The target's values are the mask that the expression has.
    const MaskedTensor<bool> bools = masked(Tensor<bool>(m.mask_tensor().clone()), full<bool>({9, 14}, true));
    const Tensor<bool> values(bools.values());
    eval_into(bools, masked(full<bool>({9, 14}, true), values), how);
    CHECK(same(bools.mask_tensor(), m.mask_tensor()));
}

TEST_CASE("eval_into takes no memory for what loops write at once", "[eval]") {
    const Tensor<float> a = numbers({1 << 10, 1 << 8}), target = poisoned({1 << 10, 1 << 8});
    static_cast<void>(eval(a * 2 + a, {.jit = Jit::always}));
    const ResultPoolUse before = result_pool_use();
    eval_into(target, a * 2 + a, {.jit = Jit::always});
    const ResultPoolUse after = result_pool_use();
    CHECK(after.blocks_made + after.blocks_reused == before.blocks_made + before.blocks_reused);
    CHECK(same(target, eval(a * 2 + a, {.jit = Jit::always})));
}

TEST_CASE("eval_into writes nothing where it refuses", "[eval]") {
    const EvalOptions how = options();
    const Tensor<float> a = numbers({3, 4}), before = a.clone();
    CHECK_THROWS_MATCHES(
        eval_into(a, a(slice(0, 2)), how), ShapeError,
        Says("eval_into: the target has shape [3, 4], wanted that of the expression: [2, 4]"));
    const Tensor<std::int64_t> places({3}, {0, 1, 7});
    CHECK_THROWS_MATCHES(
        eval_into(a, index_select(a, 0, places), how), IndexError,
        Says("eval: index_select along dim 0 of shape [3, 4]: index 7 at [2] is out of range "
             "for extent 3: wanted 0 to 2"));
    CHECK(same(a, before));
    const MaskedTensor<float> list = random_masked({3, 4}, specified(0.5), Layout::coo, 3);
    CHECK_THROWS_MATCHES(
        eval_into(list, list * 2, how), LayoutError,
        Says("eval_into: the target has layout coo, wanted strided, whose mask can be written: "
             "write masked(values, mask)"));
    const Tensor<bool> both = full<bool>({4}, true);
    const MaskedTensor<bool> other = masked(full<bool>({4}, true), full<bool>({4}, false));
    CHECK_THROWS_MATCHES(
        eval_into(MaskedTensor<bool>(masked(both, both)), !other, how), ValueError,
        Says("eval_into: values and mask of the target share memory: give them memory of their own"));
    CHECK(same(both, full<bool>({4}, true)));
    Tensor<float> gone = numbers({2});
    const Tensor<float> kept = std::move(gone);
    CHECK_THROWS_AS(eval_into(gone, kept * 2, how), ValueError);  // NOLINT(bugprone-use-after-move)
}

}  // namespace eval_into_test
