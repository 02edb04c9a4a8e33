// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "../../support/row_rules.hpp"
#include "../../support/thread_bytes.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_template_test_macros.hpp>

#include <sys/mman.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace frisket::testing::row_rules::row_steps_test {

namespace {

constexpr auto separate = step<"separate">(state_sum += grad * grad, param -= lr * other);

/// The gradient as values and mask: the elements of every row that is not listed are masked out.
MaskedTensor<float> strided(const MaskedTensor<float>& rows) {
    return masked(rows.to_dense(3), rows.mask_tensor());
}

struct Tensors {
    Tensor<float> p, s, m, d;
    explicit Tensors(const Shape& shape)
        : p(random_tensor(shape, 1)),
          s(full<float>({shape[0], 1}, 2)),
          m(random_tensor(shape, 3)),
          d(random_tensor({shape[1]}, 4)) {}
    void run(const MaskedTensor<float>& g) const {
        jit(rowwise)(param = p, state_sum = s, grad = g, lr = 0.1);
        jit(trusted)(param = p, momentum = m, decay = d, grad = g, lr = 0.1);
    }
    bool operator==(const Tensors& with) const {
        return same(p, with.p) && same(s, with.s) && same(m, with.m);
    }
};

std::int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t all = 0, resident = 0;
    statm >> all >> resident;
    return resident * 4096;
}

/// Zeros that take memory where they are touched.
Tensor<float> untouched(Shape shape) {
    const auto bytes = static_cast<std::size_t>(element_count(shape) * 4);
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(at != MAP_FAILED);
    const auto strides = contiguous_strides(shape);
    return Tensor<float>::view(static_cast<float*>(at), std::move(shape), strides,
                               [at, bytes] { munmap(at, bytes); });
}

}  // namespace

TEST_CASE("a step with reductions over listed rows gives the bytes of the strided layout", "[codegen]") {
    const Shape shape = GENERATE(Shape{300, 64}, Shape{7, 3}, Shape{500, 1}, Shape{90, 33}, Shape{2, 5});
    const double density = GENERATE(0.3, 1.0);
    const auto listed = GENERATE(Listed::ascending, Listed::shuffled, Listed::with_duplicates);
    const MaskedTensor<float> g = random_masked(shape, specified(density), Layout::rows, 9, listed);
    const Tensors by_rows(shape), by_mask(shape);
    by_rows.run(g);
    by_mask.run(strided(g));
    CHECK(by_rows == by_mask);
}

TEST_CASE("a step with a value of all listed rows gives what the strided layout gives", "[codegen]") {
    const MaskedTensor<float> g =
        random_masked({400, 20}, specified(0.4), Layout::rows, 9, Listed::with_duplicates);
    const Tensors by_rows({400, 20}), by_mask({400, 20});
    jit(clipped)(param = by_rows.p, grad = g, lr = 0.1);
    jit(clipped)(param = by_mask.p, grad = strided(g), lr = 0.1);
    CHECK(allclose(by_rows.p, by_mask.p));
    CHECK_FALSE(same(by_rows.p, Tensors({400, 20}).p));
}

TEST_CASE("a step with reductions takes lists of the same rows in any order", "[codegen]") {
    const Shape shape{9, 3};
    const auto g = MaskedTensor<float>::rows(shape, {7, 2, 5}, random_tensor({3, 3}, 5));
    for (const std::vector<std::int64_t>& order :
         {std::vector<std::int64_t>{7, 2, 5}, {2, 5, 7}, {5, 7, 2}, {5, 7, 5, 2}}) {
        const auto o =
            MaskedTensor<float>::rows(shape, order, random_tensor({std::ssize(order), shape[1]}, 6));
        const Tensor<float> p = random_tensor(shape, 1), q = p.clone();
        const Tensor<float> s = full<float>({shape[0], 1}, 2), t = s.clone();
        jit(crossed)(param = p, state_sum = s, grad = g, other = o, lr = 0.5);
        jit(crossed)(param = q, state_sum = t, grad = strided(g), other = strided(o), lr = 0.5);
        CHECK(same(p, q));
        CHECK(same(s, t));
    }
}

TEST_CASE("a step over no rows changes nothing", "[codegen]") {
    const auto g = MaskedTensor<float>::rows({5, 4}, {}, Tensor<float>({0, 4}));
    const Tensors tensors({5, 4});
    tensors.run(g);
    CHECK(tensors == Tensors({5, 4}));
}

TEST_CASE("rows that are given several times are summed in their order", "[codegen]") {
    const auto g = MaskedTensor<float>::rows({4, 1}, {2, 0, 2, 2}, {1e8F, 5, 1, -1e8F});
    const Tensor<float> p = full<float>({4, 1}, 0), s = full<float>({4, 1}, 0);
    jit(rowwise)(param = p, state_sum = s, grad = g, lr = 1.0);
    CHECK(s.to_vector() == std::vector<float>{25, 0, 0, 0});  // (1e8 + 1) - 1e8
    jit(separate)(param = p, state_sum = s, grad = g, other = g, lr = 1.0);
    CHECK(s.to_vector() == std::vector<float>{50, 0, 0, 0});
}

