// SPDX-License-Identifier: MIT
/// Large products of matrices on a device, by tiles: bits of the processor's loops.
#include "../../../runtime/limits.hpp"
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

namespace device_products_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t panel = limits::product_panel;

/// Checks that processor and device compute one result, by one kernel for each `launches`.
template <class Make, class... Operands>
void check_same(int launches, const Make& make, const Operands&... operands) {
    const Device gpu = there();
    const AnyTensor expected(make(operands...));
    static_cast<void>(AnyTensor(make(operands.to(gpu)...)));
    const std::tuple moved{operands.to(gpu)...};
    std::optional<AnyTensor> found;
    const DeviceUse use = use_of(gpu, [&] { found.emplace(std::apply(make, moved)); });
    CHECK(same(found->to(Device()), expected));
    CHECK(use.launches == launches);
    CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
}

}  // namespace

namespace {

/// Products with batches in both factors, in one, and repeated along each of their dimensions.
void check_batches(const Shape& batches, std::int64_t rows) {
    CAPTURE(batches, rows);
    const auto multiply = [](const auto& x, const auto& y) { return eval(matmul(x, y)); };
    Shape left = batches, right = batches;
    left.insert(left.end(), {rows, 6});
    right.insert(right.end(), {6, 67});
    const auto b = random_tensor(right, 2);
    check_same(1, multiply, random_tensor(left, 1), b);
    check_same(1, multiply, random_tensor({rows, 6}, 3), b);
    check_same(
        1, [](const auto& x, const auto& y) { return eval(matmul(transpose(x, 0, 1), y)); },
        random_tensor({6, rows}, 4), b);
    for (std::size_t i = 0; i < batches.size(); ++i) {
        Shape one = left;
        one[i] = 1;
        check_same(1, multiply, random_tensor(one, 5), b);
    }
}

}  // namespace

TEST_CASE("a device makes products of batches by tiles", "[opencl]") {
    check_batches({1, 2}, 65);
    check_batches({2, 2, 2, 3}, 65);
}

TEST_CASE("a device makes products of each number of batches by tiles", "[opencl][deep]") {
    for (const Shape& batches :
         {Shape{}, Shape{3}, Shape{2, 3}, Shape{70, 2}, Shape{2, 1, 3}, Shape{2, 3, 2}, Shape{2, 2, 2, 3}})
        for (const std::int64_t rows : {3, 64, 65, 196}) check_batches(batches, rows);
    const auto a = random_tensor({2, 1, 2, 33, panel + 1}, 6), b = random_tensor({3, 1, panel + 1, 65}, 7);
    check_same(1, [](const auto& x, const auto& y) { return eval(matmul(x, y)); }, a, b);
}

TEST_CASE("a device makes products by tiles to the processor's bits", "[opencl]") {
    struct Case { std::int64_t rows, terms, columns; };
    for (const auto& [rows, terms, columns] : {Case{64, 64, 64},
                                               {63, 64, 65},
                                               {65, 63, 63},
                                               {128, 15, 129},
                                               {127, 16, 128},
                                               {129, 17, 127},
                                               {400, 1, 400},
                                               {400, 0, 400},
                                               {2, 1100, 64},
                                               {64, 1100, 2},
                                               {7, panel - 1, 9},
                                               {9, panel, 7},
                                               {3, panel + 1, 15},
                                               {3, 2 * panel + 1, 70}}) {
        CAPTURE(rows, terms, columns);
        const auto a = random_tensor({rows, terms}, 1), b = random_tensor({terms, columns}, 2);
        const auto c = random_tensor({columns, terms}, 3), d = random_tensor({terms, rows}, 4);
        check_same(1, [](const auto& x, const auto& y) { return eval(matmul(x, y)); }, a, b);
        check_same(1, [](const auto& x, const auto& y) { return eval(matmul(x, transpose(y, 0, 1))); }, a, c);
        check_same(1, [](const auto& x, const auto& y) { return eval(matmul(transpose(x, 0, 1), y)); }, d, b);
        const auto wide = random_tensor<double>({rows, terms}, 5),
                   high = random_tensor<double>({terms, columns}, 6);
        check_same(1, [](const auto& x, const auto& y) { return eval(matmul(x, y)); }, wide, high);
    }
}

TEST_CASE("a device computes what surrounds a product in its tiles", "[opencl]") {
    const auto a = random_tensor({70, 50}, 1), b = random_tensor({50, 90}, 2), bias = random_tensor({90}, 3);
    check_same(
        1, [](const auto& x, const auto& y, const auto& z) { return eval(relu(matmul(x * 2, y) + z)); }, a, b,
        bias);
    CHECK_THAT(explain(relu(matmul(a.to(there()), b.to(there())) + bias.to(there())), Run::yes),
               Catch::Matchers::ContainsSubstring("product by tiles"));
    const auto square = random_tensor({80, 80}, 4), other = random_tensor({80, 80}, 5);
    check_same(
        2, [](const auto& x, const auto& y) { return eval(matmul(matmul(x, y), x) + matmul(x, y)); }, square,
        other);
    check_same(2, [](const auto& x, const auto& y) { return eval(sum(matmul(x, y), {0})); }, square, other);
    check_same(2, [](const auto& x, const auto& y) { return eval(sum(matmul(x, y), {1})); }, square, other);
    const auto batch = random_tensor({3, 40, 60}, 6), each = random_tensor({3, 60, 50}, 7);
    const auto one = random_tensor({60, 50}, 8);
    check_same(1, [](const auto& x, const auto& y) { return eval(matmul(x, y)); }, batch, each);
    check_same(1, [](const auto& x, const auto& y) { return eval(exp(matmul(x, y))); }, batch, one);
}

TEST_CASE("a device makes attention and gradients of products by tiles", "[opencl]") {
    const auto q = random_tensor({100, 64}, 1), k = random_tensor({90, 64}, 2),
               v = random_tensor({90, 70}, 3);
    const Device gpu = there();
    const auto attention = [](const auto& x, const auto& y, const auto& z) {
        return eval(matmul(softmax(matmul(x, transpose(y, 0, 1)) / 8, 1), z));
    };
    CHECK(same(AnyTensor(attention(q.to(gpu), k.to(gpu), v.to(gpu))).to(Device()),
               AnyTensor(attention(q, k, v))));
    const auto slope = [](const auto& x, const auto& y) {
        return eval(to_dense(gradient(sum(square(matmul(x, transpose(y, 0, 1)))), x), 0));
    };
    CHECK(same(AnyTensor(slope(q.to(gpu), k.to(gpu))).to(Device()), AnyTensor(slope(q, k))));
}

}  // namespace device_products_test
