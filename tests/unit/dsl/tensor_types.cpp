// SPDX-License-Identifier: MIT
#include <frisket/dsl.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tensor_types_test {

using namespace frisket;

namespace {

using Dense = Tensor<float>;
using Ints = Tensor<std::int32_t>;
using Bools = Tensor<bool>;
using M = MaskedTensor<float>;

template <class E>
constexpr bool is(ExprCategory category, DType dtype) {
    constexpr ExprType expr_type = E::expr_type;
    return expr_type.category == category && strong(expr_type.type).dtype == dtype && expr_type.has_tensors;
}
template <class E>
constexpr bool is_masked(DType dtype) {
    return is<E>(ExprCategory::masked, dtype);
}
template <class E>
constexpr bool is_dense(DType dtype) {
    return is<E>(ExprCategory::dense, dtype);
}

}  // namespace

TEST_CASE("the type of an expression over tensors knows its dtype and whether it is masked") {
    const Dense t;
    const Tensor<const double> d;
    const Ints i;
    const Bools b;
    const M m;
    STATIC_CHECK(is_masked<decltype(m * m)>(DType::float32));
    STATIC_CHECK(is_masked<decltype(m + d)>(DType::float64));
    STATIC_CHECK(is_dense<decltype(2 * t)>(DType::float32));
    STATIC_CHECK(is_dense<decltype(2 * i)>(DType::int32));
    STATIC_CHECK(is_dense<decltype(i / i)>(DType::float32));
    STATIC_CHECK(is_masked<decltype(m > 0)>(DType::boolean));
    STATIC_CHECK(is_dense<decltype(t == t)>(DType::boolean));
    STATIC_CHECK(is_masked<decltype(on(m, t))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(to_dense(m, 0))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(where(m > 0, t, 0))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(mask_of(m))>(DType::boolean));
    STATIC_CHECK(is_dense<decltype(values_of(m))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(masked(t, !is_nan(t)))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(unite(m + d))>(DType::float64));
    STATIC_CHECK(is_masked<decltype(intersect(m < m))>(DType::boolean));
    STATIC_CHECK(is_masked<decltype(cast<std::int64_t>(m))>(DType::int64));
    STATIC_CHECK(is_dense<decltype(b + b)>(DType::boolean));
}

TEST_CASE("reductions have the dtypes of the reference cases") {
    const Dense t;
    const Ints i;
    const Bools b;
    const M m;
    STATIC_CHECK(is_masked<decltype(sum(m))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(sum(i, 0))>(DType::int64));
    STATIC_CHECK(is_dense<decltype(prod(b, {0}, keepdim))>(DType::int64));
    STATIC_CHECK(is_masked<decltype(mean(m, keepdim))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(amax(i, {0, -1}))>(DType::int32));
    STATIC_CHECK(is_dense<decltype(amin(b))>(DType::boolean));
    STATIC_CHECK(is_dense<decltype(all(t))>(DType::boolean));
    STATIC_CHECK(is_masked<decltype(any(m, 0))>(DType::boolean));
    STATIC_CHECK(is_masked<decltype(argmin(m, 1))>(DType::int64));
    STATIC_CHECK(is_dense<decltype(argmax(t))>(DType::int64));
    STATIC_CHECK(is_dense<decltype(var(i))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(std_dev(m, {0}, {}, 0))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(norm(m, {}, {}, 1))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(logsumexp(b))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(count(m, {0}))>(DType::int64));
    STATIC_CHECK(is_masked<decltype(median(m, 0, keepdim))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(softmax(m, 0))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(cumsum(i, 0))>(DType::int64));
    STATIC_CHECK(is_masked<decltype(normalize(m))>(DType::float32));
}

TEST_CASE("views, indices and products keep or join the types of their operands") {
    const Dense t;
    const Ints i;
    const Bools b;
    const M m;
    STATIC_CHECK(is_masked<decltype(m[0])>(DType::float32));
    STATIC_CHECK(is_masked<decltype(m[{0, all, newaxis, -1}])>(DType::float32));
    STATIC_CHECK(is_dense<decltype(i(slice(0, 10, 2), 3))>(DType::int32));
    STATIC_CHECK(is_masked<decltype(m[b])>(DType::float32));
    STATIC_CHECK(is_dense<decltype(t[m > 0])>(DType::float32));
    STATIC_CHECK(is_masked<decltype((m * m)[i])>(DType::float32));
    STATIC_CHECK(is_dense<decltype(t(i, i))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(gather(m, 0, i))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(cat({t, t}, 1))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(stack(std::tuple(t, m * 2)))>(DType::float32));
    STATIC_CHECK(is_masked<decltype(matmul(m, t))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(mm(i, i))>(DType::int32));
    STATIC_CHECK(is_masked<decltype(linear(m, t, t))>(DType::float32));
    STATIC_CHECK(is_dense<decltype(transpose(reshape(t, {2, -1})))>(DType::float32));
}

TEST_CASE("a step knows at compile time whether it needs the shapes of a call") {
    constexpr InOut<"param"> param;
    constexpr InOut<"state"> state;
    constexpr Masked<"grad"> grad;
    constexpr auto rowwise =
        step<"rowwise">(state += mean(grad * grad, {1}, keepdim), param -= grad / (sqrt(state) + 1));
    STATIC_CHECK(!decltype(step<"sgd">(param -= grad))::has_structure);
    STATIC_CHECK(std::remove_const_t<decltype(rowwise)>::has_structure);
}

}  // namespace tensor_types_test