TEST_CASE("a row that is given several times is one row, however many tasks share its list", "[codegen]") {
    constexpr auto summed = step<"summed">(state_sum += grad * grad, param -= lr * grad);
    constexpr std::int64_t task_elements = 65536;
    for (const std::int64_t length : {1, 33, 64}) {
        // Three tasks and more, which would begin within a row.
        const std::int64_t rows = task_elements / length;
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = 0; i < 3 * rows; ++i) numbers.push_back(i * 7 % rows);
        const Shape shape{rows, length};
        const auto g = MaskedTensor<float>::rows(shape, numbers, full<float>({3 * rows, length}, 1));
        const Tensor<float> p = full<float>(shape, 0), s = full<float>(shape, 0), q = full<float>(shape, 0);
        const Tensor<float> mean_square = full<float>({rows, 1}, 0);
        INFO("rows of " << length);
        jit(summed)(param = p, state_sum = s, grad = g, lr = 1.0);
        CHECK(same(p, full<float>(shape, -3)));
        CHECK(same(s, full<float>(shape, 9)));
        jit(rowwise)(param = q, state_sum = mean_square, grad = g, lr = 1.0);
        CHECK(same(mean_square, full<float>({rows, 1}, 9)));
        CHECK(same(q, full<float>(shape, -3 / 3.5F)));
    }
}

TEST_CASE("several masked arguments with one list are walked by it", "[codegen]") {
    const Shape shape{10'000'000, 64};
    const Tensor<float> p = untouched(shape), s = untouched(shape);
    const std::int64_t before = resident_bytes();
    for (const Layout layout : {Layout::rows, Layout::coo, Layout::csr}) {
        const auto g =
            MaskedTensor<float>::rows(shape, {9'999'999, 5, 5}, full<float>({3, 64}, 1)).to(layout);
        const auto o = MaskedTensor<float>::rows(shape, {5, 9'999'999}, full<float>({2, 64}, 3)).to(layout);
        jit(separate)(param = p, state_sum = s, grad = g, other = o, lr = 1.0);
        jit(separate)(param = p, state_sum = s, grad = g, other = g, lr = 1.0);
    }
    CHECK(resident_bytes() - before < 256 << 20);
    CHECK(s.at({5, 63}) == 6 * 4);
    CHECK(p.at({5, 0}) == -3 * (3 + 2));
    CHECK(p.at({9'999'999, 1}) == -3 * (3 + 1));
    CHECK(p.at({6, 0}) == 0);
    const auto g = MaskedTensor<float>::rows({4, 1}, {2}, {1}),
               o = MaskedTensor<float>::rows({4, 1}, {1}, {1});
    const Tensor<float> small = full<float>({4, 1}, 0), sums = full<float>({4, 1}, 0);
    jit(separate)(param = small, state_sum = sums, grad = g, other = o, lr = 1.0);
    CHECK(small.to_vector() == std::vector<float>{0, -1, 0, 0});
    CHECK(sums.to_vector() == std::vector<float>{0, 0, 1, 0});
}

TEST_CASE("a step over listed rows takes memory for these alone", "[codegen]") {
    const Shape shape{10'000'000, 64};
    const Tensor<float> p = untouched(shape), s = untouched({shape[0], 1});
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < 2000; ++i) rows.push_back(i * 7919 % 1000 * 9973);
    const auto g = MaskedTensor<float>::rows(shape, rows, full<float>({2000, 64}, 1));
    jit(rowwise)(param = p, state_sum = s,
                 grad = MaskedTensor<float>::rows(shape, {1}, full<float>({1, 64}, 1)), lr = 1.0);
    const std::int64_t before = resident_bytes();
    jit(rowwise)(param = p, state_sum = s, grad = g, lr = 1.0);
    CHECK(resident_bytes() - before < 32 << 20);
    CHECK(s.at({9973, 0}) == 4);
    CHECK(p.at({9973, 63}) == -2 / 2.5F);
    CHECK(p.at({2, 0}) == 0);
}

TEMPLATE_TEST_CASE("a step adds duplicates of 16 bits in float32, of rows and of elements", "[codegen]",
                   float16, bfloat16) {
    constexpr InOut<"weights", TestType> weights;
    constexpr Masked<"slopes", TestType> slopes;
    constexpr auto descend = step<"descend">(weights -= lr * slopes);
    constexpr std::int64_t count = 3000;
    const std::vector<std::int64_t> third(count, 3);
    const Tensor<TestType> ones(AnyTensor(full<float>({count, 1}, 1)).to(dtype_of<TestType>));
    const auto taken = [&](const MaskedTensor<TestType>& grad) {
        const Tensor<TestType> made(AnyTensor(full<float>({7, 1}, 0)).to(dtype_of<TestType>));
        jit(descend)(weights = made, slopes = grad, lr = 1.0);
        return static_cast<float>(made.at({3, 0}));
    };
    const auto right = static_cast<float>(TestType(-static_cast<float>(count)));
    CHECK(taken(MaskedTensor<TestType>::rows({7, 1}, third, ones)) == right);
    CHECK(taken(MaskedTensor<TestType>::coo({7, 1}, {third, std::vector<std::int64_t>(count, 0)},
                                            ones.to_vector())) == right);
}

TEST_CASE("child: bytes of rows by threads", "[.child]") {
    const Tensors tensors({20'000, 48});
    tensors.run(random_masked({20'000, 48}, specified(0.4), Layout::rows, 5, Listed::with_duplicates));
    ByteHash hash;
    for (const Tensor<float>& tensor : {tensors.p, tensors.s, tensors.m}) hash.add(tensor);
    hash.print();
}

TEST_CASE("the number of threads changes no byte of rows", "[codegen]") {
    std::string first;
    for (const char* threads : {"1", "2", "3", "8"}) {
        const std::string hash = hash_with_threads("child: bytes of rows by threads", threads);
        if (first.empty()) first = hash;
        CHECK(hash == first);
    }
}

}  // namespace frisket::testing::row_rules::row_steps_test
