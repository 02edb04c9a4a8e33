// SPDX-License-Identifier: MIT
/// Reductions over more than 2^31 elements, which views of one element have.
#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../support/random.hpp"

namespace long_extents_test {

using namespace frisket;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

const Tensor<double> one({1}, {1});
constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t most = 2'130'706'432;  ///< elements that loops store

/// A result of n bytes, all true.
auto bytes(std::int64_t n) { return expand(one, {n}) > 0; }

void check_counts(std::int64_t n) {
    CAPTURE(n);
    const auto right = static_cast<double>(n);
    const auto long_one = expand(one, {n});
    CHECK(eval(sum(long_one)).item() == right);
    CHECK(eval(mean(long_one)).item() == 1);
    CHECK(eval(sum(where(long_one > 0, 1.0, 0.0))).item() == static_cast<float>(n));
    CHECK(eval(count(long_one)).item() == n);
    CHECK(eval(amax(long_one)).item() == 1);
    CHECK(eval(sum(expand(masked(one, Tensor<bool>({1}, {true})), {n}))).item() == right);
}

/// Rows of few integers, each of which a view repeats `n` times, and queries on them.
template <class T>
struct LongRows {
    std::vector<T> numbers;
    std::int64_t n = 0;
    T limit = 0;

    explicit LongRows(testing::Random& random) {
        const std::int64_t near[] = {two_31, 2 * two_31, 3'000'000'000, 3 * two_31 / 2};
        n = near[random.below(4)] + random.below(2001) - 1000;
        for (std::int64_t row = 1 + random.below(2); row > 0; --row)
            numbers.push_back(static_cast<T>(random.below(8)));
        limit = static_cast<T>(random.below(8));
    }

    auto rows() const {
        const auto count = static_cast<std::int64_t>(numbers.size());
        return Tensor<T>({count, 1}, numbers);
    }
    /// For each row `n` times the value of `f` for its number, as a result of dtype R.
    template <class R>
    std::vector<R> times_n(const auto& f) const {
        std::vector<R> sums;
        for (const T number : numbers)
            sums.push_back(static_cast<R>(n * static_cast<std::int64_t>(f(number))));
        return sums;
    }
};

/// Compares reductions with a closed form: sums and counts of `n` equal elements are exact products.
template <class T>
void check_drawn(testing::Random& random) {
    const LongRows<T> drawn(random);
    CAPTURE(drawn.n, drawn.numbers, drawn.limit);
    const auto row_count = static_cast<std::int64_t>(drawn.numbers.size());
    const Tensor<T> rows = drawn.rows();
    const auto x = expand(rows, {row_count, drawn.n});
    const auto is_above = [&](T number) { return number > drawn.limit; };
    using Sum = decltype(Tensor(eval(sum(rows))).item());
    switch (random.below(5)) {
        case 0:
            CHECK(eval(sum(where(x > drawn.limit, x + T{1}, T{2}), {1})).to_vector() ==
                  drawn.template times_n<Sum>([&](T number) { return is_above(number) ? number + 1 : 2; }));
            break;
        case 1:
            CHECK(eval(sum(masked(x, x > drawn.limit), {1})).to_dense(Sum{0}).to_vector() ==
                  drawn.template times_n<Sum>([&](T number) { return is_above(number) ? number : T{0}; }));
            break;
        case 2:
            CHECK(eval(count(masked(x, x > drawn.limit), {1})).to_vector() ==
                  drawn.template times_n<std::int64_t>(is_above));
            break;
        case 3:
            CHECK(eval(amax(x * T{2}, {1})).to_vector() == eval(squeeze(rows * T{2}, 1)).to_vector());
            break;
        default:
            CHECK(eval(sum(x * x)).item() == [&] {
                std::int64_t total = 0;
                for (const T number : drawn.numbers)
                    total += drawn.n * static_cast<std::int64_t>(number * number);
                return static_cast<Sum>(total);
            }());
    }
}

}  // namespace

TEST_CASE("reductions over 3,000,000,000 elements of a view count all of them", "[codegen]") {
    CHECK(eval(sum(expand(one, {3'000'000'000}))).item() == 3e9);
}

TEST_CASE("reductions near 2^31 and 2^32 elements of a view count all of them", "[codegen][deep]") {
    for (const std::int64_t n : {two_31 - 1, two_31, two_31 + 1, std::int64_t{3'000'000'000}, 2 * two_31 + 5})
        check_counts(n);
}

TEST_CASE("drawn reductions over long rows are those of a closed form", "[codegen][deep]") {
    testing::Random random(45);
    for (int draw = 0; draw < 12; ++draw) {
        check_drawn<double>(random);
        check_drawn<float>(random);
        check_drawn<std::int32_t>(random);
        check_drawn<std::uint8_t>(random);
    }
}

TEST_CASE("reductions over two dimensions of 2^16 elements count all of them", "[codegen][deep]") {
    CHECK(eval(sum(expand(Tensor<double>({1, 1}, {1}), {65536, 65536}))).item() == 0x1p32);
}

TEST_CASE("positions and products along 2^31 elements are refused by their shape", "[codegen]") {
    CHECK_THROWS_MATCHES(eval(argmax(expand(one, {3'000'000'000}))), ShapeError,
                         MessageMatches(ContainsSubstring("[3000000000]")));
    CHECK_THROWS_AS(eval(sum(expand(one, {std::int64_t{1} << 40}))), ShapeError);
}

TEST_CASE("results of more elements than loops count are refused", "[codegen]") {
    for (const std::int64_t n : {most + 1, two_31 - 1, two_31})
        CHECK_THROWS_MATCHES(eval(bytes(n)), ShapeError,
                             MessageMatches(ContainsSubstring("at most 2130706432")));
}

TEST_CASE("the largest results that loops count have all of their elements", "[codegen][deep]") {
    for (const std::int64_t n : {most, most - 1}) {
        const Tensor<bool> made = eval(bytes(n));
        CHECK(std::count(made.data(), made.data() + n, true) == n);
    }
}

TEST_CASE("what reads 2^31 - 1 bytes reaches the last", "[codegen][deep]") {
    const std::int64_t n = two_31 - 1, last = n - 1;
    const Tensor<std::uint8_t> x({n});
    x.data()[5] = 2;
    x.data()[last] = 3;
    CHECK(eval(sum(x)).item() == 5);
    CHECK(eval(amax(x)).item() == 3);
    CHECK(eval(argmax(x)).item() == last);
    CHECK(eval(sum(masked(x, x > std::uint8_t{2}))).item() == 3);
    CHECK(eval(count(masked(x, x > std::uint8_t{0}))).item() == 2);
    CHECK(eval(sum(narrow(flip(x, {0}), 0, 0, 10))).item() == 3);
    CHECK(eval(x[Tensor<std::int64_t>({2}, {last, 5})]).to_vector() == std::vector{3, 2});
    const Tensor<std::uint8_t> lines = Tensor<std::uint8_t>::view(x.data() + 1, {2, last / 2});
    CHECK(eval(sum(lines, {1})).to_vector() == std::vector<std::int64_t>{2, 3});
    CHECK(eval(argmax(lines, 1)).to_vector() == std::vector<std::int64_t>{4, last / 2 - 1});
    CHECK(eval(narrow(sum(lines, {0}), 0, last / 2 - 1, 1)).item() == 3);
}

TEST_CASE("lists reach the last of 2^32 rows", "[codegen][deep]") {
    const std::int64_t n = 2 * two_31 + 5;
    const auto grad = MaskedTensor<double>::coo({n, 2}, {{0, n - 1, n - 1}, {0, 0, 1}}, {1, 2, 4});
    CHECK(eval(matmul(transpose(grad), grad)).to_dense(0.0).to_vector() == std::vector<double>{5, 8, 8, 16});
    CHECK(eval(sum(grad, {0})).to_dense(0.0).to_vector() == std::vector<double>{3, 4});
    CHECK(eval(narrow(grad, 0, n - 1, 1) * 1.0).to_dense(0.0).to_vector() == std::vector<double>{2, 4});
    const auto lines = MaskedTensor<double>::csr({2, n}, {0, 2, 3}, {0, n - 1, n - 1}, {1, 2, 4});
    CHECK(eval(sum(lines, {1})).to_dense(0.0).to_vector() == std::vector<double>{3, 4});
    CHECK(eval(argmax(grad, 0)).to_dense(std::int64_t{-1}).to_vector() ==
          std::vector<std::int64_t>{n - 1, n - 1});
}

}  // namespace long_extents_test
