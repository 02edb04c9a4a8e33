// SPDX-License-Identifier: MIT
/// Expressions on a device: the bits of the processor, whatever their kind, shape and layout.
#include "../../../codegen/limits.hpp"
#include "../../../runtime/limits.hpp"
#include "../../support/devices.hpp"
#include "../../support/moved_arguments.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace opencl_expressions_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t chunk = limits::fold_chunk, panel = limits::product_panel;

/// The value of an expression whose tensors are moved to the device.
template <class E>
auto on_device(const E& expression) {
    auto results = frisket::detail::run(evaluate_on(there()), expression);
    return frisket::detail::Evaluation<frisket::detail::Operand<E>>::typed(std::move(results[0]), {});
}

/// Checks that a device returns the bits of the processor.
template <class E>
void check(const E& expression) {
    const auto here = eval(expression, {.jit = Jit::always});
    const auto there = on_device(expression);
    CHECK(same(here, there));
}

template <class... E>
void check_all(const E&... expressions) {
    int at = 0;
    const auto one = [&](const auto& expression) {
        CAPTURE(at++);
        check(expression);
    };
    (one(expressions), ...);
}

}  // namespace

TEST_CASE("a device computes elements, broadcasts, and moves them", "[opencl]") {
    there();
    const Tensor<float> a = random_tensor({5, 7}, 1), row = random_tensor({7}, 2),
                        column = random_tensor({5, 1}, 3);
    const Tensor<std::int64_t> at({4}, {3, 0, 3, 4});
    check_all(a * 2.0F + row / column, where(a > 0, a, row), transpose(a, 0, 1) + column.reshape({5}),
              flip(a, {0, 1}) - a, roll(a, 2, 1), reshape(a, {7, 5}) * column.reshape({5}),
              cat(std::tuple(a, a * column), 0), stack({a, a}, 1), index_select(a, 0, at), a[at - 1] * row,
              slice(a, 1, 1, 6, 2), repeat(row, {2, 2}), diagonal(a, 1, 0, 1));
    check_all(Tensor<float>(a.slice(1, 0, 7, 3)) + 1.0F, Tensor<float>(a.transpose(0, 1)) * 2.0F,
              Tensor<const float>(row.broadcast_to({5, 7})) - a);
}

TEST_CASE("a device computes every size of a line", "[opencl]") {
    there();
    for (const std::int64_t size : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
        CAPTURE(size);
        const Tensor<float> a = random_tensor({size}, 1), b = random_tensor({size}, 2);
        check_all(a + b, sum(a * b), cumsum(a, 0), dot(a, b), argmax(a, 0));
    }
}

namespace {

using Dims = std::vector<int>;

template <class T>
void check_subsets(const T& reduce) {
    const Tensor<float> x = random_tensor({3, chunk + 2, 2 * chunk + 5}, 1);
    for (const Dims& dims : {Dims{0}, Dims{1}, Dims{2}, Dims{0, 1}, Dims{0, 2}, Dims{1, 2}, Dims{0, 1, 2}}) {
        CAPTURE(dims);
        check(reduce(x, dims));
    }
}

}  // namespace

TEST_CASE("a device reduces each subset of dimensions", "[opencl]") {
    there();
    check_subsets([](const auto& x, const Dims& dims) { return sum(x, dims); });
    const Tensor<float> x = random_tensor({3, chunk + 2, 2 * chunk + 5}, 1);
    check_all(argmax(x, 0), argmin(x, 2), argmax(x));
}

TEST_CASE("a device has all reductions of each subset of dimensions", "[opencl][deep]") {
    there();
    check_subsets([](const auto& x, const Dims& dims) { return mean(x * 2.0F, dims, keepdim); });
    check_subsets([](const auto& x, const Dims& dims) { return amax(x, dims); });
    check_subsets([](const auto& x, const Dims& dims) { return any(x > 1.0F, dims); });
    check_subsets([](const auto& x, const Dims& dims) { return var(x, dims); });
    const Tensor<float> x = random_tensor({3, chunk + 2, 2 * chunk + 5}, 1);
    check_all(prod(x, {2}), norm(x, {1}), count(masked(x, x > 0), {1}));
}

TEST_CASE("a device reduces rows beside each other and normalizes them", "[opencl]") {
    there();
    const Tensor<float> x = random_tensor({6, 4 * chunk + 1}, 1);
    check_all(normalize(x, 2, 1, 1e-6), x - mean(x, {1}, keepdim), x / amax(x, {1}, keepdim),
              x - mean(x, {0}), cumsum(x, 0), cumsum(x, 1), cumprod(x, 1));
    const auto here = eval(softmax(x, 1)), there = on_device(softmax(x, 1));
    CHECK(allclose(here, there, 1e-6, 1e-7));
}

TEST_CASE("a device multiplies matrices, vectors and batches", "[opencl]") {
    there();
    const Tensor<float> a = random_tensor({9, 17}, 1), b = random_tensor({17, 11}, 2),
                        v = random_tensor({17}, 3);
    const Tensor<float> batch = random_tensor({3, 9, 17}, 4);
    check_all(matmul(a, b), matmul(a, v), matmul(v, b), matmul(batch, b),
              matmul(batch, transpose(batch, 1, 2)), matmul(a, b) * 2.0F + 1.0F,
              matmul(a, transpose(a, 0, 1)), sum(matmul(a, b), {1}), gradient(sum(square(matmul(a, b))), a));
    const Tensor<double> wide = random_tensor<double>({2, 7}, 1), tall = random_tensor<double>({7, 3}, 2);
    check(matmul(wide, tall));
    const Tensor<std::int32_t> whole = random_tensor<std::int32_t>({4, 5}, 1);
    check(matmul(whole, transpose(whole, 0, 1)));
}

