// SPDX-License-Identifier: MIT
/// Sums of rows that are read at indices, as bags of an embedding are: with the bits of the interpreter.
#include "../../../codegen/explain.hpp"
#include "../../../runtime/limits.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"
#include "listed.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>
#include <string>

namespace gathered_sums_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Ids from -rows to rows - 1.
Tensor<std::int64_t> ids_of(const Shape& shape, std::int64_t rows) {
    Tensor<std::int64_t> ids(shape);
    for (std::int64_t i = 0; i < ids.size(); ++i) ids.data()[i] = i * i % (2 * rows) - rows;
    return ids;
}

/// Ids of each row of bags, which are long enough that a stage of their own sums them.
Tensor<std::int64_t> enough_bags(std::int64_t width, std::int64_t each, std::int64_t rows) {
    return ids_of({limits::gathered_sum_elements / width / each + 1, each}, rows);
}

/// True if a stage of its own makes sums.
template <class E>
bool has_stage(const E& expression) {
    const std::string plan = explain(expression, Run::yes, {.jit = Jit::never});
    return plan.find("gathered_sum") != std::string::npos;
}

/// Checks that a stage sums, with the bits of the interpreter.
template <class E>
void check_staged(const E& expression) {
    CHECK(has_stage(expression));
    CHECK(same(eval(expression, options()), oracle(expression)));
}

}  // namespace

TEST_CASE("bags of rows of every width have the bits of the interpreter", "[codegen]") {
    const std::int64_t width = GENERATE(1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127);
    const Tensor<float> table = random_tensor({50, width}, 1);
    check_staged(sum(table[enough_bags(width, 4, 50)], {1}));
    const Tensor<double> wide = random_tensor<double>({50, width}, 2);
    check_staged(sum(wide[enough_bags(width, 3, 50)], {1}));
}

TEST_CASE("bags have a stage from a number of elements on", "[codegen]") {
    constexpr std::int64_t width = 64, each = 16, count = limits::gathered_sum_elements / width / each;
    const Tensor<float> table = random_tensor({50, width}, 1);
    const auto below = sum(table[ids_of({count - 1, each}, 50)], {1});
    CHECK_FALSE(has_stage(below));
    CHECK(same(eval(below, options()), oracle(below)));
    check_staged(sum(table[ids_of({count, each}, 50)], {1}));
}

TEST_CASE("ids of several dimensions are summed along the last ones", "[codegen]") {
    const Tensor<float> table = random_tensor({50, 32}, 1), deep = random_tensor({20, 4, 8}, 2);
    const Tensor<std::int64_t> ids = ids_of({limits::gathered_sum_elements / 32 / 12 + 1, 3, 4}, 50);
    check_staged(sum(table[ids], {2}));
    check_staged(sum(table[ids], {1, 2}));
    check_staged(sum(table[ids], {0, 1, 2}));
    check_staged(sum(table[ids], {2}, keepdim) * 2);
    check_staged(sum(deep[enough_bags(32, 3, 20)], {1}));
    check_staged(mean(table[enough_bags(32, 3, 50)], {1}) * 3 + sum(table[enough_bags(32, 3, 50)], {1}));
    const auto others = sum(table[ids], {1});
    CHECK_FALSE(has_stage(others));
    CHECK(same(eval(others, options()), oracle(others)));
    CHECK(same(eval(sum(table[ids], {3}), options()), oracle(sum(table[ids], {3}))));
}

