// SPDX-License-Identifier: MIT
#include "../../../codegen/loops/known_calls.hpp"
#include "../../../codegen/loops/linked_loops.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <aot_functions.hpp>
#include <aot_planned.hpp>
#include <aot_planned_more.hpp>
#include <aot_training.hpp>

#include "aot_twice.hpp"

#include <limits>

namespace aot_planned_test {

using namespace frisket;
using namespace frisket::testing;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Shapes around the limits of plans: one, rows of words, large, long, empty, powers of two.
const std::vector<Shape> matrices{{4, 4},  {1, 4},    {4, 1},     {1, 1},    {37, 72},  {5, 64},
                                  {6, 63}, {40, 65},  {400, 400}, {3, 6000}, {6000, 4}, {0, 4},
                                  {4, 0},  {32, 128}, {16, 2},    {1, 256},  {64, 1}};

/// A step ahead of time and the same just in time, on matrices of a layout.
template <class Ahead, class Step, class Bind>
void check_same(const Ahead& ahead, const Step& step, Layout layout, const Bind& bind) {
    const auto just_in_time = jit(step, TargetName{"cpu"});
    std::uint32_t seed = 1;
    for (const Shape& shape : matrices)
        for (const double density : {0.0, 0.02, 0.5, 1.0}) {
            ++seed;
            if (!can_hold(layout, shape)) continue;
            INFO(name_of(layout) << ", shape " << to_string(shape) << ", density " << density);
            const MaskedTensor<float> grad(random_masked(shape, specified(density), layout, seed));
            bind(ahead, just_in_time, grad, seed);
        }
}

TEST_CASE("steps with reductions ahead of time write the bytes of those just in time", "[codegen]") {
    const auto layout = GENERATE(every_layout());
    check_same(aot_planned::row_wise, planned::row_wise, layout,
               [](const auto& ahead, const auto& just_in_time, const auto& grad, std::uint32_t seed) {
                   const Tensor<float> param = random_tensor(grad.shape(), seed),
                                       sums = full<float>({grad.shape()[0], 1}, 0.5F);
                   const Tensor<float> other(param.clone()), other_sums(sums.clone());
                   ahead(planned::param = param, planned::row_sum = sums, planned::grad = grad,
                         planned::lr = 0.1);
                   just_in_time(planned::param = other, planned::row_sum = other_sums, planned::grad = grad,
                                planned::lr = 0.1);
                   CHECK_THAT(param, HasTheBytesOf(other));
                   CHECK_THAT(sums, HasTheBytesOf(other_sums));
               });
}

TEST_CASE("a step over the norm of all, and a training step ahead of time", "[codegen]") {
    const auto layout = GENERATE(Layout::dense, Layout::strided, Layout::coo);
    check_same(aot_planned_more::trust, planned::trust, layout,
               [](const auto& ahead, const auto& just_in_time, const auto& grad, std::uint32_t seed) {
                   const Tensor<float> param = random_tensor(grad.shape(), seed);
                   const Tensor<float> other(param.clone());
                   ahead(planned::param = param, planned::grad = grad, planned::lr = 0.1);
                   just_in_time(planned::param = other, planned::grad = grad, planned::lr = 0.1);
                   CHECK_THAT(param, HasTheBytesOf(other));
               });
    if (layout != Layout::strided) return;
    check_same(aot_training::train, planned::train, layout,
               [](const auto& ahead, const auto& just_in_time, const auto& x, std::uint32_t seed) {
                   const Tensor<float> w = random_tensor({x.shape()[1], 3}, seed),
                                       y = random_tensor({x.shape()[0], 3}, seed + 1);
                   const Tensor<float> other(w.clone());
                   ahead(planned::w = w, planned::x = x, planned::y = y, planned::lr = 0.1);
                   just_in_time(planned::w = other, planned::x = x, planned::y = y, planned::lr = 0.1);
                   CHECK_THAT(w, HasTheBytesOf(other));
               });
}

TEST_CASE("a step ahead of time is skipped for a gradient that is not finite", "[codegen]") {
    const auto layout = GENERATE(Layout::dense, Layout::strided, Layout::coo);
    check_same(aot_planned_more::guarded, planned::guarded, layout,
               [](const auto& ahead, const auto& just_in_time, const auto& grad, std::uint32_t seed) {
                   const Tensor<float> param = random_tensor(grad.shape(), seed),
                                       squares = full<float>(grad.shape(), 0.5F);
                   const Tensor<float> other(param.clone()), other_squares(squares.clone());
                   double steps = 0, other_steps = 0;
                   const auto check = [&](const auto& g) {
                       ahead(planned::param = param, planned::squares = squares, planned::grad = g,
                             planned::lr = 0.1, planned::steps = steps);
                       just_in_time(planned::param = other, planned::squares = other_squares,
                                    planned::grad = g, planned::lr = 0.1, planned::steps = other_steps);
                       CHECK_THAT(param, HasTheBytesOf(other));
                       CHECK_THAT(squares, HasTheBytesOf(other_squares));
                       CHECK(steps == 1);
                       CHECK(other_steps == 1);
                   };
                   check(grad);
                   if (grad.specified_count() == 0) return;
                   const MaskedTensor<float> bad = MaskedTensor<float>(AnyMasked(grad).clone());
                   const Tensor<float> values(bad.values());
                   for (std::int64_t i = 0; i < values.size(); ++i) values.data()[i] = -infinity;
                   check(bad);
               });
}

TEST_CASE("functions ahead of time give the bytes of those just in time", "[codegen]") {
    const auto layout = GENERATE(Layout::strided, Layout::coo, Layout::csr);
    const auto same = [](const auto& a, const auto& b) {
        CHECK(a.layout() == b.layout());
        CHECK_THAT(a.to_dense(-1), HasTheBytesOf(b.to_dense(-1)));
        CHECK_THAT(a.mask_tensor(), HasTheBytesOf(b.mask_tensor()));
    };
    check_same(aot_functions::loss_and_gradients, functions::loss_and_gradients, layout,
               [&](const auto& ahead, const auto& just_in_time, const auto& m, std::uint32_t seed) {
                   const Tensor<float> u = random_tensor({m.shape()[0], 5}, seed),
                                       v = random_tensor({m.shape()[1], 5}, seed + 1);
                   const auto [a, da, ea] = ahead(functions::m = m, functions::u = u, functions::v = v);
                   const auto [b, db, eb] =
                       just_in_time(functions::m = m, functions::u = u, functions::v = v);
                   same(a, b);
                   same(da, db);
                   same(ea, eb);
               });
    check_same(aot_functions::soft, functions::soft, layout,
               [&](const auto& ahead, const auto& just_in_time, const auto& m, std::uint32_t) {
                   same(ahead(functions::m = m, functions::scale = 0.3),
                        just_in_time(functions::m = m, functions::scale = 0.3));
               });
    check_same(aot_functions::both, functions::both, layout,
               [&](const auto& ahead, const auto& just_in_time, const auto& m, std::uint32_t seed) {
                   const MaskedTensor<float> other(
                       random_masked(m.shape(), specified(0.4), m.layout(), seed + 100));
                   const auto [a, sums_a] = ahead(functions::m = m, functions::other = other);
                   const auto [b, sums_b] = just_in_time(functions::m = m, functions::other = other);
                   same(a, b);
                   same(sums_a, sums_b);
               });
}

TEST_CASE("a function ahead of time that was called before is known, whatever its numbers and tensors",
          "[codegen]") {
    for (const Shape& shape : {Shape{4, 4}, Shape{37, 72}, Shape{1, 64}}) {
        CAPTURE(shape);
        const std::size_t before = codegen::known_calls_found();
        for (std::uint32_t turn = 0; turn < 4; ++turn) {
            const MaskedTensor<float> m(random_masked(shape, specified(0.5), Layout::strided, turn));
            const double scale = 0.25 * (turn + 1);
            const MaskedTensor<float> made = aot_functions::soft(functions::m = m, functions::scale = scale);
            const MaskedTensor<float> wanted =
                eval(softmax(m * static_cast<float>(scale), 1), {.jit = Jit::never});
            CHECK_THAT(made.to_dense(-1), HasTheBytesOf(wanted.to_dense(-1)));
        }
        CHECK(codegen::known_calls_found() >= before + 2);  // more where other cases called it
    }
    // Other layouts and bad indices are found as before.
    const Tensor<float> table = random_tensor({20, 8}, 1);
    for (int turn = 0; turn < 3; ++turn) {
        const Tensor<std::int64_t> ids({2}, {turn, 19 + turn / 2});
        if (turn == 2)
            CHECK_THROWS_AS(aot_functions::bags(functions::table = table, functions::ids = ids), IndexError);
        else
            CHECK_THAT(aot_functions::bags(functions::table = table, functions::ids = ids),
                       HasTheBytesOf(eval(sum(index_select(table, 0, ids), 0))));
    }
}

TEST_CASE("a function ahead of time names an index out of range with its value and the extent", "[codegen]") {
    const Tensor<float> table = random_tensor({20, 8}, 1);
    const Tensor<std::int64_t> ids({4}, {3, 0, 3, 19});
    const Tensor<float> sums = aot_functions::bags(functions::table = table, functions::ids = ids);
    CHECK_THAT(sums, HasTheBytesOf(eval(sum(index_select(table, 0, ids), 0))));
    ids.data()[2] = 20;
    CHECK_THROWS_MATCHES(
        aot_functions::bags(functions::table = table, functions::ids = ids), IndexError,
        Says("bags: index_select along dim 0 of shape [20, 8]: index 20 at [2] is out of range "
             "for extent 20: wanted 0 to 19"));
}

}  // namespace aot_planned_test