namespace {

void check_panels(std::int64_t terms) {
    CAPTURE(terms);
    const Tensor<float> a = random_tensor({2, terms}, 1), b = random_tensor({terms, 3}, 2);
    check_all(matmul(a, b), dot(select(a, 0, 0), select(a, 0, 1)));
}

}  // namespace

TEST_CASE("a device adds products in panels", "[opencl]") {
    there();
    const Tensor<float> a = random_tensor({panel + 1}, 1);
    check(dot(a, a));
}

TEST_CASE("a device adds products of any number of panels", "[opencl][deep]") {
    there();
    for (const std::int64_t terms : {panel - 1, panel, panel + 1, 2 * panel + 3}) check_panels(terms);
}

TEST_CASE("a device adds what is scattered in the order of the processor", "[opencl]") {
    there();
    const Tensor<float> table = random_tensor({12, 5}, 1), x = random_tensor({8, 9}, 2);
    const Tensor<std::int64_t> at({6}, {3, 0, 3, -1, 3, 0});
    check_all(gradient(sum(square(table[at])), table), gradient(sum(square(slice(x, 0, 1, 7, 2))), x),
              gradient(sum(exp2(flip(x, {0})) * x), x));
}

namespace {

void check_masked(Layout layout) {
    CAPTURE(name_of(layout));
    const Shape shape{6, 64};
    const MaskedTensor<float> m = layout == Layout::dense ? MaskedTensor<float>::dense(random_tensor(shape))
                                                          : random_masked(shape, specified(0.3), layout);
    check_all(sum(m), argmax(m, 1), m - mean(m, {1}, keepdim), matmul(m, random_tensor({64, 3}, 2)));
    if (layout != Layout::strided) check_all(amax(m, {1}), mean(m, {0}), m * 2.0F, to_dense(m, 0.5F));
}

}  // namespace

TEST_CASE("a device finds the first position of an extreme among what is specified", "[opencl]") {
    there();
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr})
        for (const std::int64_t length : {31, 32, 33, 65, 100}) {
            CAPTURE(name_of(layout), length);
            const MaskedTensor<float> given = random_masked({3, length}, specified(0.5), Layout::strided);
            const Tensor<float> few = eval(floor(Tensor<float>(given.values()) * 2.0F));
            const MaskedTensor<float> m(AnyMasked::strided(few, given.mask()).to(layout));
            check_all(argmax(m, 1), argmin(m, 1), argmax(m, 0), argmin(m));
        }
}

TEST_CASE("a device reduces what is specified", "[opencl]") {
    there();
    check_masked(Layout::strided);
}

TEST_CASE("a device reduces what is specified in every layout", "[opencl][deep]") {
    there();
    for (const Layout layout : {Layout::dense, Layout::bitmask, Layout::coo, Layout::csr})
        check_masked(layout);
}

TEST_CASE("a device takes empty tensors and tensors of one element", "[opencl]") {
    there();
    const Tensor<float> none = random_tensor({0, 4}), some = random_tensor({2, 4}),
                        one = random_tensor({1, 1});
    const Tensor<float> flat = random_tensor({4, 0});
    check_all(none * 2.0F, sum(none), sum(none, {0}), sum(none, {1}), cat({none, some}, 0),
              cat({some, none}, 0), matmul(flat, none), matmul(none, transpose(some, 0, 1)), one + one,
              sum(one), matmul(one, one), cumsum(one, 1), cumsum(none, 0));
    CHECK(on_device(none * 2.0F).shape() == Shape{0, 4});
}

TEST_CASE("a device says what a check of an expression says", "[opencl]") {
    there();
    const Tensor<float> table = random_tensor({4, 3}, 1);
    const Tensor<std::int64_t> at({2}, {1, 4});
    CHECK_THROWS_AS(on_device(index_select(table, 0, at)), IndexError);
}

TEST_CASE("a device folds everything in blocks", "[opencl][deep]") {
    there();
    const std::int64_t least = limits::least_for_threads;
    for (const std::int64_t size : {least - 1, least, least + 1, 4 * least + 77}) {
        CAPTURE(size);
        const Tensor<float> x = random_tensor({size}, 1);
        check_all(sum(x), mean(x), amax(x), argmax(x), sum(square(x)), cumsum(x, 0));
    }
}

TEST_CASE("a device computes in every dtype", "[opencl][deep]") {
    there();
    const auto of = [&]<class T>(T) {
        const Tensor<T> x = random_tensor<T>({7, 40}, 1), y = random_tensor<T>({7, 40}, 2);
        check_all(sum(x, {1}), amax(x, {0}), cat({x, y}, 1), argmin(x, 1), cumsum(x, 1));
        if constexpr (!std::is_same_v<T, bool>)
            check_all(x * y + x, prod(x, {1}), matmul(x, transpose(y, 0, 1)));
    };
    of(float{}), of(double{}), of(std::int32_t{}), of(std::int64_t{}), of(std::uint8_t{}), of(bool{});
}

TEST_CASE("a device computes large matrices", "[opencl][deep]") {
    there();
    const Tensor<float> a = random_tensor({130, 4099}, 1), b = random_tensor({4099, 67}, 2);
    check_all(matmul(a, b), softmax(a, 1) - softmax(a, 1), sum(a, {0}), a - mean(a, {1}, keepdim));
}

}  // namespace opencl_expressions_test