TEST_CASE("tables of any strides and at any address are summed", "[codegen]") {
    const Tensor<float> whole = random_tensor({50, 80}, 1);
    const Tensor<std::int64_t> ids = enough_bags(40, 3, 50);
    check_staged(sum(whole.slice(1, 5, 45)[ids], {1}));
    check_staged(sum(Tensor<float>(whole.slice(1, 0, 80, 2)) [ids], { 1 }));
    check_staged(sum(whole.slice(1, 0, 50).transpose(0, 1)[enough_bags(50, 3, 50)], {1}));
    const Shape shape{50, 40};
    std::vector<char> bytes(50 * 40 * 4 + 1);
    const AnyTensor moved(DType::float32, bytes.data() + 1, shape, contiguous_strides(shape), true, {});
    copy(whole.slice(1, 0, 40), moved);
    CHECK(same(eval(sum(Tensor<float>(moved)[ids], {1}), options()),
               eval(sum(Tensor<float>(whole.slice(1, 0, 40).clone()) [ids], { 1 }))));
}

TEST_CASE("a sum of rows is carried in float64, and no sum is -0", "[codegen]") {
    const Tensor<float> table = full<float>({2, 64}, -0.0F);
    const Tensor<std::int64_t> ids = enough_bags(64, 2, 2);
    const Tensor<float> zeros = eval(sum(table[ids], {1}), options());
    CHECK_FALSE(std::signbit(zeros.data()[0]));
    for (std::int64_t i = 0; i < 64; ++i) table.data()[i] = 0x1.000002p-23F, table.data()[64 + i] = 1;
    check_staged(sum(table[ids_of({limits::gathered_sum_elements / 64 / 8, 8}, 2)], {1}));
}

TEST_CASE("an id beyond the table of a bag is refused", "[codegen]") {
    const Tensor<float> table = random_tensor({50, 64}, 1);
    const Tensor<std::int64_t> ids = enough_bags(64, 4, 50);
    const std::int64_t bad = GENERATE(std::int64_t{50}, std::int64_t{-51}, std::int64_t{1} << 40);
    ids.data()[17] = bad;
    const auto says = Says("eval: indexing along dim 0 of shape [50, 64]: index " + std::to_string(bad) +
                           " at [4, 1] is out of range for extent 50: wanted -50 to 49");
    CHECK_THROWS_MATCHES(eval(sum(table[ids], {1}), options()), IndexError, says);
    CHECK_THROWS_MATCHES(eval(gradient(sum(square(sum(table[ids], {1}))), table), options()), IndexError,
                         says);
}

TEST_CASE("gradients of bags have the bits of the interpreter", "[codegen]") {
    const std::int64_t width = GENERATE(1, 5, 16, 33);
    const Tensor<float> table = random_tensor({90, width}, 1), w = random_tensor({width, 3}, 2);
    const Tensor<std::int64_t> ids = ids_of({6, 4}, 90);
    const auto bags = sum(table[ids], {1});
    const auto check = [&](const auto& slope, Layout layout = Layout::rows) {
        const MaskedTensor<float> found = eval(slope, options());
        CHECK((found.layout() == layout || width == 1));
        CHECK(same(found, oracle(slope)));
    };
    check(gradient(sum(square(bags)), table));
    check(gradient(sum(bags * random_tensor({6, width}, 3)), table));
    check(gradient(mean(square(matmul(tanh(bags), w))), table));
    check(gradient(sum(sum(table[ids], {0, 1}) * 2), table));
    check(gradient(sum(square(sum(table[ids], {0}))), table));
    Tensor<bool> mask({6, width});
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = i / width % 2 == 0;
    check(gradient(sum(masked(bags, mask)), table), Layout::coo);
}

TEST_CASE("bags and their gradients are the same bytes for any number of threads", "[codegen]") {
    const Tensor<float> table = random_tensor({3000, 64}, 1);
    const Tensor<std::int64_t> ids = enough_bags(64, 8, 3000);
    const auto bags = sum(table[ids], {1});
    const auto slope = gradient(sum(square(bags)), table);
    const auto [value, gradient_of_all] = eval(bags, slope, EvalOptions{.jit = Jit::always});
    CHECK(same(value, oracle(bags)));
    CHECK(same(gradient_of_all, oracle(slope)));
}

}  // namespace gathered_sums_test
